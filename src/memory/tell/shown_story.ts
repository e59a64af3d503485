/** Makes the fields of a session's story that `session show --json` prints. */
import type { DatabaseSync } from "node:sqlite";
import { countPending } from "../../db/captures.ts";
import { listExecutions } from "../../db/executions.ts";
import { sessionEnd, type SessionRow } from "../../db/sessions.ts";
import { readObservations } from "../drain/observations_table.ts";
import { observationsToSummarize } from "../observe/session_observations_table.ts";
import { endInWords } from "./ended_session.ts";
import { isUnmended } from "./open_ends.ts";
import { openAmong, openFailuresOf } from "./open_now.ts";
import { storyOf } from "./session_story.ts";
import { wantedIn } from "../project_paths.ts";

/** The most observations of a session that are read; the newest are. */
const MAX_PARTS = 5_000;

export type Line = Readonly<{ id: number; title: string }>;

/** The most failures of the project that are read, the newest first, so that a person does not wait long. */
const LOOKED_AT = 40;

/** The story of a session, as `session show --json` prints it. */
export type SessionStory = ReturnType<typeof sessionStory>;

export function sessionStory(
  db: DatabaseSync,
  { sessionId, title, projectDir, repository }: SessionRow,
) {
  const parts = observationsToSummarize(db, sessionId, MAX_PARTS);
  const story = storyOf(parts);
  const { asked, files, tests, todos } = story;
  const unmended = story.failed.filter(isUnmended);
  const nowMs = parts.at(-1)?.updatedAtMs ?? 0;
  const atEnd = openAmong(db, unmended, { nowMs, isGone: () => false });
  // A command that failed once in each of two sessions is open as well.
  const project = repository ?? projectDir;
  const listed = unmended.length === atEnd.length || project === null
    ? []
    : openFailuresOf(db, project, { nowMs: Date.now(), lookedAt: LOOKED_AT });
  const left = [
    ...atEnd,
    ...unmended.filter((one) => !atEnd.includes(one) && listed.some(({ id }) => id === one.id)),
  ];
  const lines = (parts: readonly Line[]) => parts.map(({ id, title }): Line => ({ id, title }));
  const end = sessionEnd(db, sessionId);
  const mending = new Map(
    readObservations(db, story.failed.flatMap(({ resolvedBy }) => resolvedBy ?? []))
      .flatMap((one) => one.sessionId === sessionId ? [[one.id, stepOf(one)] as const] : []),
  );
  return {
    /** The first prompt, null when none is known, and the number of prompts. */
    asked: { first: asked[0]?.title ?? title, count: asked.length },
    /** Every prompt in one line, with its step as `session log` names it. */
    prompts: asked.map(({ title, uid }) => ({ title, step: stepOf({ uid }) })),
    files,
    commits: lines(story.commits),
    /** The number of test runs that passed and failed. */
    tests,
    failed: story.failed.map(({ id, uid, title, resolvedBy }) => ({
      id,
      title,
      /** The observation that mended the failure, 0 when that was deleted; null while the failure is open. */
      mendedBy: resolvedBy,
      /** The step that failed, as `session log` names it. */
      step: stepOf({ uid }),
      /** The step that mended the failure; null while it is open, and when another session mended it. */
      mendedByStep: mending.get(resolvedBy ?? 0) ?? null,
    })),
    /** Tool uses that a gate denied, with the whole reasons. */
    denied: deniedIn(db, sessionId, projectDir),
    fixes: lines(story.fixes),
    decided: lines(story.decided),
    /** The titles of the failures that were open at the session's end, or are among the newest open ones; then the todos. */
    open: [...left.map(({ title }) => title), ...todos?.open ?? []],
    /** Claude's last message; null when none is known. */
    last: story.last || null,
    /** How the session ended, in words; null while it goes on. */
    end: end === null ? null : endInWords(end) || null,
    /** The number of captures that are not worked into memory yet, and so are missing in the story. */
    waiting: countPending(db, sessionId),
  };
}

/** Returns the step of an observation: the id of the capture with which its uid begins. */
function stepOf({ uid }: { readonly uid: string }): string {
  return uid.replace(/\/.*/, "");
}

function deniedIn(db: DatabaseSync, sessionId: string, folder: string | null) {
  const blocked = listExecutions(db, {
    sessionId,
    hookName: "PreToolUse",
    toolName: null,
    status: "blocked",
    sinceMs: null,
    limit: MAX_PARTS,
  });
  return blocked.reverse().map(({ toolName, metadata, errorMessage }) => ({
    tool: toolName ?? "",
    /** The command or the file of the tool use. */
    subject: wantedIn(metadata["tool_input"], folder),
    why: errorMessage ?? "",
    /** The names of the rules that denied it, as the audit trail has them. */
    rules: metadata["rules"] ?? [],
  }));
}
