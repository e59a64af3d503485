/** A command as titles show it: without where its output goes. */
import { withoutQuietVariables } from "./script_words.ts";

/** `env A=b make` is `A=b make`. */
const ENV = /(^|&& |; ?|\| ?|\( ?)env (?=[A-Za-z_]\w*=)/g;
/** Of a longer command only the beginning counts. */
export const MAX_COMMAND_CHARS = 1_000;

/** A command without what does not change what it does: `npm test 2>&1 | tail -20` is shown as `npm test`. */
export function shownCommand(command: string): string {
  // Blanks first: a pattern that begins with any number of them looks at a run of them from each of its places.
  const line = withoutQuietVariables(command.replace(/\s+/g, " ").replace(ENV, "$1"))
    .replace(/ ?(?:\d?>&\d|&> ?\S+|\d?>>? ?\/dev\/null)/g, "");
  const shown = withoutFilters(line)
    .replace(/ ?; ?echo [^;]*$/, "")
    .replace(/\s+/g, " ")
    .trim();
  return shown.slice(0, MAX_COMMAND_CHARS);
}

/** What shortens an output does not change what a command does. */
const FILTER = / ?(?:tail|head|grep|cat|less|tee|sed)\b/y;

/** Without the filters at the end of a pipeline. */
function withoutFilters(line: string): string {
  let end = line.length;
  for (const bar of barsOf(line).reverse()) {
    FILTER.lastIndex = bar + 1;
    if (!FILTER.test(line)) break;
    end = line[bar - 1] === " " ? bar - 1 : bar;
  }
  return line.slice(0, end);
}

const BAR_OR_QUOTED = /\||\\.|'[^']*'|"(?:[^"\\]|\\.)*"/g;

/** Where the bars of a line stand that are in no quotes. */
function barsOf(line: string): number[] {
  return [...line.matchAll(BAR_OR_QUOTED)].filter(([found]) => found === "|")
    .map(({ index }) => index);
}
