/** The lines of private text, by which it is known again where no tag stands around it. */
import { PRIVATE_MASK } from "./private_tags.ts";

/** A shorter line is in too many texts to be somebody's secret. */
const MIN_LINE_CHARS = 4;
/** Where lines end, also in what is quoted within JSON. */
const LINE_BREAK = /(\r?\n|\r|\\{1,7}[nr])/;
/** What stands in front of a line in a patch, a quotation, a numbered listing or a list of JSON. */
const BEFORE = /^(?:[\s"'`+>|*#-]|\d{1,7}[:→\t|-])*/;
const BEHIND = "\"'`,; \t\r\n\\|";

/** Lines that were seen in private text. */
export interface PrivateLines {
  readonly add: (text: string) => void;
  /** The text with each of these lines masked, its indentation and what marks it as a line of a patch kept. */
  readonly mask: (text: string) => string;
  /** Whether a text has lines, and all of them are private. */
  readonly holdsAll: (text: string) => boolean;
}

/** No lines yet. */
export function privateLines(): PrivateLines {
  const lines = new Set<string>();
  return {
    add(text) {
      for (const line of text.split(LINE_BREAK)) {
        const { start, end } = bare(line);
        const words = line.slice(start, end);
        if (words.length >= MIN_LINE_CHARS && words !== PRIVATE_MASK) lines.add(words);
      }
    },
    mask(text) {
      if (lines.size === 0) return text;
      return text.split(LINE_BREAK).map((line) => {
        const { start, end } = bare(line);
        return lines.has(line.slice(start, end))
          ? line.slice(0, start) + PRIVATE_MASK + line.slice(end)
          : line;
      }).join("");
    },
    holdsAll(text) {
      const words = text.split(LINE_BREAK).map((line) => {
        const { start, end } = bare(line);
        return line.slice(start, end);
      }).filter((line) => line.length >= MIN_LINE_CHARS);
      return words.length > 0 && words.every((line) => lines.has(line) || line === PRIVATE_MASK);
    },
  };
}

/** Where the words of a line stand. */
function bare(line: string): { readonly start: number; readonly end: number } {
  const start = BEFORE.exec(line)?.[0].length ?? 0;
  let end = line.length;
  while (end > start && BEHIND.includes(line[end - 1]!)) end--;
  return { start, end };
}
