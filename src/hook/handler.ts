import type { DatabaseSync } from "node:sqlite";
import type { ConfigFile } from "../config/discover.ts";
import type { HookConfig } from "../config/hook_config.ts";
import type { Environment, Locations } from "../system/environment.ts";
import type { Repository } from "../system/git/repository.ts";
import type { SessionChange } from "../claude/session_changes.ts";
import type { Capture, ExecutionStatus, SessionTouch } from "../db/captures.ts";
import type { Decision } from "../policy/decision.ts";
import type { RequirementChange } from "../policy/store.ts";
import type { ApplySessionChanges } from "../work/store.ts";
import type { Answer, HookEvent } from "./protocol.ts";

export type { Answer };

export interface HookFlags {
  readonly event: string | undefined;
  readonly db: string | undefined;
  readonly noDb: boolean;
}

/** What a handler wants stored of its event. Missing fields are taken from the event itself. */
export interface Draft {
  readonly session?: Partial<SessionTouch>;
  readonly status?: ExecutionStatus;
  readonly errorMessage?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly capture?: Capture;
  readonly counters?: readonly string[];
  readonly changes?: readonly RequirementChange[];
}

/** An event that is being handled, with everything that its handler needs. */
export interface HookWork {
  readonly environment: Environment;
  readonly event: HookEvent;
  /** The fields as they were sent, with their secrets. Decisions may use them; they must never be stored. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** Masks the text of stdin. */
  readonly maskedText: () => string;
  /** Bytes of stdin that the event lacks because stdin was too large. */
  readonly cutBytes: number;
  /** Whether `sent` lacks bytes of stdin as well. */
  readonly isInputCut: boolean;
  /** The reason why stdin held no event; null when it held one. */
  readonly problem: string | null;
  readonly atMs: number;
  readonly sessionId: string;
  /** The session's transcript as it was sent; null when it was not sent. */
  readonly transcriptPath: string | null;
  /** `CLAUDE_PROJECT_DIR`, which stays when Claude changes folders; without it the event's folder. */
  readonly projectDir: string | null;
  /** `projectDir` with its secrets masked, so that it may be stored. */
  readonly shownProjectDir: string | null;
  /** Masks the secrets in a path or a branch, as the database stores it. */
  readonly hide: (path: string | null) => string | null;
  readonly repository: Repository | undefined;
  /** The person's home folder; null when the environment names none. */
  readonly home: string | null;
  readonly claudePid: number | null;
  readonly config: HookConfig;
  readonly configFiles: readonly ConfigFile[];
  readonly database: string;
  readonly locations: Locations;
  /** Why the database could not take the event; null when it could. It is known once the event is saved. */
  readonly fault: unknown;
  /** False when no content is stored: capture is off, the project is excluded, or memory is off for the session. */
  readonly keepsContent: boolean;
  /** Masks the secrets in texts that did not come with the event. */
  mask(texts: readonly string[]): Promise<readonly string[]>;
  /** Returns the configuration key or the variable that excludes a tool use; null when it may be stored. */
  exclusion(
    toolName: string,
    toolInput: unknown,
    tool?: { readonly toolResponse: unknown },
  ): Promise<string | null>;
  /** Null when the database cannot be opened; then the event goes to the spool. */
  readonly db: DatabaseSync | null;
  readonly notices: readonly string[];
  /** Tells the person something in Claude Code's own interface. */
  tell(notice: string): void;
  /** Adds session changes to the transaction that saves the event, whatever its handler saves. */
  saveBeside(told: readonly SessionChange[], apply: ApplySessionChanges): void;
  /**
   * Saves the event in the database or the spool. @param draft If it is a function, it is called in the transaction,
   * and called again without a database when that fails.
   */
  save(draft: Draft | ((db: DatabaseSync | null) => Draft)): Promise<void>;
  /** Whether a settings file and a plugin both start conclaude, and the other hook has already saved this event. */
  readonly isTwin: boolean;
  /** Receives the decision about a tool use; absent when nobody explains it. */
  readonly decided?: (decision: Decision) => void;
  /** The draft that was saved; null before `save()`. */
  readonly saved: Draft | null;
  /** Returns the database with short waits, once the event is saved; null when the event was spooled. */
  spareDb(): DatabaseSync | null;
}
