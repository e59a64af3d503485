/** Browses memory in the alternate screen of a terminal. It restores the terminal however browsing ends. */
import { getColumns, getRows, Prompt, settings } from "@clack/core";
import { onEndingSignals, onResize } from "../system/process/start.ts";
import type { Signal } from "../system/processes.ts";
import { type Browse, type Found, meaningOf, moved, screenOf, type ScreenSize } from "./browse.ts";

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
