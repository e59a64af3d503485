/** What `memory forget` says. */
import { plain } from "../capture/plain.ts";
import type { ForgetReport } from "../maintenance/forget.ts";
import type { ForgetPreview } from "../maintenance/forget_preview.ts";
import { isAbsolutePath } from "../paths.ts";
import { folderOfProject } from "../memory/paths.ts";
import { quoteWord } from "../settings/hooks.ts";
import type { ForgetFilter } from "../store/forget_choice.ts";
import type { CliContext } from "./context.ts";
import { nextHere } from "./next_command.ts";
import type { UnknownFilter } from "./unknown_filter.ts";
import type { View } from "./view.ts";
import type { Removed } from "../maintenance/forget_scope.ts";
import { count } from "../counts.ts";

/** So many are named of the observations that tell the same. */
const MAX_NUMBERS = 10;
/** So many lines are given to transcripts. */
const MAX_TRANSCRIPTS = 12;

/** Observations that stay, and tell the same as what goes. */
export interface Related {
  /** What a fix or a summary was made of that is forgotten by its number. */
  readonly madeOf: readonly number[];
  /** What was made of the same captures besides. */
  readonly besides: readonly number[];
  /** Those that speak of a file that is forgotten. */
  readonly speakOf: readonly number[];
}

/** Whether nothing would be removed. */
export function isNone({ removed }: Pick<ForgetPreview, "removed">): boolean {
  return Object.keys(removed).length === 0;
}

/** What is known instead of what was asked for. */
export interface Hints {
  readonly unknown: readonly UnknownFilter[];
  readonly lines: readonly string[];
}

/** The file that is meant, whole where that is known; undefined where none is asked for. */
export function fileMeant({ files }: ForgetFilter): string | undefined {
  return files?.findLast(isAbsolutePath) ?? files?.at(-1);
}

/** What is meant: a name may stand for another project, or a path for another file, than a person thinks of. */
export function ofWhat(filter: ForgetFilter): string {
  const { project } = filter;
  const file = fileMeant(filter);
  const named = [
    ...(project === null ? [] : [`of the project ${plain(folderOfProject(project))}`]),
    ...(file === undefined ? [] : [`about ${plain(file)}`]),
  ];
  return named.length === 0 ? "" : `, ${named.join(", ")}:`;
}

/** What would be removed. */
export function previewView(
  preview: ForgetPreview,
  { filter, hints, related, context }: {
    readonly filter: ForgetFilter;
    readonly hints: Hints;
    readonly related: Related;
    readonly context: CliContext;
  },
): View {
  const { removed, ownCopies } = preview;
  const { madeOf, speakOf } = related;
  const toldBy = toldApart(preview.toldBy, related);
  return {
    json: {
      dryRun: true,
      receipt: null,
      wouldRemove: removed,
      copiesMadeAnew: ownCopies.madeAnew,
      copiesRemoved: ownCopies.removed,
      toldBy,
      madeOf,
      speakOf,
      ...staysJson(preview, hints),
    },
    text: [
      isNone(preview)
        ? "Nothing fits; nothing would be removed."
        : `Would remove${ofWhat(filter)} ${removedText(removed)}.`,
      ...hints.lines,
      ...formLines(preview.forms, context),
      ...toldLines({ tables: [], observations: toldBy }, context),
      ...relatedLines(related, context),
      ...copiesText(ownCopies, ["would be forgotten", "Would remove"]),
      ...stayLines(preview),
    ].join("\n"),
    exitCode: exitCodeOf(hints.unknown),
  };
}

/** What stays, and what is known instead of what was asked for, for programs. */
function staysJson(
  { copies, transcripts, forms }: Pick<ForgetPreview, "copies" | "transcripts" | "forms">,
  { unknown }: Pick<Hints, "unknown">,
) {
  return { copies, transcripts, otherForms: forms, ...unknown.length > 0 && { unknown } };
}

