/** What `memory forget` says. */
import { plain } from "../base/plain.ts";
import { count } from "../base/counts.ts";
import type { ForgetPreview, ForgetReport, Removed } from "../upkeep/forget/forget.ts";
import { folderOfProject } from "../memory/project_paths.ts";
import { isAbsolutePath } from "../base/paths.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import type { ForgetFilter } from "../memory/store.ts";
import type { CliContext } from "./context.ts";
import { nextHere } from "./next_command.ts";
import type { UnknownFilter } from "./unknown_filter.ts";
import type { View } from "./view.ts";

/** How many observations, and how many transcripts, are named. */
const MAX_NUMBERS = 10;
const MAX_TRANSCRIPTS = 12;

/** What is removed as a whole: the noun for one, and for many. */
const GONE: Readonly<Record<string, readonly [one: string, many: string]>> = {
  observations: ["observation", "observations"],
  captures: ["capture", "captures"],
  spool: ["place in the spool", "places in the spool"],
  logs: ["place in logs", "places in logs"],
  agentFiles: ["place in the files of agents", "places in the files of agents"],
  unusedRoom: ["remain in unused room", "remains in unused room"],
};

/** What stays, and loses a part of its text. */
const QUOTING: typeof GONE = {
  remade: ["observation", "observations"],
  hook_executions: ["audit row", "audit rows"],
  sessions: ["session", "sessions"],
  tasks: ["task", "tasks"],
  questions: ["question", "questions"],
  events: ["event", "events"],
};

/** Counts as a part of a sentence: `2 observations, 1 capture, and what 3 audit rows say of it`. */
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
  const said = quoting.length === 0 ? "" : `what ${quoting.join(", ")} ${verb} of it`;
  return [gone.join(", "), said].filter((part) => part !== "").join(", and ") || "nothing";
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

/** The project and the file that are meant, which may be others than a person thinks of. */
export function ofWhat(filter: ForgetFilter): string {
  const file = fileMeant(filter);
  const project = filter.project && `, of the project ${plain(folderOfProject(filter.project))}`;
  const named = (project ?? "") + (file === undefined ? "" : `, about ${plain(file)}`);
  return named === "" ? "" : `${named}:`;
}

/** What would be removed; `isDry` is false where nothing fits and nothing was done. */
export function previewView(
  preview: ForgetPreview,
  { isDry, filter, hints: { unknown, lines }, goes, context }: {
    readonly isDry: boolean;
    /** The observations that would go, as lines. */
    readonly goes: readonly string[];
    readonly filter: ForgetFilter;
    readonly hints: Hints;
    readonly context: CliContext;
  },
): View {
  const { removed, copies, copiesThatMay, transcripts, forms } = preview;
  const { json, text } = told(preview, context, {
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
      ...goes,
      ...lines,
      ...text,
    ].join("\n"),
    // A project that nobody knows is a mistake, as a session is; a file may have been forgotten before.
    exitCode: unknown.some(({ flag }) => flag === "project") ? 1 : 0,
  };
}

/** What was removed, and what is left. */
export function reportView(
  report: ForgetPreview & ForgetReport,
  context: CliContext,
): View {
  const { id, removed, left } = report;
  const { json, text } = told(report, context, {
    madeAnew: "The same was forgotten in the copy:",
    removed: "Removed, since nobody can tell what is in it:",
  });
  return {
    json: { receipt: { id, removed }, left, ...json },
    text: [
      isNone(report)
        ? "Finished what was stopped: nothing of it was left."
        : `Forgot ${removedText(removed)}.`,
      ...left.map((line) => `left: ${plain(line)}`),
      ...text,
      `receipt ${id}`,
      `Whether it stays gone: ${nextHere(`conclaude memory verify ${id}`, context.globals)}`,
    ].join("\n"),
    exitCode: left.length === 0 ? 0 : 1,
  };
}

/** What stays or is done beside it, as fields and in lines. */
function told(
  { copies, copiesThatMay, ownCopies, transcripts, forms, toldBy }: Omit<
    ForgetPreview,
    "removed" | "observations"
  >,
  { globals }: CliContext,
  words: Readonly<Record<keyof ForgetPreview["ownCopies"], string>>,
): { readonly json: Record<string, unknown>; readonly text: string[] } {
  const next = (command: string) => `  next: ${nextHere(command, globals)}`;
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
        `#${observation} has it in another form, and stays: ${plain(as)}`,
        next(`conclaude memory forget --text ${quoteWord(as)}`),
      ]),
      ...toldBy.length === 0 ? [] : [
        `Observations that stay tell some of the same: ${numbersOf(toldBy)}.`,
        next(`conclaude memory forget ${toldBy.slice(0, MAX_NUMBERS).join(" ")}`),
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

/** A sentence with the path that it is about, or with several below it. */
function namedBehind(sentence: string, paths: readonly string[]): string[] {
  const [first, ...others] = paths.map(plain);
  if (first === undefined) return [];
  return others.length === 0
    ? [`${sentence} ${first}`]
    : [sentence, ...[first, ...others].map((path) => `  ${path}`)];
}

function numbersOf(ids: readonly number[]): string {
  const more = ids.length - MAX_NUMBERS;
  const named = ids.slice(0, MAX_NUMBERS).map((id) => `#${id}`).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}
