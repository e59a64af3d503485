/** Reads what a person wants to be forgotten. */
import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../base/errors.ts";
import { leastForgetChars, MAX_FORGET_CHARS, textMatcher } from "../memory/forget_text.ts";
import { commandAgain, SAME_FILE, SAME_TEXT, unfinishedReceipts } from "../upkeep/store.ts";
import { findObservation, type ForgetFilter } from "../memory/store.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import { findQueueItems } from "../db/queue.ts";
import { type CliContext, typedPath } from "./context.ts";
import { queueItemOf } from "./record_lookup.ts";
import { projectMeant, wholePathOf } from "./project_filter.ts";
import { sessionFilterOf } from "./session_lookup.ts";
import { usageError, whyEmpty } from "./usage.ts";

/** Flags that say what is to be forgotten. */
export type ForgetFlags =
  & Partial<Readonly<Record<"session" | "project" | "file" | "text", string>>>
  & Partial<Readonly<Record<"since" | "until", number>>>;

/** What is to be forgotten. @throws {UserError} When nothing is named, or what is named is not there. */
export function forgetFilterOf(
  db: DatabaseSync,
  context: CliContext,
  { flags, ids }: { readonly flags: ForgetFlags; readonly ids: readonly string[] },
): ForgetFilter {
  requireChoice(flags, ids);
  return {
    ids: ids.length === 0 ? null : idsOf(db, ids),
    sessionId: sessionFilterOf(db, flags.session),
    project: flags.project === undefined ? null : projectMeant(db, context, flags.project),
    files: flags.file === undefined ? null : spellingsOf(db, context, flags.file),
    text: flags.text === undefined ? null : textMatcher(flags.text),
    sinceMs: flags.since ?? null,
    untilMs: flags.until ?? null,
  };
}

/** A filter for a text alone. @throws {UserError} When it is too short or too long. */
export function textFilterOf(text: string): ForgetFilter {
  requireText(text);
  const nothing = { ids: null, sessionId: null, project: null, files: null };
  return { ...nothing, text: textMatcher(text), sinceMs: null, untilMs: null };
}

/** The same command once more, without the text. */
export function forgetAgain(
  { session, project, file, text, since, until }: ForgetFlags,
  ids: readonly string[],
): string {
  return commandAgain({ ids, session, project, file, text, sinceMs: since, untilMs: until });
}

function requireChoice(
  { session, project, file, text, since, until }: ForgetFlags,
  ids: readonly string[],
): void {
  const given = [session, project, file, text, since, until].filter((one) => one !== undefined);
  if (given.length + ids.length === 0) {
    const flags = "--session, --project, --file, --text, --since, --until";
    throw refusal(`there is neither an id nor one of ${flags}`);
  }
  if (text !== undefined) requireText(text);
  // A command was pasted with its placeholder.
  if (text?.trim() === SAME_TEXT || file?.trim() === SAME_FILE) {
    throw refusal(
      `"${SAME_TEXT}" and "${SAME_FILE}" stand for what you mean: put that in their place; ` +
        "nothing was changed",
    );
  }
  const empty = whyEmpty({ since, until });
  if (empty !== null) throw refusal(empty);
}

function requireText(text: string): void {
  const { length } = text.trim();
  const least = leastForgetChars(text);
  if (length >= least && length <= MAX_FORGET_CHARS) return;
  const why = length < least
    ? `it has fewer than ${least} characters, and would be found everywhere`
    : `it has more than ${MAX_FORGET_CHARS} characters; a part of it is enough`;
  throw refusal(`${why}; nothing was changed`, "Cannot look for this text");
}

function refusal(why: string, what = "Cannot tell what to forget"): UserError {
  return usageError(what, { why, next: "conclaude memory forget --help" });
}

function idsOf(db: DatabaseSync, ids: readonly string[]) {
  const observations: number[] = [];
  const captures: string[] = [];
  for (const text of ids) {
    const isNumber = /^#?\d{1,15}$/.test(text);
    if (!isNumber && findQueueItems(db, text.trim().toLowerCase(), 2).length > 0) {
      captures.push(queueItemOf(db, text).id);
      continue;
    }
    const observation = findObservation(db, text.replace(/^#/, ""));
    if (observation !== null) observations.push(observation);
    else if (!isBeingForgotten(db, text)) {
      throw new UserError(`Cannot find "${text}"`, {
        why: "no observation has this number, and no capture such an id; nothing was changed",
        next: isNumber ? "conclaude memory list" : `conclaude memory search ${quoteWord(text)}`,
      });
    }
  }
  return { observations, captures, tasks: [] };
}

/** Whether an interrupted forget names the id: its row may be gone already. */
function isBeingForgotten(db: DatabaseSync, id: string): boolean {
  return unfinishedReceipts(db).some(({ chosen: { ids } }) =>
    Array.isArray(ids) && ids.includes(id)
  );
}

/** The spellings of a path: whole, and as it is typed where it lies in no known project. */
function spellingsOf(db: DatabaseSync, context: CliContext, text: string): string[] {
  const whole = typedPath(context, text);
  const inProject = wholePathOf(db, whole);
  const typed = text.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
  return [...new Set([whole, inProject ?? typed])];
}