/** A project that nobody knows is a mistake, as a session is; a file may have been forgotten before. */
function exitCodeOf(unknown: Hints["unknown"]): 0 | 1 {
  return unknown.some(({ flag }) => flag === "project") ? 1 : 0;
}

/** Says that nothing fits. */
export function nothingView(
  preview: ForgetPreview,
  { hints, context }: { readonly hints: Hints; readonly context: CliContext },
): View {
  return {
    json: { receipt: null, left: [], ...staysJson(preview, hints) },
    text: [
      "Nothing fits; nothing was changed.",
      ...hints.lines,
      ...formLines(preview.forms, context),
      ...stayLines(preview),
    ].join("\n"),
    exitCode: exitCodeOf(hints.unknown),
  };
}

/** What was removed, and what is left. */
export function reportView(
  report: ForgetReport,
  { context, related }: { readonly context: CliContext; readonly related: Related },
): View {
  const { id, removed, left, copiesMadeAnew, copiesRemoved, toldElsewhere } = report;
  const { madeOf, speakOf } = related;
  const toldBy = toldApart(toldElsewhere.observations, related);
  const areNamed = toldBy.length + madeOf.length + speakOf.length > 0;
  const tables = toldElsewhere.tables.filter((one) => !areNamed || one !== "observations");
  return {
    json: {
      receipt: { id, removed },
      left,
      copiesMadeAnew,
      copiesRemoved,
      toldElsewhere: toldElsewhere.tables,
      toldBy,
      madeOf,
      speakOf,
      ...staysJson(report, { unknown: [] }),
    },
    text: [
      isNone(report)
        ? "Finished what was stopped: nothing of it was left."
        : `Forgot ${removedText(removed)}.`,
      ...left.map((line) => `left: ${plain(line)}`),
      ...formLines(report.forms, context),
      ...toldLines({ tables, observations: toldBy }, context),
      ...relatedLines(related, context),
      ...copiesText(
        { madeAnew: copiesMadeAnew, removed: copiesRemoved },
        ["was forgotten", "Removed"],
      ),
      ...stayLines(report),
      `receipt ${id}`,
      nextHere(`conclaude memory verify ${id}`, context.globals),
    ].join("\n"),
    exitCode: left.length === 0 ? 0 : 1,
  };
}

/** Copies below the home: those that are made anew without it, and those that are removed. */
function copiesText(
  { madeAnew, removed }: ForgetPreview["ownCopies"],
  [forgotten, gone]: readonly [forgotten: string, gone: string],
): string[] {
  return [
    ...madeAnew.map((path) => `The same ${forgotten} in the copy ${plain(path)}`),
    ...removed.map((path) => `${gone}, since nobody can tell what is in it: ${plain(path)}`),
  ];
}

/** What tells some of the same, but for what is named already since it was made of it, or speaks of its file. */
function toldApart(telling: readonly number[], { madeOf, besides, speakOf }: Related): number[] {
  const named = new Set([...madeOf, ...speakOf]);
  return [...new Set([...besides, ...telling])]
    .filter((one) => !named.has(one))
    .sort((a, b) => a - b);
}

/** Other copies and transcripts that hold it and stay. */
function stayLines(
  { copies, transcripts }: Pick<ForgetPreview, "copies" | "transcripts">,
): string[] {
  const more = transcripts.length - MAX_TRANSCRIPTS;
  return [
    ...copies.map((path) => `A copy that is not touched holds it: ${plain(path)}`),
    ...transcripts.slice(0, MAX_TRANSCRIPTS)
      .map((path) => `Claude Code's own transcript has it, and is not touched: ${plain(path)}`),
    ...more > 0 ? [`and ${more} more, which \`--json\` names`] : [],
  ];
}

