/** What a command may run beside itself, and how it is told. */
import { type Argument, literal } from "./word.ts";

/** Languages that are written anew in Bash's before they are read; `posix` knows no `((…))` but two subshells. */
export type Language = "powershell" | "posix";

/** What a command runs beside itself. */
export type Inner =
  | { readonly kind: "command"; readonly words: readonly Argument[] }
  /** More of the shell's language; `parameters` are `$1`, `$2` in it. */
  | {
    readonly kind: "script";
    readonly text: Argument;
    readonly parameters: readonly Argument[];
    /** Absent for the shell's own. */
    readonly language?: Language;
  }
  /** A shell that reads what it runs from its standard input. */
  | { readonly kind: "stdin" }
  /** A script in a file, of a shell or of another program. */
  | { readonly kind: "file"; readonly program: string; readonly file: Argument }
  /** Code of another language. */
  | { readonly kind: "code"; readonly program: string };

/** The option whose value is a script, by its letter and its long name. */
export interface ScriptOption {
  /** Empty where it has none. */
  readonly letter: string;
  readonly long: string;
}

/** A script that is run without parameters. */
export function scriptFrom(text: Argument): Inner {
  return { kind: "script", text, parameters: [] };
}

/** The script behind an option: `-c "…"`, `-qc "…"`, `-c"…"`, `--command "…"`, `--command="…"`. */
export function afterOption(
  { letter, long }: ScriptOption,
  rest: readonly Argument[],
): Inner | undefined {
  for (const [i, word] of rest.entries()) {
    const { text } = word;
    if (text === "--") return undefined;
    const isAlone = text === `--${long}` ||
      (letter !== "" && /^-[a-zA-Z]+$/.test(text) && text.endsWith(letter));
    if (isAlone) return rest[i + 1] && scriptFrom(rest[i + 1]!);
    const joined = [`--${long}=`, ...(letter === "" ? [] : [`-${letter}`])]
      .find((option) => text.startsWith(option));
    if (joined !== undefined) return scriptFrom({ ...word, text: text.slice(joined.length) });
  }
  return undefined;
}

/** Words as one text, up to where only the running shell knows more. */
export function join(words: readonly Argument[]): Argument {
  const open = words.findIndex(({ isOpen }) => isOpen);
  if (open < 0) return literal(words.map(({ text }) => text).join(" "));
  const text = words.slice(0, open + 1).map((word) => word.text).join(" ");
  return { text, isOpen: true, isGlob: false };
}
