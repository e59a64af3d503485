import { type Argument, withText } from "./word.ts";
import type { Effect, Search } from "../guards/types.ts";

export interface ShellCommand {
  readonly words: readonly Argument[];
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

/** A command as people read it: a word that is not known yet is shown as it was written. */
export function shownCommand(words: ShellCommand["words"]): string {
  return words.map(({ text, isOpen, source = `${text}…` }) => isOpen ? source : text).join(" ");
}

export interface Change {
  readonly word: Argument;
  readonly effect: Effect;
  /** True when it holds only if the parent is a folder: `cp a b` makes `b/a` if `b` is one. */
  readonly ifInFolder?: boolean;
  /** True when it holds only if no folder is there. */
  readonly ifNoFolder?: boolean;
  /** What is copied there: the copy of a folder is a folder. */
  readonly from?: Argument;
  /** True when the content of the source is copied, and not the source itself. */
  readonly isContents?: boolean;
  /** True when a part of what is copied may stay behind. */
  readonly leavesSome?: boolean;
  /** The word is a folder; meant are files in it, named like those that this pattern stands for. */
  readonly namedLike?: Argument;
  /** The word is where a search begins: what it finds is meant. */
  readonly search?: Search;
  /** Of an unknown file: its folder. */
  readonly within?: Argument;
}

/** A file of which only the running program knows the name. */
export const SOMEWHERE: Argument = { text: "", isOpen: true, isGlob: false };

export function marked(words: readonly Argument[], effect: Effect): Change[] {
  return words.map((word) => ({ word, effect }));
}

/** A destination may be a folder: then the file in it has the source's name. */
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

/** `sqlite3 FILE`: its first operand, which may be an address. */
export function changesOfDatabase(rest: readonly Argument[]): Change[] {
  if (onlyReads(rest)) return [];
  const file = rest.find(({ text, isOpen }, i) =>
    (isOpen || !text.startsWith("-")) && !VALUED_OF_SQLITE.test(rest[i - 1]?.text ?? "")
  );
  if (file === undefined) return [];
  const text = file.text.replace(/^file:(?:\/\/(?:localhost)?(?=\/))?([^?]*).*$/s, "$1");
  return [{ word: { ...file, text }, effect: "tamper" }];
}
