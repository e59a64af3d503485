/** Browsing of memory as a state: what is typed, found, chosen and opened; what keys make of it; and how it looks. */
import { columnsOf, cutToColumns, fitToColumns } from "../base/columns.ts";
import { count } from "../base/counts.ts";
import { plain } from "../base/plain.ts";

/** One observation that was found. */
export interface Hit {
  readonly id: number;
  /** One line for the list. */
  readonly line: string;
}

export interface Found {
  readonly hits: readonly Hit[];
  /** What there is to say of them: that these are the newest, or that nothing was found. */
  readonly note: string;
}

export interface Browse extends Found {
  readonly words: string;
  /** Where the next letter goes, as an index into the words. */
  readonly cursor: number;
  /** Which hit is chosen. */
  readonly chosen: number;
  /** The lines of the hit that is open, and the first of them on the screen. */
  readonly opened: { readonly lines: readonly string[]; readonly top: number } | null;
}

export interface ScreenSize {
  readonly rows: number;
  readonly columns: number;
}

/** What a key asks for; a key that moves nothing is left to the line of words. */
export type Pressed = "back" | "open" | "type" | { readonly moveBy: number };

/** Keys that move in the list and in an open hit, and those that do so only where nothing is typed. */
const MOVES: Readonly<Record<string, (page: number) => number>> = {
  up: () => -1,
  down: () => 1,
  pageup: (page) => -page,
  pagedown: (page) => page,
};
const READING_MOVES: typeof MOVES = {
  ...MOVES,
  space: (page) => page,
  home: () => -Infinity,
  end: () => Infinity,
};
const BACK_FROM_READING = ["escape", "return", "left", "backspace", "q"];

/** Rows that the list and an open hit leave to other things: the words, the note and the help; the help and a blank. */
const AROUND_LIST = 4;
const AROUND_READING = 2;

/** What a key means at the moment. @param name As `node:readline` names it. */
export function meaningOf({ opened }: Browse, name: string, { rows }: ScreenSize): Pressed {
  const moves = opened === null ? MOVES : READING_MOVES;
  const page = roomIn({ opened }, rows);
  if (Object.hasOwn(moves, name)) return { moveBy: moves[name]!(page) };
  if (opened !== null) return BACK_FROM_READING.includes(name) ? "back" : { moveBy: 0 };
  return name === "return" ? "open" : name === "escape" ? "back" : "type";
}

/** Moves the choice, or what is shown of an open hit. */
export function moved(browse: Browse, by: number, { rows, columns }: ScreenSize): Browse {
  const { hits, chosen, opened } = browse;
  if (opened === null) return { ...browse, chosen: within(chosen + by, hits.length - 1) };
  const last = linesOf(opened, columns).length - roomIn(browse, rows);
  return { ...browse, opened: { ...opened, top: within(opened.top + by, last) } };
}

/** The screen: exactly as many lines as it has rows. */
export function screenOf(browse: Browse, size: ScreenSize): string[] {
  const columns = size.columns - 1;
  const room = roomIn(browse, size.rows);
  const { hits, chosen, opened, note } = browse;
  if (opened !== null) {
    const lines = linesOf(opened, size.columns);
    const top = within(opened.top, lines.length - room);
    const seen = lines.slice(top, top + room);
    const isPart = seen.length < lines.length;
    const where = isPart ? [`${top + seen.length} of ${count(lines.length, "line")}`] : [];
    return [...filled(seen, room), "", helpLine([...READING_HELP, ...where], columns)];
  }
  const top = within(chosen - (room >> 1), hits.length - room);
  const rows = hits.slice(top, top + room).map(({ line }, at) =>
    cutToColumns(`${top + at === chosen ? ">" : " "} ${plain(line)}`, columns)
  );
  return [
    wordsLine(browse, columns),
    cutToColumns(note, columns),
    ...filled(rows, room),
    "",
    helpLine([browse.words === "" ? "Esc ends" : "Esc clears", ...LIST_HELP], columns),
  ];
}

/** What keys do; on a narrow terminal the last ones are left out. */
const LIST_HELP = ["Enter opens", "↑ ↓ choose", "type to search"];
const READING_HELP = ["Esc goes back", "↑ ↓ Space scroll", "Ctrl-C ends"];
const ASKS = "Search: ";

/** The words with the cursor in inverse colours; where they are too long, the part around it. */
function wordsLine({ words, cursor }: Browse, columns: number): string {
  const room = columns - ASKS.length - 1;
  let from = 0;
  while (columnsOf(words.slice(from, cursor)) > room) from++;
  let to = words.length;
  while (columnsOf(words.slice(from, to)) > room) to--;
  const at = words.slice(cursor, cursor + 1) || " ";
  const before = plain(words.slice(from, cursor));
  return `${ASKS}${before}\x1b[7m${plain(at)}\x1b[27m${plain(words.slice(cursor + 1, to))}`;
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

function filled(lines: readonly string[], room: number): string[] {
  return [...lines, ...Array<string>(Math.max(0, room - lines.length)).fill("")];
}

/** From 0 to the last one; 0 where there is none. */
function within(at: number, last: number): number {
  return Math.max(0, Math.min(at, last));
}
