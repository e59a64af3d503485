/** Browses memory in the alternate screen of a terminal. It restores the terminal however browsing ends. */
import { getColumns, getRows, Prompt, settings } from "@clack/core";
import { onEndingSignals, onResize } from "../system/process/start.ts";
import type { Signal } from "../system/processes.ts";
import { columnsOf, cutToColumns, fitToColumns } from "../base/columns.ts";
import { count } from "../base/counts.ts";
import { plain } from "../base/plain.ts";

export interface BrowseSource {
  readonly find: (words: string) => Found;
  readonly open: (id: number) => readonly string[];
}

/** A search begins when the person has not typed for this long, in milliseconds. */
const PAUSE_MS = 80;

const ENTER_SCREEN = "\x1b[?1049h\x1b[H";
const CLEAR_SCREEN = "\x1b[2J\x1b[H";
/** It also shows the cursor, which an error may have left hidden. */
const LEAVE_SCREEN = "\x1b[?25h\x1b[?1049l";

/** Lets a person browse. @returns The signal that ended it, or null if the person did. @throws The source's errors. */
export async function browseOnTerminal(
  source: BrowseSource,
  words: string,
): Promise<Signal | null> {
  // By default the library cancels at Escape; here Escape goes back one step.
  settings.aliases.delete("escape");
  const stopping = new AbortController();
  let endedBy: Signal | null = null;
  using _hearing = onEndingSignals((signal) => {
    endedBy ??= signal;
    stopping.abort();
  });
  await new BrowsePrompt(source, words, stopping.signal).browse();
  return endedBy;
}

class BrowsePrompt extends Prompt<never> {
  readonly #source: BrowseSource;
  #browse: Browse;
  /** Waits until the person stops typing; null once the words have been searched for. */
  #pause: ReturnType<typeof setTimeout> | null = null;
  /** An error that ends browsing; `browse()` throws it at its end. */
  #fault: { readonly thrown: unknown } | null = null;

  constructor(source: BrowseSource, words: string, signal: AbortSignal) {
    super({
      initialUserInput: words,
      signal,
      render: () => screenOf(this.#browse, this.#size()).join("\n"),
    });
    this.#source = source;
    this.#browse = {
      ...source.find(words),
      words,
      cursor: words.length,
      chosen: 0,
      opened: null,
    };
    this.on("key", (_letter, key) => this.#guarded(() => this.#press(key.name ?? "", key.ctrl)));
  }

  async browse(): Promise<void> {
    const { input, output } = this;
    const end = () => this.#end();
    output.write(ENTER_SCREEN);
    input.on("end", end);
    try {
      // This listener runs after the runtime's own, which measures the terminal.
      using _resizing = onResize(() => this.#drawAnew());
      const ended = this.prompt();
      // Without a listener, Ctrl-Z would stop the process and leave its screen to the shell.
      this["rl"]?.on("SIGTSTP", () => {});
      await ended;
    } finally {
      if (this.#pause !== null) clearTimeout(this.#pause);
      input.off("end", end);
      await new Promise((done) => output.write(LEAVE_SCREEN, done));
    }
    if (this.#fault !== null) throw this.#fault.thrown;
  }

  /** Keeps Enter from ending the prompt: it opens a hit. */
  protected override _shouldSubmit(): boolean {
    return false;
  }

  #press(name: string, isControl = false): void {
    // Ctrl-C and Ctrl-D close the library's line.
    if (isControl && (name === "c" || name === "d")) return this.#end();
    const pressed = meaningOf(this.#browse, name, this.#size());
    if (pressed === "type") return this.#type();
    if (pressed === "open") this.#open();
    else if (pressed === "back") this.#goBack();
    else this.#browse = moved(this.#browse, pressed.moveBy, this.#size());
    this.#putWordsBack();
  }

  #type(): void {
    const { userInput: words, _cursor: cursor } = this;
    const isSame = words === this.#browse.words;
    this.#browse = { ...this.#browse, words, cursor };
    if (isSame) return;
    if (this.#pause !== null) clearTimeout(this.#pause);
    this.#pause = setTimeout(() => {
      this.#guarded(() => this.#search());
      this["render"]();
    }, PAUSE_MS);
  }

  #search(): void {
    if (this.#pause !== null) clearTimeout(this.#pause);
    this.#pause = null;
    this.#browse = { ...this.#browse, ...this.#source.find(this.#browse.words), chosen: 0 };
  }

  #open(): void {
    if (this.#pause !== null) this.#search();
    const hit = this.#browse.hits[this.#browse.chosen];
    if (hit === undefined) return;
    this.#browse = { ...this.#browse, opened: { lines: this.#source.open(hit.id), top: 0 } };
  }

  /** Goes from an open hit to the list, from a search to all observations, and from there out. */
  #goBack(): void {
    const { opened, words } = this.#browse;
    if (opened !== null) this.#browse = { ...this.#browse, opened: null };
    else if (words === "") this.#end();
    else {
      this.#browse = { ...this.#browse, words: "", cursor: 0 };
      this.#search();
    }
  }

  /** Restores the words: the library changes its line at Enter, arrows, and letters typed while a hit is open. */
  #putWordsBack(): void {
    this._clearUserInput();
    this._setUserInput(this.#browse.words, true);
    this.#browse = { ...this.#browse, cursor: this.#browse.words.length };
  }

  /** Draws the whole screen; the library alone would draw only the changed lines. */
  #drawAnew(): void {
    this.output.write(CLEAR_SCREEN);
    this["_prevFrame"] = "";
    this["render"]();
  }

  #size(): ScreenSize {
    return { rows: getRows(this.output), columns: getColumns(this.output) };
  }

  /** Catches errors of keys and timers: nothing else would, and the terminal would stay in the alternate screen. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.#fault ??= { thrown };
      this.#end();
    }
  }

  #end(): void {
    this.state = "cancel";
    this.close();
  }
}

interface Hit {
  readonly id: number;
  /** Its line in the list. */
  readonly line: string;
}

interface Found {
  readonly hits: readonly Hit[];
  /** A remark about the hits: that they are the newest, or that nothing was found. */
  readonly note: string;
}

interface Browse extends Found {
  readonly words: string;
  /** The place of the next letter, as an index into the words. */
  readonly cursor: number;
  /** The index of the chosen hit. */
  readonly chosen: number;
  /** The lines of the open hit, and the index of the first one on the screen. */
  readonly opened: { readonly lines: readonly string[]; readonly top: number } | null;
}

interface ScreenSize {
  readonly rows: number;
  readonly columns: number;
}

/** The meaning of a key; "type" leaves it to the line of words. */
type Pressed = "back" | "open" | "type" | { readonly moveBy: number };

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
function meaningOf({ opened }: Browse, name: string, { rows }: ScreenSize): Pressed {
  const moves = opened === null ? MOVES : READING_MOVES;
  const page = roomIn({ opened }, rows);
  if (Object.hasOwn(moves, name)) return { moveBy: moves[name]!(page) };
  if (opened !== null) return BACK_FROM_READING.includes(name) ? "back" : { moveBy: 0 };
  return name === "return" ? "open" : name === "escape" ? "back" : "type";
}

/** Moves the choice in the list, or scrolls an open hit. */
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
