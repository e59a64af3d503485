/** Browses memory on a terminal, in its alternate screen, and leaves it as it was however it ends. */
import { getColumns, getRows, Prompt, settings } from "@clack/core";
import { onEndingSignals, onResize } from "../system/process/start.ts";
import type { Signal } from "../system/processes.ts";
import { type Browse, type Found, meaningOf, moved, screenOf, type ScreenSize } from "./browse.ts";

/** Where browsing finds things. */
export interface BrowseSource {
  readonly find: (words: string) => Found;
  /** The lines of an observation. */
  readonly open: (id: number) => readonly string[];
}

/** A search begins when nobody has typed for this long, in milliseconds. */
const PAUSE_MS = 80;

const ENTER_SCREEN = "\x1b[?1049h\x1b[H";
const CLEAR_SCREEN = "\x1b[2J\x1b[H";
/** Also shows the cursor, which an error may have left hidden. */
const LEAVE_SCREEN = "\x1b[?25h\x1b[?1049l";

/** Lets a person browse until they end it. @returns The signal that ended it; null when the person did. @throws What the source throws. */
export async function browseOnTerminal(
  source: BrowseSource,
  words: string,
): Promise<Signal | null> {
  // Here Escape goes back first.
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
  /** Waits for a pause in what is typed; null when all of it was searched for. */
  #pause: ReturnType<typeof setTimeout> | null = null;
  /** What went wrong; browsing ends, and then it is thrown. */
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
      ...{ words, cursor: words.length, chosen: 0, opened: null },
    };
    this.on("key", (_letter, key) => this.#guarded(() => this.#press(key.name ?? "", key.ctrl)));
  }

  async browse(): Promise<void> {
    const { input, output } = this;
    const end = () => this.#end();
    output.write(ENTER_SCREEN);
    input.on("end", end);
    try {
      // Comes after the runtime's own listener, which measures.
      using _resizing = onResize(() => this.#drawAnew());
      const ended = this.prompt();
      // Where nobody listens, Ctrl-Z stops the process and leaves its screen to the shell.
      this["rl"]?.on("SIGTSTP", () => {});
      await ended;
    } finally {
      if (this.#pause !== null) clearTimeout(this.#pause);
      input.off("end", end);
      await new Promise((done) => output.write(LEAVE_SCREEN, done));
    }
    if (this.#fault !== null) throw this.#fault.thrown;
  }

  /** Enter opens a hit and ends nothing. */
  protected override _shouldSubmit(): boolean {
    return false;
  }

  #press(name: string, isControl = false): void {
    // The library's line is closed by them.
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

  /** From a hit to the list, from a search to none, and out. */
  #goBack(): void {
    const { opened, words } = this.#browse;
    if (opened !== null) this.#browse = { ...this.#browse, opened: null };
    else if (words === "") this.#end();
    else {
      this.#browse = { ...this.#browse, words: "", cursor: 0 };
      this.#search();
    }
  }

  /** The library's line takes Enter, arrows and what is typed beside an open hit in its own way. */
  #putWordsBack(): void {
    this._clearUserInput();
    this._setUserInput(this.#browse.words, true);
    this.#browse = { ...this.#browse, cursor: this.#browse.words.length };
  }

  /** Draws the whole screen, where the library draws only the lines that are new. */
  #drawAnew(): void {
    this.output.write(CLEAR_SCREEN);
    this["_prevFrame"] = "";
    this["render"]();
  }

  #size(): ScreenSize {
    return { rows: getRows(this.output), columns: getColumns(this.output) };
  }

  /** Nobody else would catch what a key or a timer throws, and the terminal would stay as it is. */
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
