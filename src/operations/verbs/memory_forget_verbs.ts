/** Forgets what a person chooses, reports what was removed and what is left, and verifies it later. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { UserError } from "../../base/errors.ts";
import { isAbsolutePath } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { identifyDatabase } from "../../db/database_identity.ts";
import { findQueueItems } from "../../db/queue.ts";
import { lateRedaction } from "../../memory/drain/late_redaction.ts";
import { leastForgetChars, MAX_FORGET_CHARS, textMatcher } from "../../memory/forget_text.ts";
import { folderOfProject } from "../../memory/project_paths.ts";
import { observationLine } from "../../memory/search/observation_view.ts";
import {
  findObservation,
  type ForgetFilter,
  readObservations,
  textAlone,
} from "../../memory/store.ts";
import { laggingMachines } from "../../team/store.ts";
import { requireOurs } from "../../upkeep/care/require_ours.ts";
import {
  type ForgetPreview,
  type ForgetReport,
  previewForget,
  runForget,
} from "../../upkeep/forget/forget.ts";
import { type ForgetPlace, transcriptsWith } from "../../upkeep/forget/forget_files.ts";
import { bytesLeft, verifyReceipt } from "../../upkeep/forget/forget_proof.ts";
import {
  commandAgain,
  findReceipts,
  forgottenDigest,
  namesOfReceipt,
  SAME_FILE,
  SAME_TEXT,
  stoppedReceipt,
  unfinishedReceipts,
} from "../../upkeep/store.ts";
import { type CliContext, typedPath } from "../context.ts";
import { proposing, SHARED, text, textFlag, timeFlag, toggle } from "../flags.ts";
import { nextHere } from "../next_command.ts";
import { keptPlace, lookIntoStore, openAt } from "../open_store.ts";
import {
  projectMeant,
  type UnknownFilter,
  unknownFilters,
  unknownText,
  wholePathOf,
} from "../memory_filter.ts";
import { queueItemOf, sessionFilterOf } from "../session_lookup.ts";
import { drainSpool, takeInSpool } from "../spool_drain.ts";
import { laggingLines } from "../team_text.ts";
import type { Lines } from "../table.ts";
import { confirmOrThrow, listFirst, progressLine } from "../terminal.ts";
import { usageError, whyEmpty } from "../usage.ts";
import { many, verb, type View } from "../verb.ts";

export const forget = verb({
  person: "memory forget",
  args: many(proposing("observation", text("Number of an observation, or id of a capture", "id"))),
  flags: {
    session: {
      ...SHARED.session,
      brief: "What was seen in this session, by its id or the beginning of it",
    },
    project: textFlag("What was seen in this project", "folder"),
    file: textFlag("What was done to this file, or to those in this folder", "path"),
    text: textFlag("Everything that holds this text, in letters of either case"),
    since: timeFlag(
      "What was seen since then: an age (30m, 2h, 3d, 1w) or a date (2026-11-20)",
      { isExact: true },
    ),
    until: timeFlag("What was seen until then", { isExact: true }),
    dryRun: toggle("Say what would be removed, and remove nothing"),
    yes: SHARED.yes,
  },
  async run(context, { dryRun, yes, ...flags }, ...ids) {
    const place = await forgetPlace(context, { mayMigrate: !dryRun });
    using progress = progressLine(context);
    const { tell } = progress;
    const redact = await lateRedaction(place.redactPatterns);
    const looked = await lookIntoStore(context, (db) => {
      const filter = forgetFilterOf(db, context, { flags, ids });
      // The receipt has the file and the text only as digests. JSON leaves out what is undefined.
      const chosen = (salt: string) => ({
        ids: ids.length > 0 ? ids : undefined,
        session: filter.sessionId ?? undefined,
        project: filter.project ?? undefined,
        file: flags.file === undefined ? undefined : forgottenDigest(salt, flags.file),
        text: flags.text === undefined ? undefined : forgottenDigest(salt, flags.text),
        sinceMs: flags.since,
        untilMs: flags.until,
      });
      const found = previewForget(db, place, { filter, redact, nowMs: Date.now(), tell });
      const unknown = !isNone(found) ? [] : unknownFilters(db, flags, {
        ...filter,
        file: chosenFile(filter) ?? null,
      });
      const isStopped = stoppedReceipt(db, chosen) !== undefined;
      return { filter, chosen, found, unknown, isStopped, lines: observationLines(db, found) };
    });
    const { filter, chosen, unknown, isStopped, lines } = looked;
    let preview = looked.found;
    const text = textAlone(filter);
    if (text !== null && isNone(preview)) {
      // Earlier removals may have left the text in unused space of the database.
      const { tables, log, forms } = bytesLeft(place, text);
      const isUnused = tables.length > 0 || log;
      preview = { ...preview, forms, ...(isUnused && { removed: { unusedRoom: 1 } }) };
    }
    const transcripts = () => transcriptsWith(preview.transcripts, filter);
    progress.end();
    const isNothing = isNone(preview);
    if (dryRun || isNothing && !isStopped) {
      // The proposed command is a dry run, since the known name may not be the one that the person means.
      const command = ["conclaude memory forget", ...ids.map(quoteWord), "--dry-run"].join(" ");
      const hints = unknownText(unknown, command, { ...flags, text: flags.text && SAME_TEXT });
      const how = { dryRun, filter, unknown, hints, lines };
      return previewView({ ...preview, transcripts: transcripts() }, how);
    }
    const again = commandAgain(chosen(""));
    if (!yes) {
      confirmOrThrow(context, {
        what: "forget it",
        shows: lines,
        ask: isNothing
          ? "Nothing of it is in a row any more. Finish what was stopped?"
          : `Remove for good${ofWhat(filter) || ":"} ${removedText(preview.removed)}?`,
        again: again.endsWith("--yes") ? again : `${again} --yes`,
      });
    }
    const report = await runForget(place, {
      filter,
      chosen,
      text: flags.text ?? null,
      again,
      isUnused: "unusedRoom" in preview.removed,
      redact,
      nowMs: Date.now(),
      tell,
    });
    return reportView({ ...preview, ...report, transcripts: transcripts() });
  },
});

export const verify = verb({
  args: [text("Id of a receipt, or its beginning", "receipt")],
  flags: { text: textFlag("The text that was forgotten: every byte is looked through for it") },
  async run(context, flags, id) {
    const place = await forgetPlace(context, { mayMigrate: true });
    const receipt = await lookIntoStore(context, (db) => {
      const [receipt, other] = findReceipts(db, id, 2);
      if (receipt !== undefined && other === undefined) return receipt;
      throw new UserError(`Cannot find the receipt "${id}"`, {
        why: `${receipt === undefined ? "no id begins" : "several ids begin"} like this`,
        next: "conclaude memory verify --help",
      });
    });
    if (flags.text !== undefined) requireText(flags.text);
    const found = await verifyReceipt(place, receipt, flags.text ?? null);
    const problems = found.map((one) => ({ ...one, next: nextHere(one.next, context.globals) }));
    // The machines of a team that have not yet forgotten what the receipt names.
    const lagging = await lookIntoStore(context, (db) => {
      const uids = namesOfReceipt(db, receipt.id).map((name) => name.replace(/^task\//, ""));
      return laggingMachines(db, { project: null, uids });
    });
    const { salt: _salt, digests: _digests, textDigest, ...shownReceipt } = receipt;
    const ok = problems.length === 0;
    const removed = removedText(receipt.removed);
    const isText = textDigest !== null;
    return {
      json: { ok, receipt: { ...shownReceipt, isText }, problems, ...lagging },
      text: [
        ok && `Everything that the receipt ${receipt.id} names is gone: ${removed}.`,
        ok && isText && flags.text === undefined &&
        "With --text every byte is looked through for the text again.",
        problems.flatMap(({ message, next }) => [message, `  next: ${next}`]),
        laggingLines(lagging),
      ],
      exitCode: ok ? 0 : 1,
    };
  },
});

/** Finds the database and takes in its spool. @throws {UserError} If it is off, foreign, or too old to look into. */
export async function forgetPlace(
  context: CliContext,
  { mayMigrate }: { readonly mayMigrate: boolean },
): Promise<ForgetPlace & { readonly redactPatterns: readonly string[] }> {
  const { locations: { home, dataFolder, spoolFolders } } = context;
  const place = await keptPlace(context, "forget");
  const { database, config: { busyTimeoutMs, redactPatterns } } = place;
  const { kind } = identifyDatabase(database);
  if (kind === "older" && !mayMigrate) {
    throw new UserError("Cannot look for what would be forgotten", {
      why: "the database has an older schema; nothing was changed",
      next: "conclaude db migrate",
    });
  }
  if (kind === "ours" || kind === "older") {
    const { db } = await openAt(context, place, database);
    takeInSpool(db, { database, folders: spoolFolders });
    db.close();
  } else if (kind !== "missing" && kind !== "empty") requireOurs("Cannot forget", database);
  return { home, database, dataFolder, spoolFolders, busyTimeoutMs, drainSpool, redactPatterns };
}

