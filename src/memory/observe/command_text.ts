/** Makes the texts, facts and titles of observations of commands. */
import type { ScriptRun } from "./ended_command.ts";
import type { ObservedFacts } from "./observation.ts";
import { scriptCommands } from "./shell_words.ts";
import { headAndTail, MAX_TITLE_CHARS, shortened, titleLine } from "../text.ts";

/** How many characters of an output are stored. Most are from its end, where errors stand. */
const KEPT_OUTPUT = { head: 600, tail: 1_400 };
const KEPT_COMMAND = { head: 1_500, tail: 500 };

export function factsOf(
  command: string,
  exitCode: number | null,
  error: string | null,
): ObservedFacts {
  return {
    command: shortened(command, MAX_COMMAND_CHARS),
    ...(exitCode === null ? {} : { exitCode }),
    ...(error === null ? {} : { error }),
  };
}

/** Returns a command with its output, below what it is about. */
export function textOf(
  { command, output, about }: Pick<ScriptRun, "command" | "output" | "about">,
  kept = KEPT_OUTPUT,
): string {
  return [about, `$ ${headAndTail(command, KEPT_COMMAND)}`, headAndTail(output, kept)]
    .filter(Boolean).join("\n");
}

/** Returns the title of failed tests: the run, its counts, and as many names of failing tests as fit. */
export function failingTitle(name: string, facts: ObservedFacts): string {
  const { failed = 0, failing = [], error } = facts;
  const head = `Tests fail: ${name}${countsText(facts)}`;
  const many = Math.max(failing.length, failed);
  const why = failing.length === 0
    ? error
    : namesText(failing, { many, room: MAX_TITLE_CHARS - head.length - ": ".length });
  return titleLine(why === undefined ? head : `${head}: ${why}`);
}

/** Returns the numbers of passed and failed tests in brackets, for a title. */
export function countsText({ passed, failed = 0 }: ObservedFacts): string {
  const parts = [
    ...passed === undefined ? [] : [`${passed} passed`],
    ...failed === 0 ? [] : [`${failed} failed`],
  ];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

/** Returns as many names of tests as fit, at least one, and the number of the others. */
function namesText(
  names: readonly string[],
  { many, room }: { readonly many: number; readonly room: number },
): string {
  const more = (shown: number) => shown < many ? ` +${many - shown} more` : "";
  for (let shown = names.length; shown > 1; shown--) {
    const text = `${names.slice(0, shown).join(", ")}${more(shown)}`;
    if (text.length <= room) return text;
  }
  return `${shortened(names[0]!, Math.max(1, room - more(1).length))}${more(1)}`;
}

export const MAX_COMMAND_CHARS = 1_000;

/** Returns a command without redirections and filters: `npm test 2>&1 | tail -20` becomes `npm test`. */
export function shownCommand(command: string): string {
  // Runs of blanks are shortened first, since patterns that begin with ` *` take quadratic time on them.
  const line = command.replace(/\s+/g, " ")
    .replace(/ ?(?:\d?>&\d|&> ?\S+|\d?>>? ?\/dev\/null)/g, "");
  const shown = withoutFilters(line)
    .replace(/ ?; ?echo [^;]*$/, "")
    .replace(/\s+/g, " ")
    .trim();
  return shown.slice(0, MAX_COMMAND_CHARS);
}

/** Filters at the end of a pipeline. They shorten the output and change nothing else. */
const FILTERS: ReadonlySet<string> = new Set(["tail", "head", "grep", "cat", "less", "tee", "sed"]);

function withoutFilters(line: string): string {
  const commands = scriptCommands(line);
  const last = commands.findLastIndex(({ words, before }) =>
    before !== "|" || !FILTERS.has(words[0]!)
  );
  return commands.slice(last + 1).reduceRight(
    (rest, { source }) => rest.slice(0, rest.lastIndexOf(source)).replace(/[ |&]+$/, ""),
    line,
  );
}
