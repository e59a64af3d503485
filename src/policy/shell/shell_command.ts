import { type Argument, literal } from "./word.ts";
import type { Copied, Effect, HowToLook } from "../guards/types.ts";

export interface ShellCommand {
  /** The name of the program without its folder; empty where none is started. */
  readonly program: string;
  /** The words after the program. */
  readonly args: readonly Argument[];
  readonly words: readonly Argument[];
  readonly redirects: readonly { readonly operator: string; readonly target: Argument }[];
  /** The text of its standard input, where the script shows it: a here-document, an `echo` before the pipe. */
  readonly input: string | undefined;
  /** Whether only the running shell knows a part of that text. */
  readonly isInputOpen?: boolean | undefined;
  /** Whether the script sets another home for the command, so that it reads other settings. */
  readonly hasOtherHome?: boolean;
  /** Whether a pipe or a file feeds its standard input. */
  readonly isFed?: boolean;
  /** The words of the command before the pipe, if that prints names of files, as `find` does. */
  readonly listing?: readonly Argument[] | undefined;
  /** Texts that may run later: quoted substitutions in values and conditions, and what a group prints into a pipe. */
  readonly texts?: readonly string[];
  /** The files that its patches change. */
  readonly patched?: readonly Change[];
  /** The commands and scripts that it runs. */
  readonly starts: readonly Inner[];
  readonly folder: string | null;
  /** The value of the variable `GIT_DIR`; undefined where it is unset or unknown. */
  readonly gitDir: string | undefined;
  /** Whether it calls a function of the script, whose commands are listed as well. */
  readonly callsFunction: boolean;
  /** The command that starts this one (`sudo rm x` starts `rm x`); null where none does. */
  readonly startedBy: ShellCommand | null;
}

/** Writes a command for people, with unknown words as the script writes them. */
export function shownCommand(words: ShellCommand["words"]): string {
  return words.map(({ text, isOpen, source = `${text}…` }) => isOpen ? source : text).join(" ");
}

/** A change of a file by a command, and how to look up the file. */
export interface Change extends Pick<HowToLook, "effect" | "search"> {
  readonly word: Argument;
  /** The source that is copied to the word's path, or into it. */
  readonly copied?: Copied & { readonly from: Argument; readonly isRemote: boolean };
  /** The folder of an unknown file. */
  readonly within?: Argument;
}

export function marked(words: readonly Argument[], effect: Effect): Change[] {
  return words.map((word) => ({ word, effect }));
}

/** Languages other than Bash. `posix` is the language of a shell that reads `((…))` as two subshells. */
export type Language = "powershell" | "posix";

export type Inner =
  | { readonly kind: "command"; readonly words: readonly Argument[] }
  /** A script of the shell, with the values of `$1`, `$2`; without a language it is Bash. */
  | {
    readonly kind: "script";
    readonly text: Argument;
    readonly parameters: readonly Argument[];
    readonly language?: Language;
  }
  /** A script in a file, of a shell or of another program. */
  | { readonly kind: "file"; readonly program: string; readonly file: Argument }
  /** A command that only the running program knows. */
  | { readonly kind: "unknown"; readonly why: string };

/** Stands for code of another language, whose effect is unknown. */
export function codeFor(program: string): Inner {
  return { kind: "unknown", why: `what the code given to ${program} does is not known` };
}

/** Returns the script that a shell reads from its standard input. */
export function scriptOnInput(
  { input, isInputOpen = false }: Pick<ShellCommand, "input" | "isInputOpen">,
): Inner {
  return input === undefined
    ? { kind: "unknown", why: "what a shell reads is not known" }
    : scriptFrom({ ...literal(input), isOpen: isInputOpen });
}

export function scriptFrom(text: Argument): Extract<Inner, { kind: "script" }> {
  return { kind: "script", text, parameters: [] };
}

/** Joins words to one text, up to the first word that only the running shell knows. */
export function join(words: readonly Argument[], between = " "): Argument {
  const open = words.findIndex(({ isOpen }) => isOpen);
  const known = open < 0 ? words : words.slice(0, open + 1);
  return { ...literal(known.map(({ text }) => text).join(between)), isOpen: open >= 0 };
}

/** Returns the script that the value of a git alias stands for. */
export function meantByAlias(value: string): string {
  return value.startsWith("!") ? value.slice(1) : `git ${value}`;
}
