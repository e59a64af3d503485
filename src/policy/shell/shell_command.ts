import { type Argument, literal } from "./word.ts";
import type { Copied, Effect, HowToLook } from "../guards/types.ts";

export interface ShellCommand {
  /** The name of the program without its folder; empty where none is started. */
  readonly program: string;
  /** The words after the program. */
  readonly args: readonly Argument[];
  readonly words: readonly Argument[];
  readonly redirects: readonly { readonly operator: string; readonly target: Argument }[];
  /** What it reads from its standard input, where the script tells: a here-document, an `echo` before the pipe. */
  readonly input: string | undefined;
  /** Whether the script gives it another home, so that it reads other settings. */
  readonly hasOtherHome?: boolean;
  /** Whether a pipe or a file feeds its standard input. */
  readonly isFed?: boolean;
  /** The words of the command before the pipe, if that prints names of files, as `find` does. */
  readonly listing?: readonly Argument[] | undefined;
  /** Values of variables and conditions that hold a substitution in quotes, which a later expansion may run. */
  readonly texts?: readonly string[];
  /** The files that change by the patches which it applies. */
  readonly patched?: readonly Change[];
  readonly folder: string | null;
  /** The value of the variable `GIT_DIR`; undefined where the script does not tell. */
  readonly gitDir: string | undefined;
  /** Whether it is a function of the script; the commands of the function are listed as well. */
  readonly callsFunction: boolean;
  /** The command that starts this one (`sudo rm x` starts `rm x`); null where none does. */
  readonly startedBy: ShellCommand | null;
}

/** A command as people read it: an unknown word is shown as it was written. */
export function shownCommand(words: ShellCommand["words"]): string {
  return words.map(({ text, isOpen, source = `${text}…` }) => isOpen ? source : text).join(" ");
}

/** A change of a file by a command, with how the file is looked up. */
export interface Change extends Pick<HowToLook, "effect" | "search"> {
  readonly word: Argument;
  /** What is copied to the word, or into it. */
  readonly copied?: Copied & { readonly from: Argument; readonly isRemote: boolean };
  /** The folder of an unknown file. */
  readonly within?: Argument;
}

export function marked(words: readonly Argument[], effect: Effect): Change[] {
  return words.map((word) => ({ word, effect }));
}

/** Languages other than Bash. `posix` is that of a shell which reads `((…))` as two subshells. */
export type Language = "powershell" | "posix";

export type Inner =
  | { readonly kind: "command"; readonly words: readonly Argument[] }
  | InnerScript
  /** A script in a file, of a shell or of another program. */
  | { readonly kind: "file"; readonly program: string; readonly file: Argument }
  /** What only the running program knows. */
  | { readonly kind: "unknown"; readonly why: string };

/** A script of the shell. */
interface InnerScript {
  readonly kind: "script";
  readonly text: Argument;
  /** `$1`, `$2` in it. */
  readonly parameters: readonly Argument[];
  /** Absent for Bash. */
  readonly language?: Language;
}

/** Code of another language. */
export function codeFor(program: string): Inner {
  return { kind: "unknown", why: `what the code given to ${program} does` };
}

/** What a shell reads from its standard input. */
export function scriptOnInput(input: string | undefined): Inner {
  return input === undefined
    ? { kind: "unknown", why: "what a shell reads is not known" }
    : scriptFrom(literal(input));
}

export function scriptFrom(text: Argument): InnerScript {
  return { kind: "script", text, parameters: [] };
}

/** Joins words to one text, up to the first word that only the running shell knows. */
export function join(words: readonly Argument[]): Argument {
  const open = words.findIndex(({ isOpen }) => isOpen);
  if (open < 0) return literal(words.map(({ text }) => text).join(" "));
  const text = words.slice(0, open + 1).map((word) => word.text).join(" ");
  return { text, isOpen: true, isGlob: false };
}
