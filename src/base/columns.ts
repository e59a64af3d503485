/** Measures how many columns a text takes on a terminal, and cuts or breaks it to fit. */
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

/** Returns how many columns of a terminal a line takes; control sequences take none. */
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

/** Returns how many characters from the start of a line fit into the columns. */
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

/** The second unit of a character outside of the first 65,536. */
const LOW_UNIT = /[\udc00-\udfff]/;

/** Shortens a line to a number of columns: replaces its middle with `…`. */
export function cutToColumns(line: string, columns: number): string {
  if (columnsOf(line) <= columns) return line;
  const head = line.slice(0, fitting(line, Math.ceil((columns - 1) / 2)));
  let at = line.length - Math.floor((columns - 1) / 2);
  while (
    columnsOf(line.slice(at)) > Math.floor((columns - 1) / 2) || LOW_UNIT.test(line.charAt(at))
  ) at++;
  const tail = line.slice(at);
  return `${head.replace(/[\s…]+$/, "")}…${tail.replace(/^[\s…]+/, "")}`;
}

/** Matches a sentence or a comment. Its further rows begin at the margin; those of other lines are indented. */
const SENTENCE = /^(?:[A-Z]|# )/;

/** Matches the label before a line's text: blanks, then `why:  `, `"key": `, `status    ` or the like. */
const LABEL = /^\s*(?:(?:(?:\S+ ){0,2}\S+ {2,}(?=\S)){1,2}|(?:[a-z]+|"\w+"): +|- +)?/i;
/**
 * Matches a command: it begins with a small letter behind `next:` or `undo:`, or follows a purpose: `To end it:
 * conclaude …`. A text with a comma or a backtick there is a sentence.
 */
const COMMAND = /^\s*(?:(?:next|undo): +[a-z](?!.*(?:, |`))|(?:[\w ]+: +)?conclaude )/;
/** Matches a word; a command in backticks is one word, and so is a `#` with what follows it. */
const WORD = /(\s*)((?:# )?(?:(?:\S*?`[^`]+`)+\S*|\S+))/g;
/** Matches a word of a command in backticks that is longer than a row. */
const PART = /(\s*)((?:# )?\S+)/g;
/** Matches a word of a shell command; a quoted text is one word. */
const SHELL_WORD = /(\s*)((?:'[^']*'|"[^"]*"|[^\s'"]|['"])+)/g;

/**
 * Breaks each line that is too long at its blanks, and indents its further rows to the text. Breaks a word that is too
 * long behind a slash or a bar. Begins the rows of a comment with `#`, and ends those of a command with `\`, so that it
 * can be pasted.
 */
export function fitToColumns(text: string, columns: number): string {
  return text.split("\n").map((line) => fitLine(line, columns)).join("\n");
}

function fitLine(line: string, columns: number): string {
  if (line.length * 2 <= columns || columnsOf(line) <= columns) return line;
  const isCommand = COMMAND.test(line);
  const [label] = LABEL.exec(line)!;
  const hasLabel = label.trim() !== "" && columnsOf(label) * 4 <= columns * 3;
  const half = columns >> 1;
  const text = hasLabel ? line.slice(label.length) : line.trimStart();
  // Blanks may take half of the columns, so that the text has room.
  const prefix = hasLabel ? label : " ".repeat(Math.min(half, line.length - text.length));
  const extra = hasLabel || SENTENCE.test(line) ? 0 : 2;
  let indent = " ".repeat(Math.min(half, columnsOf(prefix) + extra));
  const rows: string[] = [];
  let row = prefix;
  let isBegun = false;
  const words = [...text.matchAll(isCommand ? SHELL_WORD : WORD)].flatMap((found) =>
    isCommand || columnsOf(indent + found[2]) <= columns ? [found] : [...found[0].matchAll(PART)]
  );
  for (const [, blanks, word] of words) {
    const longer = isBegun ? row + blanks + word : row + word;
    if (!isBegun || columnsOf(longer) <= (isCommand ? columns - 2 : columns)) row = longer;
    else {
      rows.push(isCommand ? `${row} \\` : row);
      row = indent + word;
    }
    isBegun = true;
    const hasRoom = indent.length + 2 <= half;
    if (word!.startsWith("# ") && !indent.endsWith("# ") && hasRoom) indent += "# ";
    // A shell joins rows at a `\`, but not within quotes, so a word with quotes stays whole.
    const isWhole = isCommand && /['"]/.test(word!);
    const room = isCommand ? columns - 1 : columns;
    while (!isWhole && fitting(row, columns) < row.length) {
      const end = fitting(row, room);
      const bar = Math.max(row.lastIndexOf("/", end - 1), row.lastIndexOf("|", end - 1)) + 1;
      const at = bar > end / 2 && bar > indent.length ? bar : end;
      rows.push(row.slice(0, at) + (isCommand ? "\\" : ""));
      row = (isCommand ? "" : indent) + row.slice(at);
    }
  }
  return [...rows, row].join("\n");
}
