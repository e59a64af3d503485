/** The state of browsing memory: how keys change it, and how the screen shows it. */
import { columnsOf, cutToColumns, fitToColumns } from "../base/columns.ts";
import { count } from "../base/counts.ts";
import { plain } from "../base/plain.ts";

export interface Hit {
  readonly id: number;
  /** Its line in the list. */
  readonly line: string;
}

export interface Found {
  readonly hits: readonly Hit[];
  /** A remark about the hits: that they are the newest, or that nothing was found. */
  readonly note: string;
}

export interface Browse extends Found {
  readonly words: string;
  /** The place of the next letter, as an index into the words. */
  readonly cursor: number;
  /** The index of the chosen hit. */
  readonly chosen: number;
  /** The lines of the open hit, and the index of the first one on the screen. */
  readonly opened: { readonly lines: readonly string[]; readonly top: number } | null;
}

export interface ScreenSize {
  readonly rows: number;
  readonly columns: number;
}

/** The meaning of a key; "type" leaves it to the line of words. */
export type Pressed = "back" | "open" | "type" | { readonly moveBy: number };

/** Keys that move in the list and in an open hit. */
const MOVES: Readonly<Record<string, (page: number) => number>> = {
  up: () => -1,
  down: () => 1,
  pageup: (page) => -page,
  pagedown: (page) => page,
};
/** Keys that move in an open hit, where nobody types. */
const READING_MOVES: typeof MOVES = {
  ...MOVES,
  space: (page) => page,
  home: () => -Infinity,
  end: () => Infinity,
};
const BACK_FROM_READING = ["escape", "return", "left", "backspace", "q"];

/** Rows beside the list (words, note, blank, help), and rows below an open hit (blank, help). */
const AROUND_LIST = 4;
const AROUND_READING = 2;

/** Returns what a key means in this state. @param name Its name in `node:readline`. */
export function meaningOf({ opened }: Browse, name: string, { rows }: ScreenSize): Pressed {
  const moves = opened === null ? MOVES : READING_MOVES;
  const page = roomIn({ opened }, rows);
  if (Object.hasOwn(moves, name)) return { moveBy: moves[name]!(page) };
  if (opened !== null) return BACK_FROM_READING.includes(name) ? "back" : { moveBy: 0 };
  return name === "return" ? "open" : name === "escape" ? "back" : "type";
}

/** Moves the choice in the list, or scrolls an open hit. */
export function moved(browse: Browse, by: number, { rows, columns }: ScreenSize): Browse {
  const { hits, chosen, opened } = browse;
  if (opened === null) return { ...browse, chosen: clamped(chosen + by, hits.length - 1) };
  const last = linesOf(opened, columns).length - roomIn(browse, rows);
  return { ...browse, opened: { ...opened, top: clamped(opened.top + by, last) } };
}

/** Draws the screen: exactly one line for each row. */
export function screenOf(browse: Browse, size: ScreenSize): string[] {
  const columns = size.columns - 1;
  const room = roomIn(browse, size.rows);
  const { hits, chosen, opened, note } = browse;
  if (opened !== null) {
    const lines = linesOf(opened, size.columns);
    const top = clamped(opened.top, lines.length - room);
    const seen = lines.slice(top, top + room);
    const isPart = seen.length < lines.length;
    const where = isPart ? [`${top + seen.length} of ${count(lines.length, "line")}`] : [];
    return [...padded(seen, room), "", helpLine([...READING_HELP, ...where], columns)];
  }
  const top = clamped(chosen - (room >> 1), hits.length - room);
  const rows = hits.slice(top, top + room).map(({ line }, at) =>
    cutToColumns(`${top + at === chosen ? ">" : " "} ${plain(line)}`, columns)
  );
  return [
    wordsLine(browse, columns),
    cutToColumns(note, columns),
    ...padded(rows, room),
    "",
    helpLine([browse.words === "" ? "Esc ends" : "Esc clears", ...LIST_HELP], columns),
  ];
}

/** Help on keys; a narrow terminal leaves out the last ones. */
const LIST_HELP = ["Enter opens", "↑ ↓ choose", "type to search"];
const READING_HELP = ["Esc goes back", "↑ ↓ Space scroll", "Ctrl-C ends"];
const PROMPT = "Search: ";

/** Draws the words with the cursor in inverse colours; of long words, only the part around the cursor. */
function wordsLine({ words, cursor }: Browse, columns: number): string {
  const room = columns - PROMPT.length - 1;
  let start = 0;
  while (columnsOf(words.slice(start, cursor)) > room) start++;
  let end = words.length;
  while (columnsOf(words.slice(start, end)) > room) end--;
  const at = words.slice(cursor, cursor + 1) || " ";
  const before = plain(words.slice(start, cursor));
  return `${PROMPT}${before}\x1b[7m${plain(at)}\x1b[27m${plain(words.slice(cursor + 1, end))}`;
}

function helpLine(parts: readonly string[], columns: number): string {
  let line = "";
  for (const part of parts) {
    const longer = line === "" ? part : `${line}  ·  ${part}`;
    if (columnsOf(longer) > columns) break;
    line = longer;
  }
  return line;
}

function linesOf({ lines }: NonNullable<Browse["opened"]>, columns: number): string[] {
  return lines.flatMap((line) => fitToColumns(plain(line), columns - 1).split("\n"));
}

function roomIn({ opened }: Pick<Browse, "opened">, rows: number): number {
  return Math.max(1, rows - (opened === null ? AROUND_LIST : AROUND_READING));
}

function padded(lines: readonly string[], room: number): string[] {
  return [...lines, ...Array<string>(Math.max(0, room - lines.length)).fill("")];
}

/** Limits an index to the range from 0 to `last`; 0 if `last` is negative. */
function clamped(at: number, last: number): number {
  return Math.max(0, Math.min(at, last));
}
