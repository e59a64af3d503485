/** Files that a script writes: it may run them afterwards. */
import { resolvePath } from "../../paths.ts";
import type { ShellCommand } from "./command.ts";
import type { Argument } from "./word.ts";
import { programName } from "./wrappers.ts";
import { findTargets } from "./writes.ts";

/** Redirections that write a whole file of which the script may say what is in it, or add to one. */
const REDIRECTS = new Set([">", ">|", ">>", "&>", "&>>"]);
/** Programs that write their input into a file, or load one. */
const PROGRAMS = new Set(["tee", "curl", "wget"]);

/** The files that commands wrote so far, by their paths. */
export class WrittenScripts {
  /** Null where nobody knows what is in it. */
  readonly #texts = new Map<string, string | null>();

  /** Notes what a command writes; `printed` is what it prints, if that is known. */
  note(command: ShellCommand, printed: string | undefined): void {
    const [program] = command.words;
    const isMaking = program !== undefined && PROGRAMS.has(programName(program.text));
    if (!isMaking && command.redirects.length === 0) return;
    for (const { path, by } of findTargets(command)) {
      if (path === null || !(REDIRECTS.has(by) || PROGRAMS.has(by))) continue;
      const text = by === "tee" ? command.input : /^>\|?$/.test(by) ? printed : undefined;
      this.#texts.set(path, text ?? null);
    }
  }

  /** What is in a file; null when that is not known, undefined when the script did not write it. */
  textOf({ text, isOpen }: Argument, folder: string | null): string | null | undefined {
    if (isOpen || (folder === null && !text.startsWith("/"))) return undefined;
    const written = this.#texts.get(resolvePath(text, { folder: folder ?? "/" }));
    // With another first line it is no script of the shell.
    return written && /^#!(?!.*sh\b)/.test(written) ? null : written;
  }
}