type ForgetFlags =
  & Partial<Readonly<Record<"session" | "project" | "file" | "text", string>>>
  & Partial<Readonly<Record<"since" | "until", number>>>;

/** Reads the choice of what to forget. @throws {UserError} If nothing is named, or something named does not exist. */
function forgetFilterOf(
  db: DatabaseSync,
  context: CliContext,
  { flags, ids }: { readonly flags: ForgetFlags; readonly ids: readonly string[] },
): ForgetFilter {
  const { session, project, file, text, since, until } = flags;
  if (ids.length === 0 && Object.values(flags).every((value) => value === undefined)) {
    const named = "--session, --project, --file, --text, --since, --until";
    throw refusal(`there is neither an id nor one of ${named}`);
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
  return {
    ids: ids.length === 0 ? null : idsOf(db, ids),
    sessionId: sessionFilterOf(db, session),
    project: project === undefined ? null : projectMeant(db, context, project),
    files: file === undefined ? null : spellingsOf(db, context, file),
    text: text === undefined ? null : textMatcher(text),
    sinceMs: since ?? null,
    untilMs: until ?? null,
  };
}

/** @throws {UserError} If the text is too short or too long. */
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
  // An interrupted run names ids whose rows may be gone already.
  const isBeingForgotten = (id: string) =>
    unfinishedReceipts(db).some(({ chosen: { ids } }) => Array.isArray(ids) && ids.includes(id));
  for (const text of ids) {
    const isNumber = /^#?\d{1,15}$/.test(text);
    if (!isNumber && findQueueItems(db, text.trim().toLowerCase(), 2).length > 0) {
      captures.push(queueItemOf(db, text).id);
      continue;
    }
    const observation = findObservation(db, text.replace(/^#/, ""));
    if (observation !== null) observations.push(observation);
    else if (!isBeingForgotten(text)) {
      throw new UserError(`Cannot find "${text}"`, {
        why: "no observation has this number, and no capture such an id; nothing was changed",
        next: isNumber ? "conclaude memory list" : `conclaude memory search ${quoteWord(text)}`,
      });
    }
  }
  return { observations, captures, tasks: [] };
}

/** Returns the spellings of a path: absolute, and below its project's folder, or as typed outside known projects. */
function spellingsOf(db: DatabaseSync, context: CliContext, text: string): string[] {
  const whole = typedPath(context, text);
  const inProject = wholePathOf(db, whole);
  const typed = text.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
  return [...new Set([whole, inProject ?? typed])];
}

/** Returns the chosen file, if possible its absolute path; undefined if no file is chosen. */
function chosenFile({ files }: ForgetFilter): string | undefined {
  return files?.findLast(isAbsolutePath) ?? files?.at(-1);
}

const MAX_NUMBERS = 10;
const MAX_TRANSCRIPTS = 12;

/** Lists the newest observations to remove, counts the others, and names those removed because they tell of them. */
function observationLines(db: DatabaseSync, { observations, along }: ForgetPreview): string[] {
  const lines = listFirst(
    observations.toSorted((a, b) => b - a),
    (ids) => readObservations(db, ids).map((one) => observationLine(one, Date.now())),
  );
  const why = `  Fixes and summaries that tell of them go too: ${numbersOf(along)}.`;
  return along.length === 0 ? lines : [...lines, why];
}

/** The nouns of things that are removed whole, and where they are. */
const GONE: Readonly<Record<string, readonly [noun: string, where?: string]>> = {
  observations: ["observation"],
  captures: ["capture"],
  spool: ["place", " in the spool"],
  logs: ["place", " in logs"],
  agentFiles: ["place", " in the files of agents"],
  unusedRoom: ["remain", " in unused room"],
};

/** The nouns of things that stay and lose a part of their text. */
const QUOTING: Readonly<Record<string, string>> = {
  remade: "observation",
  hook_executions: "audit row",
  sessions: "session",
  tasks: "task",
  questions: "question",
  events: "event",
};

/** Formats counts for a sentence: `2 observations, 1 capture, and what is said of it in 3 audit rows`. */
function removedText(
  { importedSummaries: imported = 0, ...removed }: Readonly<Record<string, number>>,
): string {
  const gone: string[] = [];
  const quoting: string[] = [];
  for (const [name, n] of Object.entries(removed)) {
    const [noun, where = ""] = GONE[name] ?? [];
    const quoted = QUOTING[name];
    if (noun !== undefined) gone.push(count(n, noun) + where);
    else if (quoted !== undefined) quoting.push(count(n, quoted));
    else quoting.push(count(n, `row of ${name}`, `rows of ${name}`));
    if (name === "observations" && imported > 0) {
      gone.push(`of them ${count(imported, "imported summary", "imported summaries")} of the same`);
    }
  }
  const quotedText = quoting.length === 0 ? "" : `what is said of it in ${quoting.join(", ")}`;
  return [gone.join(", "), quotedText].filter((part) => part !== "").join(", and ") || "nothing";
}

function isNone({ removed }: Pick<ForgetPreview, "removed">): boolean {
  return Object.keys(removed).length === 0;
}

/** Names the chosen project and file, since they may be others than the person thinks. */
function ofWhat(filter: ForgetFilter): string {
  const file = chosenFile(filter);
  const named = (filter.project ? `, of the project ${folderOfProject(filter.project)}` : "") +
    (file === undefined ? "" : `, about ${file}`);
  return named && `${named}:`;
}

/** Shows what would be removed. Without a dry run nothing fits, so that nothing was done. */
function previewView(
  preview: ForgetPreview,
  { dryRun, filter, unknown, hints, lines }: {
    readonly dryRun: boolean;
    readonly filter: ForgetFilter;
    readonly unknown: readonly UnknownFilter[];
    readonly hints: readonly string[];
    readonly lines: readonly string[];
  },
): View {
  const { removed, copies, copiesThatMay, transcripts, forms } = preview;
  const { json, text } = remainsOf(preview, {
    madeAnew: "The same would be forgotten in the copy:",
    removed: "Would remove, since nobody can tell what is in it:",
  });
  return {
    json: {
      receipt: null,
      ...dryRun
        ? { dryRun, wouldRemove: removed, ...json }
        : { left: [], copies, copiesThatMay, transcripts, otherForms: forms },
      ...unknown.length > 0 && { unknown },
    },
    text: [
      isNone(preview)
        ? `Nothing fits; nothing ${dryRun ? "would be removed" : "was changed"}.`
        : `Would remove${ofWhat(filter)} ${removedText(removed)}.`,
      lines,
      hints,
      text,
    ],
    // An unknown project is a mistake, like an unknown session; an unknown file may have been forgotten before.
    exitCode: unknown.some(({ flag }) => flag === "project") ? 1 : 0,
  };
}

function reportView(report: ForgetPreview & ForgetReport): View {
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
      left.map((line) => `left: ${line}`),
      text,
      `receipt ${id}`,
      `Whether it stays gone: conclaude memory verify ${id}`,
    ],
    exitCode: left.length === 0 ? 0 : 1,
  };
}

