/** Reads what a person wants to forget, and reports what `memory forget` did. */
import { count } from "../base/counts.ts";
import type { ForgetPreview, ForgetReport, Removed } from "../upkeep/forget/forget.ts";
import { folderOfProject } from "../memory/project_paths.ts";
import { isAbsolutePath } from "../base/paths.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import { findObservation, type ForgetFilter } from "../memory/store.ts";
import { type CliContext, typedPath } from "./context.ts";
import type { View } from "./view.ts";
import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../base/errors.ts";
import { leastForgetChars, MAX_FORGET_CHARS, textMatcher } from "../memory/forget_text.ts";
import { SAME_FILE, SAME_TEXT, unfinishedReceipts } from "../upkeep/store.ts";
import { findQueueItems } from "../db/queue.ts";
import { queueItemOf, sessionFilterOf } from "./session_lookup.ts";
import { projectMeant, type UnknownFilter, unknownText, wholePathOf } from "./memory_filter.ts";
import { usageError, whyEmpty } from "./usage.ts";

export type ForgetFlags =
  & Partial<Readonly<Record<"session" | "project" | "file" | "text", string>>>
  & Partial<Readonly<Record<"since" | "until", number>>>;

/** Reads the choice of what to forget. @throws {UserError} If nothing is named, or something named does not exist. */
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

