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
import type { HookEvent } from "./protocol.ts";

export type Answer = Readonly<Record<string, unknown>> | null;

export interface HookFlags {
  readonly event: string | undefined;
  readonly db: string | undefined;
  readonly noDb: boolean;
}

/** What a handler wants written of its event; what it leaves out is taken from the event itself. */
export interface Draft {
  readonly session?: Partial<SessionTouch>;
  readonly status?: ExecutionStatus;
  readonly errorMessage?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly capture?: Capture;
  readonly counters?: readonly string[];
  readonly changes?: readonly RequirementChange[];
}

/** An event on its way, with all that its handler needs. */
export interface HookWork {
  readonly environment: Environment;
  readonly event: HookEvent;
  /** The fields as they came, with their secrets: for decisions, never for what is stored. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** What stdin held, masked when it is called. */
  readonly maskedText: () => string;
  /** Bytes of stdin that the event lacks because stdin was too large. */
  readonly cutBytes: number;
  /** Whether `sent` lacks bytes of stdin too. */
  readonly isInputCut: boolean;
  /** Why stdin held no event; null when it held one. */
  readonly problem: string | null;
  readonly atMs: number;
  readonly sessionId: string;
  /** The transcript of the session, as it was sent; null when it was not. */
  readonly transcriptPath: string | null;
  /** `CLAUDE_PROJECT_DIR`, which stays when Claude changes folders, else the event's folder. */
  readonly projectDir: string | null;
  /** `projectDir` with its secrets masked, as it may be stored. */
  readonly shownProjectDir: string | null;
  /** A path or a branch with its secrets masked, as the database stores it and finds it. */
  readonly hide: (path: string | null) => string | null;
  readonly repository: Repository | undefined;
  /** The person's home folder; null when the environment names none. */
  readonly home: string | null;
  readonly claudePid: number | null;
  readonly config: HookConfig;
  readonly configFiles: readonly ConfigFile[];
  readonly database: string;
  readonly locations: Locations;
  /** Why the database could not take the event; null when it could. Known once the event is saved. */
  readonly fault: unknown;
  /** False where no content is kept: capture is off, the project is excluded, or memory is off for the session. */
  readonly keepsContent: boolean;
  /** Texts that did not come with the event, with their secrets masked. */
  mask(texts: readonly string[]): Promise<readonly string[]>;
  /** The key of the configuration, or the variable, that keeps a tool use out; null when it may be kept. */
  exclusion(
    toolName: string,
    toolInput: unknown,
    told?: { readonly toolResponse: unknown },
  ): Promise<string | null>;
  /** Null when it cannot be opened; the event goes to the spool then. */
  readonly db: DatabaseSync | null;
  readonly notices: readonly string[];
  /** Tells the person something, in Claude Code's own interface. */
  tell(notice: string): void;
  /** Adds something to the transaction that saves the event, whatever its handler saves. */
  saveBeside(told: readonly SessionChange[], apply: ApplySessionChanges): void;
  /**
   * Saves the event in the database or the spool. @param draft A function is called in the transaction, and again
   * without a database where that fails.
   */
  save(draft: Draft | ((db: DatabaseSync | null) => Draft)): Promise<void>;
  /** Whether a settings file and a plugin both start conclaude, and the other hook has saved the same event before. */
  readonly isTwin: boolean;
  /** Is told the decision about a tool use; absent where nobody explains it. */
  readonly decided?: (decision: Decision) => void;
  /** The draft that was saved; null before `save()`. */
  readonly saved: Draft | null;
  /** The database, once the event is saved, with short waits; null when the event was spooled. */
  spareDb(): DatabaseSync | null;
}
