import { type Argument, literal, OPEN, withText } from "./word.ts";
import type { Effect, HowToLook } from "../guards/types.ts";
import type { Operands } from "./operands.ts";
import type { Writer } from "./writers.ts";

export interface ShellCommand {
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
export interface Change extends
  Pick<
    HowToLook,
    "effect" | "ifInFolder" | "ifNoFolder" | "isContents" | "leavesSome" | "search"
  > {
  readonly word: Argument;
  /** What is copied to the word; the copy of a folder is a folder. */
  readonly from?: Argument;
  /** The word is a folder. Meant are the files in it whose names match this pattern. */
  readonly namedLike?: Argument;
  /** The folder of an unknown file. */
  readonly within?: Argument;
}

export function marked(words: readonly Argument[], effect: Effect): Change[] {
  return words.map((word) => ({ word, effect }));
}

/** If the destination is a folder, the file in it has the source's name. */
export function placesIn(
  folder: Argument,
  sources: readonly Argument[],
  effect: "change" | "fill" = "change",
): Change[] {
  return sources.filter(({ isOpen }) => !isOpen).flatMap((from): Change[] => {
    if (from.isGlob) return [{ word: folder, effect, ifInFolder: true, namedLike: from }];
    const name = from.text.replace(/\/+$/, "").replace(/^.*[/:]/s, "");
    const word = withText(folder, `${folder.text}/${name}`);
    return /^\.{0,2}$/.test(name) ? [] : [{ word, effect, ifInFolder: true, from }];
  });
}

export const DATABASE_PROGRAMS: ReadonlySet<string> = new Set([
  "sqlite3",
  "sqlite",
  "litecli",
  "sqlcipher",
]);
const READ_ONLY = /^--?readonly$|[?&](?:mode=ro|immutable=1)\b/;
const VALUED_OF_SQLITE =
  /^--?(?:cmd|init|separator|newline|nullvalue|vfs|mmap|maxsize|pagecache|lookaside|heap|key|A)$/;

/** Whether such a program opens the database read-only. */
export function onlyReads(rest: readonly Argument[]): boolean {
  return rest.some(({ text }) => READ_ONLY.test(text));
}

/** The file that `sqlite3 FILE` opens: the first operand, which may be an address. */
export function changesOfDatabase(rest: readonly Argument[]): Change[] {
  if (onlyReads(rest)) return [];
  const file = rest.find(({ text, isOpen }, i) =>
    (isOpen || !text.startsWith("-")) && !VALUED_OF_SQLITE.test(rest[i - 1]?.text ?? "")
  );
  if (file === undefined) return [];
  const text = file.text.replace(/^file:(?:\/\/(?:localhost)?(?=\/))?([^?]*).*$/s, "$1");
  return [{ word: { ...file, text }, effect: "tamper" }];
}

/** Languages that are rewritten for Bash before they are read. `posix` reads `((…))` as two subshells. */
export type Language = "powershell" | "posix";

export type Inner =
  | { readonly kind: "command"; readonly words: readonly Argument[] }
  /** A script of the shell; `parameters` are `$1`, `$2` in it. */
  | {
    readonly kind: "script";
    readonly text: Argument;
    readonly parameters: readonly Argument[];
    /** Absent for Bash. */
    readonly language?: Language;
  }
  /** A shell that runs what it reads from its standard input. */
  | { readonly kind: "stdin" }
  /** A script in a file, of a shell or of another program. */
  | { readonly kind: "file"; readonly program: string; readonly file: Argument }
  /** Code of another language. */
  | { readonly kind: "code"; readonly program: string };

export interface ScriptOption {
  readonly letter: string;
  readonly long: string;
}

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

/** Joins words to one text, up to the first word that only the running shell knows. */
export function join(words: readonly Argument[]): Argument {
  const open = words.findIndex(({ isOpen }) => isOpen);
  if (open < 0) return literal(words.map(({ text }) => text).join(" "));
  const text = words.slice(0, open + 1).map((word) => word.text).join(" ");
  return { text, isOpen: true, isGlob: false };
}

export function changesOfCopy(
  { operands: kind, copies }: Pick<Writer, "operands" | "copies">,
  { operands, outputs, options }: Operands,
): Change[] {
  const has = (option: RegExp | undefined) => options.some((text) => option?.test(text));
  const isMoved = kind === "moved";
  const isRecursive = isMoved || has(copies?.recursive);
  const isOnto = isRecursive && has(copies?.onto);
  const isRemote = ({ text }: Argument) => copies?.remote?.test(text) ?? false;
  const isPlain = (word: Argument) => !word.isOpen && !word.isGlob && !isRemote(word);
  const isEmptied = ({ text }: Argument) => isOnto || (copies?.contents.test(text) ?? false);
  const isContents = (word: Argument) => isRecursive && isPlain(word) && isEmptied(word);
  const sources = outputs.length > 0 ? operands : operands.slice(0, -1);
  const to = (outputs.length > 0 ? outputs : operands.slice(1).slice(-1))
    .filter((word) => !isRemote(word) && word.text !== "-");
  const contents = sources.filter(isContents);
  const named = sources.filter((word) => !isContents(word));
  const isVague = has(copies?.clears) || named.some((word) => word.isOpen || isEmptied(word));
  // Of a source on another machine only the name tells whether it is a folder.
  const [first] = sources;
  const isFolderThere = first !== undefined && isRemote(first) &&
    (isRecursive || !/\.\w+$/.test(first.text));
  // If the destination does not exist, the copy of the folder gets its name.
  const made = isRecursive && copies?.makes === "copy" ? named.filter(isPlain) : [];
  const isHeld = ({ from }: Change) =>
    copies?.makes === "holder" && from !== undefined && isPlain(from);
  const leavesSome = has(copies?.leaves);
  const changes = to.flatMap((word): Change[] => {
    const filled = (from: Argument): Change => ({ word, effect: "fill", from });
    return [
      {
        word: isFolderThere ? withText(word, `${word.text}/`) : word,
        effect: "change",
        from: first!,
      },
      ...placesIn(word, sources),
      ...(isRecursive ? placesIn(word, named, "fill") : [])
        .map((place) => ({ ...place, ifInFolder: !isHeld(place) })),
      ...contents.map((from) => ({ ...filled(from), isContents: true })),
      ...made.map((from) => ({ ...filled(from), ifNoFolder: true })),
      ...(isVague ? marked([word], "fill") : []),
      ...(isVague ? [{ word: OPEN, effect: "change", within: word } as const] : []),
    ];
  });
  return [
    ...changes.map((change) => ({ ...change, leavesSome })),
    ...marked(
      isMoved || has(copies?.moves) ? sources.filter((word) => !isRemote(word)) : [],
      "remove",
    ),
  ];
}