/** Makes a filter for a text alone. @throws {UserError} If the text is too short or too long. */
export function textFilterOf(text: string): ForgetFilter {
  requireText(text);
  const nothing = { ids: null, sessionId: null, project: null, files: null };
  return { ...nothing, text: textMatcher(text), sinceMs: null, untilMs: null };
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
  // A person has pasted a command with its placeholder.
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

/** Tells whether an interrupted forget names the id; its row may be gone already. */
function isBeingForgotten(db: DatabaseSync, id: string): boolean {
  return unfinishedReceipts(db).some(({ chosen: { ids } }) =>
    Array.isArray(ids) && ids.includes(id)
  );
}

/** Returns the spellings of a path: absolute, and below its project's folder, or as typed outside known projects. */
function spellingsOf(db: DatabaseSync, context: CliContext, text: string): string[] {
  const whole = typedPath(context, text);
  const inProject = wholePathOf(db, whole);
  const typed = text.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
  return [...new Set([whole, inProject ?? typed])];
}

/** The most observations and transcripts that a report names. */
const MAX_NUMBERS = 10;
const MAX_TRANSCRIPTS = 12;

/** The nouns of things that are removed whole. */
const GONE: Readonly<Record<string, readonly [one: string, many: string]>> = {
  observations: ["observation", "observations"],
  captures: ["capture", "captures"],
  spool: ["place in the spool", "places in the spool"],
  logs: ["place in logs", "places in logs"],
  agentFiles: ["place in the files of agents", "places in the files of agents"],
  unusedRoom: ["remain in unused room", "remains in unused room"],
};

/** The nouns of things that stay and lose a part of their text. */
const QUOTING: typeof GONE = {
  remade: ["observation", "observations"],
  hook_executions: ["audit row", "audit rows"],
  sessions: ["session", "sessions"],
  tasks: ["task", "tasks"],
  questions: ["question", "questions"],
  events: ["event", "events"],
};

/** Formats counts for a sentence: `2 observations, 1 capture, and what 3 audit rows say of it`. */
export function removedText({ importedSummaries: imported = 0, ...removed }: Removed): string {
  const same = imported === 1 ? "an imported summary that tells" : "imported summaries that tell";
  const gone: string[] = [];
  const quoting: string[] = [];
  for (const [name, n] of Object.entries(removed)) {
    const noun = GONE[name];
    const hint = name === "observations" && imported > 0
      ? ` (${imported} of them ${same} the same)`
      : "";
    if (noun !== undefined) gone.push(count(n, ...noun) + hint);
    else quoting.push(count(n, ...QUOTING[name] ?? [`row of ${name}`, `rows of ${name}`]));
  }
  const verb = quoting.length === 1 && quoting[0]!.startsWith("1 ") ? "says" : "say";
  const quotedText = quoting.length === 0 ? "" : `what ${quoting.join(", ")} ${verb} of it`;
  return [gone.join(", "), quotedText].filter((part) => part !== "").join(", and ") || "nothing";
}

export function isNone({ removed }: Pick<ForgetPreview, "removed">): boolean {
  return Object.keys(removed).length === 0;
}

/** Returns the chosen file, if possible its absolute path; undefined if no file is chosen. */
export function fileMeant({ files }: ForgetFilter): string | undefined {
  return files?.findLast(isAbsolutePath) ?? files?.at(-1);
}

/** Names the chosen project and file, since they may be others than the person thinks. */
export function ofWhat(filter: ForgetFilter): string {
  const file = fileMeant(filter);
  const project = filter.project && `, of the project ${folderOfProject(filter.project)}`;
  const named = (project ?? "") + (file === undefined ? "" : `, about ${file}`);
  return named === "" ? "" : `${named}:`;
}

/** Shows what would be removed. `isDry` is false if nothing fits, so that nothing was done. */
export function previewView(
  preview: ForgetPreview,
  { isDry, filter, unknown, removals }: {
    readonly isDry: boolean;
    /** Lines for the observations that would be removed. */
    readonly removals: readonly string[];
    readonly filter: ForgetFilter;
    readonly unknown: readonly UnknownFilter[];
  },
): View {
  const { removed, copies, copiesThatMay, transcripts, forms } = preview;
  const { json, text } = remainsOf(preview, {
    madeAnew: "The same would be forgotten in the copy:",
    removed: "Would remove, since nobody can tell what is in it:",
  });
  const none = `Nothing fits; nothing ${isDry ? "would be removed" : "was changed"}.`;
  return {
    json: {
      receipt: null,
      ...isDry
        ? { dryRun: true, wouldRemove: removed, ...json }
        : { left: [], copies, copiesThatMay, transcripts, otherForms: forms },
      ...unknown.length > 0 && { unknown },
    },
    text: [
      isNone(preview) ? none : `Would remove${ofWhat(filter)} ${removedText(removed)}.`,
      ...removals,
      // The proposed command is a dry run, since the known name may not be the one that the person means.
      ...unknownText(unknown, "conclaude memory forget --dry-run"),
      ...text,
    ],
    // An unknown project is a mistake, like an unknown session; an unknown file may have been forgotten before.
    exitCode: unknown.some(({ flag }) => flag === "project") ? 1 : 0,
  };
}

/** Shows what was removed and what is left. */
export function reportView(report: ForgetPreview & ForgetReport): View {
  const { id, removed, left } = report;
  const { json, text } = remainsOf(report, {
    madeAnew: "The same was forgotten in the copy:",
    removed: "Removed, since nobody can tell what is in it:",
  });
  return {
    json: { receipt: { id, removed }, left, ...json },
    text: [
      isNone(report)
        ? "Finished what was stopped: nothing of it was left."
        : `Forgot ${removedText(removed)}.`,
      ...left.map((line) => `left: ${line}`),
      ...text,
      `receipt ${id}`,
      `Whether it stays gone: conclaude memory verify ${id}`,
    ],
    exitCode: left.length === 0 ? 0 : 1,
  };
}

/** Reports copies, transcripts and observations that still hold the forgotten, as fields and as lines. */
function remainsOf(
  { copies, copiesThatMay, ownCopies, transcripts, forms, toldBy }: Omit<
    ForgetPreview,
    "removed" | "observations" | "along"
  >,
  words: Readonly<Record<keyof ForgetPreview["ownCopies"], string>>,
): { readonly json: Record<string, unknown>; readonly text: string[] } {
  const otherForms = new Map(forms.map((form) => [form.as, form])).values();
  const more = transcripts.length - MAX_TRANSCRIPTS;
  return {
    json: {
      copies,
      copiesThatMay,
      copiesMadeAnew: ownCopies.madeAnew,
      copiesRemoved: ownCopies.removed,
      transcripts,
      toldBy,
      otherForms: forms,
    },
    text: [
      ...[...otherForms].flatMap(({ as, observation }) => [
        `#${observation} has it in another form, and stays: ${as}`,
        `  next: conclaude memory forget --text ${quoteWord(as)}`,
      ]),
      ...toldBy.length === 0 ? [] : [
        `Observations that stay tell some of the same: ${numbersOf(toldBy)}.`,
        `  next: conclaude memory forget ${toldBy.slice(0, MAX_NUMBERS).join(" ")}`,
      ],
      ...namedBehind(words.madeAnew, ownCopies.madeAnew),
      ...namedBehind(words.removed, ownCopies.removed),
      ...namedBehind("A copy that is not touched holds it:", copies),
      ...namedBehind("A copy that is not touched may hold it:", copiesThatMay),
      ...namedBehind(
        "Claude Code's own transcript has it, and is not touched:",
        transcripts.slice(0, MAX_TRANSCRIPTS),
      ),
      ...more > 0 ? [`and ${more} more, which \`--json\` names`] : [],
    ],
  };
}

/** Puts one path behind a sentence, or several below it. */
function namedBehind(sentence: string, paths: readonly string[]): string[] {
  const [first, ...others] = paths;
  if (first === undefined) return [];
  return others.length === 0
    ? [`${sentence} ${first}`]
    : [sentence, ...[first, ...others].map((path) => `  ${path}`)];
}

/** Lists the first numbers and counts the rest. */
export function numbersOf(ids: readonly number[]): string {
  const more = ids.length - MAX_NUMBERS;
  const named = ids.slice(0, MAX_NUMBERS).map((id) => `#${id}`).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}