/** Each word once, with the command that forgets it, too. */
function formLines(forms: ForgetPreview["forms"], { globals }: CliContext): string[] {
  const firstOf = new Map(forms.map((form) => [form.as, form]));
  return [...firstOf.values()].flatMap(({ as, observation }) => [
    `#${observation} has it in another form, and stays: ${plain(as)}`,
    `  next: ${nextHere(`conclaude memory forget --text ${quoteWord(as)}`, globals)}`,
  ]);
}

/** A fix or a summary tells what others tell, which have numbers of their own; and a file is shown by commands. */
function relatedLines({ madeOf, speakOf }: Related, { globals }: CliContext): string[] {
  return [
    ...madeOf.length === 0 ? [] : [`It was made of ${numbersOf(madeOf)}, which stay.`],
    ...speakOf.length === 0 ? [] : [
      `Only named, or shown by a command, it is in ${numbersOf(speakOf)}, which stay.`,
      ...forgetLine(speakOf, globals),
    ],
  ];
}

/** Observations are named, with the command that forgets them, too. */
function toldLines(
  { tables, observations }: ForgetReport["toldElsewhere"],
  { globals }: CliContext,
): string[] {
  const noun = observations.length === 1 ? "observation" : "observations";
  const rows = observations.length === 0
    ? tables
    : [`${noun} ${numbersOf(observations)}`, ...tables];
  return [
    ...rows.length === 0 ? [] : [`Rows that stay tell some of the same: ${rows.join(", ")}.`],
    ...forgetLine(observations, globals),
  ];
}

function forgetLine(ids: readonly number[], globals: CliContext["globals"]): string[] {
  if (ids.length === 0) return [];
  const command = `conclaude memory forget ${ids.slice(0, MAX_NUMBERS).join(" ")}`;
  return [`  next: ${nextHere(command, globals)}`];
}

function numbersOf(ids: readonly number[]): string {
  const more = ids.length - MAX_NUMBERS;
  const named = ids.slice(0, MAX_NUMBERS).map((id) => `#${id}`).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}

/** A noun for one and for many. */
type Noun = readonly [one: string, many: string];

/** What goes as a whole. */
const GONE: Readonly<Record<string, Noun>> = {
  observations: ["observation", "observations"],
  captures: ["capture", "captures"],
  spool: ["spool file", "spool files"],
  logs: ["place in logs", "places in logs"],
  agentFiles: ["place in the files of agents", "places in the files of agents"],
  unusedRoom: ["remain in unused room", "remains in unused room"],
};

/** Rows that stay without what they say of it. */
const QUOTING: Readonly<Record<string, Noun>> = {
  remade: ["observation", "observations"],
  hook_executions: ["audit row", "audit rows"],
  sessions: ["session", "sessions"],
  tasks: ["task", "tasks"],
  questions: ["question", "questions"],
  events: ["event", "events"],
};

/** Counts as a part of a sentence: `2 observations, 1 capture, and what 3 audit rows say of it`. */
export function removedText(removed: Removed): string {
  const { importedSummaries = 0, ...counts } = removed;
  const entries = Object.entries(counts);
  const gone = entries.flatMap(([name, n]) => {
    const noun = GONE[name];
    if (noun === undefined) return [];
    const isQuoted = name === "observations" && importedSummaries > 0;
    return [`${count(n, ...noun)}${isQuoted ? summariesText(importedSummaries) : ""}`];
  });
  const quoting = entries.filter(([name]) => GONE[name] === undefined)
    .map(([name, n]) => count(n, ...QUOTING[name] ?? [`row of ${name}`, `rows of ${name}`]));
  const isOne = quoting.length === 1 && quoting[0]!.startsWith("1 ");
  const said = quoting.length === 0
    ? []
    : [`what ${quoting.join(", ")} ${isOne ? "says" : "say"} of it`];
  if (gone.length + said.length === 0) return "nothing";
  return [gone.join(", "), ...said].filter((part) => part !== "").join(", and ");
}

function summariesText(n: number): string {
  return ` (${n} of them ${
    n === 1 ? "an imported summary that tells" : "imported summaries that tell"
  } the same)`;
}
