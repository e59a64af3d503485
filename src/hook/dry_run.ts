/** A hook event as it would be answered, and nothing done about it: for a person who tries the rules. */
import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../config/hook_config.ts";
import type { AskedUse } from "../gate/judge.ts";
import { repositoryOf } from "../git/repository.ts";
import { normalizeSessionId, processNumber, UNKNOWN_SESSION_ID } from "../ids.ts";
import { readVariable } from "../paths.ts";
import { lookUpwards } from "../project/look.ts";
import type { Answer, HookWork } from "./handler.ts";
import { askedUse } from "./pre_tool_use.ts";
import {
  folderOf,
  type HookEvent,
  type Input,
  parseInput,
  readStdin,
  toEvent,
} from "./protocol.ts";

/** An event that was read and not handled yet. */
export interface TriedEvent {
  readonly event: HookEvent;
  /** Why stdin holds no event; null when it does. */
  readonly problem: string | null;
  /** What the rules about tools are asked; null for an event that asks nothing. */
  readonly use: AskedUse | null;
  /** Where the configuration is looked for; null when nothing tells. */
  readonly projectDir: string | null;
  readonly input: Input;
}

/** The events about which the rules for tools are asked. */
const JUDGED: ReadonlySet<string> = new Set(["PreToolUse", "PermissionRequest"]);

/** Handlers that only look and record. Of any other, running it would do something. */
const LOOKING = new Map([
  ["PreToolUse", () => import("./pre_tool_use.ts")],
  ["PermissionRequest", () => import("./pre_tool_use.ts")],
  ["PostToolUse", () => import("./post_tool_use.ts")],
  ["PostToolUseFailure", () => import("./post_tool_use.ts")],
  ["SessionStart", () => import("./session_start.ts")],
]);

/** Reads the event from stdin. @param name As on the command line of a hook. */
export function readEvent(name: string | undefined, home: string | null): TriedEvent {
  const input = parseInput(readStdin());
  const sent = input.kind === "event" ? input.fields : {};
  const event = toEvent(sent, name);
  const projectDir = readVariable("CLAUDE_PROJECT_DIR") ?? folderOf(sent);
  return {
    event,
    problem: input.kind === "unreadable" ? input.problem : null,
    use: JUDGED.has(event.name) ? askedUse({ event, sent, home, projectDir }) : null,
    projectDir,
    input,
  };
}

/**
 * What a hook would write to stdout for the event.
 *
 * @returns `undefined` for an event whose handling cannot be tried without doing it.
 */
export async function answerTo(
  { event, problem, projectDir, input }: TriedEvent,
  from: {
    readonly config: HookConfig;
    /** Open for reading; null when there is none. */
    readonly db: DatabaseSync | null;
    readonly home: string | null;
  },
): Promise<Answer | undefined> {
  if (problem !== null) return null;
  const load = LOOKING.get(event.name);
  if (load === undefined) return undefined;
  const { config, db, home } = from;
  const sent = input.kind === "event" ? input.fields : {};
  const notices: string[] = [];
  const work: HookWork = {
    event,
    sent,
    text: input.text,
    problem,
    atMs: Date.now(),
    sessionId: event.sessionId ?? normalizeSessionId(readVariable("CLAUDE_CODE_SESSION_ID")) ??
      UNKNOWN_SESSION_ID,
    projectDir,
    shownProjectDir: projectDir,
    repository: repositoryOf(projectDir === null ? [] : lookUpwards(projectDir), folderOf(sent)),
    home,
    claudePid: processNumber(readVariable("CLAUDE_PID")),
    config,
    // Nothing is kept, so nothing has to be prepared for it.
    keepsContent: false,
    mask: (texts) => Promise.resolve(texts),
    exclusion: () => Promise.resolve(null),
    db,
    notices,
    saved: null,
    tell: (notice) => void notices.push(notice),
    save(draft) {
      // Some decide while they save.
      if (typeof draft === "function") draft(db);
      return Promise.resolve();
    },
    spareDb: () => db,
  };
  const answer = await (await load()).handle(work);
  return notices.length === 0 ? answer : { ...answer, systemMessage: notices.join("\n") };
}
