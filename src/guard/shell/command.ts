import type { Change } from "./changes.ts";
import type { Argument } from "./word.ts";

/** One command of a script. */
export interface ShellCommand {
  /** The program and its arguments. */
  readonly words: readonly Argument[];
  /** Where its input and output come from and go to. */
  readonly redirects: readonly { readonly operator: string; readonly target: Argument }[];
  /** What it reads from its standard input, where the script says so: a here-document, an `echo` before the pipe. */
  readonly input: string | undefined;
  /** The words of the command before the pipe, where that prints names of files: `find`. */
  readonly listing?: readonly Argument[] | undefined;
  /** The files that change by the patches that it applies. */
  readonly patched?: readonly Change[];
  /** The folder in which it runs, absolute; null when that cannot be told. */
  readonly folder: string | null;
  /** What the variable `GIT_DIR` holds for it; undefined where the script does not say. */
  readonly gitDir: string | undefined;
  /** Whether it is a function of the script, whose commands are listed beside it. */
  readonly callsFunction: boolean;
  /** The command that starts this one (`sudo rm x` starts `rm x`); null for one that stands by itself. */
  readonly startedBy: ShellCommand | null;
}

/** A command for people: what is not known before it runs stands there as it was written. */
export function shownCommand(words: ShellCommand["words"]): string {
  return words.map(({ text, isOpen, source = `${text}…` }) => isOpen ? source : text).join(" ");
}