/** Reports copies, transcripts and observations that still hold the forgotten, as fields and as lines. */
function remainsOf(
  { copies, copiesThatMay, ownCopies: { madeAnew, removed }, transcripts, forms, toldBy }:
    ForgetPreview,
  words: Readonly<Record<keyof ForgetPreview["ownCopies"], string>>,
) {
  const own = { copiesMadeAnew: madeAnew, copiesRemoved: removed };
  const otherForms = new Map(forms.map((form) => [form.as, form])).values();
  const named = transcripts.slice(0, MAX_TRANSCRIPTS);
  const more = transcripts.length - named.length;
  return {
    json: { copies, copiesThatMay, ...own, transcripts, toldBy, otherForms: forms },
    text: [
      ...otherForms.map(({ as, observation }) => [
        `#${observation} has it in another form, and stays: ${as}`,
        `  next: conclaude memory forget --text ${quoteWord(as)}`,
      ]),
      toldBy.length > 0 && [
        `Observations that stay tell some of the same: ${numbersOf(toldBy)}.`,
        `  next: conclaude memory forget ${toldBy.slice(0, MAX_NUMBERS).join(" ")}`,
      ],
      namedBehind(words.madeAnew, madeAnew),
      namedBehind(words.removed, removed),
      namedBehind("A copy that is not touched holds it:", copies),
      namedBehind("A copy that is not touched may hold it:", copiesThatMay),
      namedBehind("Claude Code's own transcript has it, and is not touched:", named),
      more > 0 && `and ${more} more, which \`--json\` names`,
    ],
  };
}

/** Puts one path behind a sentence, or several below it. */
function namedBehind(sentence: string, paths: readonly string[]): Lines {
  if (paths.length === 1) return `${sentence} ${paths[0]}`;
  return paths.length > 1 && [sentence, ...paths.map((path) => `  ${path}`)];
}

function numbersOf(ids: readonly number[]): string {
  const more = ids.length - MAX_NUMBERS;
  const named = ids.slice(0, MAX_NUMBERS).map((id) => `#${id}`).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}
