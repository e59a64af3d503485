/** Makes the fields of a session's story that `session show --json` prints. */
import type { DatabaseSync } from "node:sqlite";
import { countPending } from "../../db/captures.ts";
import { listExecutions } from "../../db/executions.ts";
import { sessionEnd, type SessionRow } from "../../db/sessions.ts";
import { observationsToSummarize, readObservations } from "../store.ts";
import { endInWords } from "./ended_session.ts";
import { isUnmended } from "./open_ends.ts";
import { openAmong } from "./open_now.ts";
import { storyOf } from "./session_story.ts";
import { wantedIn } from "../project_paths.ts";

/** The most observations of a session that are read; the newest are. */
const MAX_PARTS = 5_000;

export interface Line {
  readonly id: number;
  readonly title: string;
}

/** The story of a session, as `session show --json` prints it. */
export interface SessionStory {
  /** The first prompt, null when none is known, and the number of prompts. */
  readonly asked: { readonly first: string | null; readonly count: number };
  /** Every prompt in one line, with its step as `session log` numbers it. */
  readonly prompts: readonly { readonly title: string; readonly step: string }[];
  readonly files: readonly {
    readonly path: string;
    readonly added: number;
    readonly removed: number;
  }[];
  readonly commits: readonly Line[];
  /** The number of test runs that passed and failed. */
  readonly tests: { readonly green: number; readonly red: number };
  readonly failed: readonly (Line & {
    /** The observation that mended the failure, 0 when that was deleted; null while the failure is open. */
    readonly mendedBy: number | null;
    /** The step that failed, as `session log` numbers it. */
    readonly step: string;
    /** The step that mended the failure; null while it is open, and when another session mended it. */
    readonly mendedByStep: string | null;
  })[];
  /** Tool uses that a gate denied, with the whole reasons. */
  readonly denied: readonly {
    readonly tool: string;
    /** The command or the file of the tool use. */
    readonly subject: string;
    readonly why: string;
    /** The names of the rules that denied it, as the audit trail has them. */
    readonly rules: unknown;
  }[];
  readonly fixes: readonly Line[];
  readonly decided: readonly Line[];
  /** The titles of the failures that were open at the session's end, by the rules of `memory open`; then the todos. */
  readonly open: readonly string[];
  /** Claude's last message; null when none is known. */
  readonly last: string | null;
  /** How the session ended, in words; null while it goes on. */
  readonly end: string | null;
  /** The number of captures that are not worked into memory yet, and so are missing in the story. */
  readonly waiting: number;
}

export function sessionStory(
  db: DatabaseSync,
  { sessionId, title, projectDir }: SessionRow,
): SessionStory {
  const parts = observationsToSummarize(db, sessionId, MAX_PARTS);
  const story = storyOf(parts);
  const { asked, files, tests, todos } = story;
  const left = openAmong(db, story.failed.filter(isUnmended), {
    nowMs: parts.at(-1)?.updatedAtMs ?? 0,
    isGone: () => false,
  });
  const lines = (parts: readonly Line[]) => parts.map(({ id, title }) => ({ id, title }));
  const end = sessionEnd(db, sessionId);
  const mending = new Map(
    readObservations(db, story.failed.flatMap(({ resolvedBy }) => resolvedBy ?? []))
      .flatMap((one) => one.sessionId === sessionId ? [[one.id, stepOf(one)] as const] : []),
  );
  return {
    asked: { first: asked[0]?.title ?? title, count: asked.length },
    prompts: asked.map(({ title, uid }) => ({ title, step: stepOf({ uid }) })),
    files,
    commits: lines(story.commits),
    tests,
    failed: story.failed.map(({ id, uid, title, resolvedBy }) => ({
      ...{ id, title, mendedBy: resolvedBy, step: stepOf({ uid }) },
      mendedByStep: mending.get(resolvedBy ?? 0) ?? null,
    })),
    denied: deniedIn(db, sessionId, projectDir),
    fixes: lines(story.fixes),
    decided: lines(story.decided),
    open: [...left.map(({ title }) => title), ...todos?.open ?? []],
    last: story.last || null,
    end: end === null ? null : endInWords(end) || null,
    waiting: countPending(db, sessionId),
  };
}

/** Returns the step of an observation: the id of the capture with which its uid begins. */
function stepOf({ uid }: { readonly uid: string }): string {
  return uid.replace(/\/.*/, "");
}

function deniedIn(
  db: DatabaseSync,
  sessionId: string,
  folder: string | null,
): SessionStory["denied"] {
  const blocked = listExecutions(db, {
    ...{ sessionId, hookName: "PreToolUse", toolName: null, status: "blocked" },
    ...{ sinceMs: null, limit: MAX_PARTS },
  });
  return blocked.reverse().map(({ toolName, metadata, errorMessage }) => ({
    tool: toolName ?? "",
    subject: wantedIn(metadata["tool_input"], folder),
    why: errorMessage ?? "",
    rules: metadata["rules"] ?? [],
  }));
}
