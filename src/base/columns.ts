/** Texts on a terminal: how many columns they take, cut or broken to the columns that there are. */
import { scriptPattern } from "./letters.ts";

const ASCII = /^[\x20-\x7e]*$/;
// deno-lint-ignore no-control-regex
const CHARACTER = /\x1b\[[\d;]*[a-z]|[^]/giu;
const NO_COLUMN = scriptPattern(String.raw`^(?:[\x1b\r]|[\p{Mn}\p{Me}\u200b-\u200d\ufe0f])`, "u");
const TWO_COLUMNS = scriptPattern(
  String
    .raw`[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6` +
    String.raw`\p{Emoji_Presentation}\u{20000}-\u{3fffd}]`,
  "u",
);

/** How many columns of a terminal a line takes; control sequences take none. */
export function columnsOf(line: string): number {
  if (ASCII.test(line)) return line.length;
  let columns = 0;
  for (const [character] of line.matchAll(CHARACTER)) columns += columnsOfOne(character);
  return columns;
}

function columnsOfOne(character: string): number {
  if (ASCII.test(character)) return 1;
  return NO_COLUMN().test(character) ? 0 : TWO_COLUMNS().test(character) ? 2 : 1;
}

/** How much of a line fits into some columns, in characters of the string. */
function fitting(line: string, columns: number): number {
  let left = columns;
  let at = 0;
  for (const [character] of line.matchAll(CHARACTER)) {
    left -= columnsOfOne(character);
    if (left < 0) return at;
    at += character.length;
  }
  return at;
}

/** A line cut to a number of columns: the middle is cut out. */
export function cutToColumns(line: string, columns: number): string {
  if (columnsOf(line) <= columns) return line;
  const head = line.slice(0, fitting(line, Math.ceil((columns - 1) / 2)));
  let at = line.length - Math.floor((columns - 1) / 2);
  while (columnsOf(line.slice(at)) > Math.floor((columns - 1) / 2)) at++;
  return `${head.trimEnd()}…${line.slice(at).toWellFormed().trimStart()}`;
}

/** A sentence goes on at the margin, anything else below its beginning. */
const SENTENCE = /^[A-Z]/;

/** Matches the beginning of a line before its text: blanks, then `why:  `, `"key": `, `status    ` or the like. */
const LEAD = /^\s*(?:(?:(?:\S+ ){0,2}\S+ {2,}(?=\S)){1,2}|(?:[a-z]+|"\w+"): +|- +)?/i;
/** A sentence begins with a capital, also behind `next:`. A command may stand behind what it is for: `To end it: conclaude …`. */
const COMMAND = /^\s*(?:next: +[a-z](?!.*, )|(?:[\w ]+: +)?conclaude )/;
const WORD = /(\s*)(\S+)/g;
/** A quoted word is one word for a shell. */
const SHELL_WORD = /(\s*)((?:'[^']*'|"[^"]*"|[^\s'"]|['"])+)/g;

/**
 * Breaks every line that is longer than the columns at its blanks, and goes on below the text. A word that is longer itself is
 * broken behind a slash or a bar. A command goes on behind `\`, so that it can be pasted.
 */
export function fitToColumns(text: string, columns: number): string {
  return text.split("\n").map((line) => fitLine(line, columns)).join("\n");
}

function fitLine(line: string, columns: number): string {
  if (line.length * 2 <= columns || columnsOf(line) <= columns) return line;
  const isCommand = COMMAND.test(line);
  const [whole] = LEAD.exec(line)!;
  const isLed = whole.trim() !== "" && columnsOf(whole) * 4 <= columns * 3;
  const half = columns >> 1;
  const text = isLed ? line.slice(whole.length) : line.trimStart();
  // Blanks that leave no room for the text are cut.
  const lead = isLed ? whole : " ".repeat(Math.min(half, line.length - text.length));
  const further = isLed || SENTENCE.test(line) ? 0 : 2;
  const below = " ".repeat(Math.min(half, columnsOf(lead) + further));
  const rows: string[] = [];
  let row = lead;
  let isBegun = false;
  for (const [, blanks, word] of text.matchAll(isCommand ? SHELL_WORD : WORD)) {
    const longer = isBegun ? row + blanks + word : row + word;
    if (!isBegun || columnsOf(longer) <= (isCommand ? columns - 2 : columns)) row = longer;
    else {
      rows.push(isCommand ? `${row} \\` : row);
      row = below + word;
    }
    isBegun = true;
    // A shell joins what stands before and behind a `\` at the end of a line, but not within quotes.
    const isWhole = isCommand && /['"]/.test(word!);
    const room = isCommand ? columns - 1 : columns;
    while (!isWhole && fitting(row, columns) < row.length) {
      const end = fitting(row, room);
      const bar = Math.max(row.lastIndexOf("/", end - 1), row.lastIndexOf("|", end - 1)) + 1;
      const at = bar > end / 2 && bar > below.length ? bar : end;
      rows.push(row.slice(0, at) + (isCommand ? "\\" : ""));
      row = (isCommand ? "" : below) + row.slice(at);
    }
  }
  return [...rows, row].join("\n");
}
