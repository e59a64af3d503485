/** Browses memory in the alternate screen of a terminal, and restores the terminal however browsing ends. */
import { stdin, stdout } from "node:process";
import { createInterface, type Key } from "node:readline";
import { Writable } from "node:stream";
import { columnsOf, cutToColumns, fitToColumns } from "../base/columns.ts";
import { count } from "../base/counts.ts";
import { plain } from "../base/plain.ts";
import { onEndingSignals, onResize } from "../system/process/start.ts";
import type { Signal } from "../system/processes.ts";

/** A search begins when the person has not typed for this long, in milliseconds. */
const PAUSE_MS = 80;
/** How long the rest of an arrow key's letters may take after its Escape, in milliseconds. */
const ESCAPE_MS = 50;

const ENTER_SCREEN = "\x1b[?1049h\x1b[?25l";
const LEAVE_SCREEN = "\x1b[?25h\x1b[?1049l";

/** Lets a person browse. @returns The signal that ended it, or null if the person did. @throws The source's errors. */
export async function browseOnTerminal(
  source: {
    readonly find: (words: string) => Found;
    readonly open: (id: number) => readonly string[];
  },
  words: string,
): Promise<Signal | null> {
  let browse: Browse = {
    ...source.find(words),
    ...{ words, cursor: words.length, chosen: 0, opened: null },
  };
  const { promise: ended, resolve: end, reject } = Promise.withResolvers<Signal | null>();
  // The line edits the words and prints nothing: the screen is drawn here.
  const output = new Writable({ write: (_text, _encoding, done) => done() });
  const how = { terminal: true, prompt: "", escapeCodeTimeout: ESCAPE_MS };
  const line = createInterface({ input: stdin, output, ...how });
  line.write(words);
  const size = () => ({ rows: stdout.rows ?? 20, columns: stdout.columns ?? 80 });
  /** Draws what the work changes. An error ends browsing: nothing else would catch it and restore the terminal. */
  const redraw = (work = () => {}) => {
    try {
      work();
      stdout.write(`\x1b[H${screenOf(browse, size()).join("\x1b[K\r\n")}\x1b[J`);
    } catch (thrown) {
      reject(thrown);
    }
  };
  /** Waits until the person stops typing; undefined once the words have been searched for. */
  let pause: ReturnType<typeof setTimeout> | undefined;
  const search = () => {
    clearTimeout(pause);
    pause = undefined;
    browse = { ...browse, ...source.find(browse.words), chosen: 0 };
  };
  const type = () => {
    const { line: words, cursor } = line;
    const isSame = words === browse.words;
    browse = { ...browse, words, cursor };
    if (isSame) return;
    clearTimeout(pause);
    pause = setTimeout(() => redraw(search), PAUSE_MS);
  };
  const open = () => {
    if (pause !== undefined) search();
    const hit = browse.hits[browse.chosen];
    if (hit !== undefined) browse = { ...browse, opened: { lines: source.open(hit.id), top: 0 } };
  };
  const press = (name: string) => {
    const { opened, words } = browse;
    const moves = opened === null ? MOVES : READING_MOVES;
    const by = moves[name]?.(roomIn(browse, size().rows));
    if (by !== undefined) browse = moved(browse, by, size());
    else if (opened !== null) {
      if (BACK_FROM_READING.includes(name)) browse = { ...browse, opened: null };
    } else if (name === "return") open();
    else if (name !== "escape") return type();
    else if (words === "") return end(null);
    else {
      browse = { ...browse, words: "" };
      search();
    }
    // The line has changed at Enter, at arrows, and at letters typed while a hit is open.
    line.write(null, { ctrl: true, name: "e" });
    line.write(null, { ctrl: true, name: "u" });
    line.write(browse.words);
    browse = { ...browse, cursor: browse.words.length };
  };
  const onKey = (_letter: string, { name = "", ctrl }: Key) =>
    ctrl && (name === "c" || name === "d") ? end(null) : redraw(() => press(name));
  using _hearing = onEndingSignals(end);
  // This listener runs after the runtime's own, which measures the terminal.
  using _resizing = onResize(() => redraw());
  stdin.on("keypress", onKey);
  line.on("close", () => end(null));
  // Without a listener, Ctrl-Z would stop the process and leave its screen to the shell.
  line.on("SIGTSTP", () => {});
  stdout.write(ENTER_SCREEN);
  redraw();
  try {
    return await ended;
  } finally {
    clearTimeout(pause);
    stdin.off("keypress", onKey);
    line.close();
    await new Promise((done) => stdout.write(LEAVE_SCREEN, done));
  }
}

interface Found {
  readonly hits: readonly { readonly id: number; readonly line: string }[];
  /** A remark about the hits: that they are the newest, or that nothing was found. */
  readonly note: string;
}

interface Browse extends Found {
  readonly words: string;
  /** The place of the next letter, as an index into the words. */
  readonly cursor: number;
  readonly chosen: number;
  /** The lines of the open hit, and the index of the first one on the screen. */
  readonly opened: { readonly lines: readonly string[]; readonly top: number } | null;
}

type ScreenSize = Readonly<Record<"rows" | "columns", number>>;

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

function moved(browse: Browse, by: number, { rows, columns }: ScreenSize): Browse {
  const { hits, chosen, opened } = browse;
  if (opened === null) return { ...browse, chosen: clamped(chosen + by, hits.length - 1) };
  const last = linesOf(opened, columns).length - roomIn(browse, rows);
  return { ...browse, opened: { ...opened, top: clamped(opened.top + by, last) } };
}

/** Draws the screen: exactly one line for each row. */
function screenOf(browse: Browse, size: ScreenSize): string[] {
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
