/** Answers a hook event without acting on it, for a person who tries the rules. */
import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../config/hook_config.ts";
import { type Environment, type Locations, readAll } from "../system/environment.ts";
import type { AskedUse } from "../policy/guards/judge_use.ts";
import { lookUpwards, type Repository, repositoryAt } from "../system/git/repository.ts";
import type { KnownPlaces } from "../policy/files/own_files.ts";
import { normalizeSessionId, processNumber, UNKNOWN_SESSION_ID } from "../base/ids.ts";
import type { Answer, HookWork } from "./handler.ts";
import { askedUse } from "./pre_tool_use.ts";
import {
  folderOf,
  type HookEvent,
  type Input,
  readInput,
  toEvent,
  transcriptOf,
} from "./protocol.ts";

/** An event that was read and not handled yet. */
export interface TriedEvent {
  readonly event: HookEvent;
  /** The fields as they came. */
  readonly sent: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isInputCut: boolean;
  /** Why that is no event; null when it is one. */
  readonly problem: string | null;
  readonly sessionId: string;
  readonly transcriptPath: string | null;
  /** The tool use that the rules judge; null for an event without one. */
  readonly use: AskedUse | null;
  /** Where the configuration is looked for; null when nothing tells. */
  readonly projectDir: string | null;
  readonly repository: Repository | undefined;
  readonly home: string | null;
  readonly environment: Environment;
}

/** The events about which the rules for tools are asked. */
const JUDGED: ReadonlySet<string> = new Set(["PreToolUse", "PermissionRequest"]);

/** Handlers that only look and record. Trying any other would do something. */
const LOOKING = new Map([
  ["PreToolUse", () => import("./pre_tool_use.ts")],
  ["PermissionRequest", () => import("./pre_tool_use.ts")],
  ["PostToolUse", () => import("./post_tool_use.ts")],
  ["PostToolUseFailure", () => import("./post_tool_use.ts")],
  ["SessionStart", () => import("./session_start.ts")],
]);

/** Reads the event from stdin. @param name As on the command line of a hook. */
export async function readEvent(
  name: string | undefined,
  { home, environment }: Pick<TriedEvent, "home" | "environment">,
): Promise<TriedEvent> {
  const input = await readInput(readAll(environment.stdin));
  const sent = input.kind === "event" ? input.fields : {};
  const projectDir = environment.variable("CLAUDE_PROJECT_DIR") ?? folderOf(sent);
  return await tried(input, { name, home, projectDir, environment });
}

/** A PreToolUse with these fields, as if Claude Code had sent it. */
export async function madeUp(
  fields: Readonly<Record<string, unknown>>,
  at: Pick<TriedEvent, "home" | "environment"> & { readonly projectDir: string },
): Promise<TriedEvent> {
  const input: Input = { kind: "event", fields, text: JSON.stringify(fields), cutBytes: 0 };
  return await tried(input, { ...at, name: "PreToolUse" });
}

async function tried(
  input: Input,
  { name, home, projectDir, environment }:
    & Pick<
      TriedEvent,
      "home" | "projectDir" | "environment"
    >
    & {
      readonly name: string | undefined;
    },
): Promise<TriedEvent> {
  const sent = input.kind === "event" ? input.fields : {};
  const event = toEvent(sent, name);
  const isInputCut = input.cutBytes > 0;
  const looks = projectDir === null ? [] : lookUpwards(projectDir);
  const repository = repositoryAt(folderOf(sent), { projectDir, looks });
  return {
    event,
    sent,
    text: input.text,
    problem: input.kind === "unreadable" ? input.problem : null,
    sessionId: event.sessionId ??
      normalizeSessionId(environment.variable("CLAUDE_CODE_SESSION_ID")) ??
      UNKNOWN_SESSION_ID,
    transcriptPath: transcriptOf(sent),
    isInputCut,
    use: JUDGED.has(event.name)
      ? await askedUse({ environment, sent, isInputCut, home, projectDir, repository })
      : null,
    projectDir,
    repository,
    home,
    environment,
  };
}

/** What a hook would answer to the event; undefined where that cannot be tried without doing it. */
export async function answerTo(
  { use: _use, ...tried }: TriedEvent,
  from: {
    readonly config: HookConfig;
    readonly places: KnownPlaces;
    readonly locations: Locations;
    /** Open for reading; null when there is none. */
    readonly db: DatabaseSync | null;
  },
): Promise<Answer | undefined> {
  if (tried.problem !== null) return null;
  const load = LOOKING.get(tried.event.name);
  if (load === undefined) return undefined;
  const { config, places, locations, db } = from;
  const notices: string[] = [];
  const work: HookWork = {
    ...places,
    ...tried,
    maskedText: () => tried.text,
    cutBytes: 0,
    locations,
    atMs: tried.environment.now(),
    shownProjectDir: tried.projectDir,
    hide: (path) => path,
    claudePid: processNumber(tried.environment.variable("CLAUDE_PID")),
    config,
    // Nothing is stored, so handlers need not prepare content for it.
    keepsContent: false,
    mask: (texts) => Promise.resolve(texts),
    exclusion: () => Promise.resolve(null),
    db,
    notices,
    saved: null,
    fault: db === null ? "it cannot be read" : null,
    tell: (notice) => void notices.push(notice),
    saveBeside: () => {},
    save(draft) {
      // A draft that is a function decides while it runs, so it must run.
      if (typeof draft === "function") draft(db);
      return Promise.resolve();
    },
    spareDb: () => db,
  };
  const answer = await (await load()).handle(work);
  return notices.length === 0 ? answer : { ...answer, systemMessage: notices.join("\n") };
}
