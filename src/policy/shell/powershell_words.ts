/** Translates words of PowerShell into words of the POSIX shell. */
import { calledAs } from "./cmdlets.ts";
import { join } from "./shell_command.ts";
import { type Argument, OPEN, withText } from "./word.ts";

export interface Word extends Argument {
  /** Whether no part of the word is quoted: then its `*` is a pattern for every program. */
  readonly isBare?: boolean;
}

/** Joins parts to one word; a single part stays as it is. */
export function joined(parts: readonly Argument[], between = ""): Argument {
  return parts.length === 1 ? parts[0]! : join(parts, between);
}

/** Returns the name that a variable has in the POSIX shell; null where only the running script knows its value. */
export function variableName(written: string): string | null {
  const [, scope = "", name = ""] = /^(?:(\w+):)?(\w+)$/.exec(written) ?? [];
  const plain = name.toLowerCase();
  if (plain === "" || /^(?:_|\d+|args|input|matches|this|psitem|unknown)$/.test(plain)) return null;
  if (/^(?:home|userprofile)$/.test(plain)) return "HOME";
  if (plain === "pwd") return "PWD";
  if (/^env$/i.test(scope)) return name;
  return /^(?:|global|script|local|private|using|variable)$/i.test(scope) ? plain : null;
}

/** Writes a word as a POSIX path: `/` for `\`, the home for `~`. A word that `expands` may be a pattern. */
export function texted(
  { isBare = false, ...word }: Word,
  { expands, home }: { readonly expands: boolean; readonly home: string | undefined },
): Argument {
  const dashed = word.text.replace(/^[\u2013-\u2015]/, "-");
  if (/\s/.test(dashed)) return withText(word, dashed);
  const path = dashed.replace(/^.*FileSystem::/i, "").replaceAll("\\", "/");
  const isPattern = (expands || isBare) && /[*?]|\[[^\]/]*\]/.test(path);
  if (!/^~(?=\/|$)/.test(path)) {
    return { ...withText(word, path), isGlob: word.isGlob || isPattern };
  }
  return home === undefined ? OPEN : { ...withText(word, home + path.slice(1)), isGlob: isPattern };
}

/** Parameters, to leave out, of cmdlets for which the POSIX shell has a command. */
const NAMED = /^-(?:path|literalpath|childpath|name|value|passthru|option|force)$/i;

/**
 * Translates a command into words of the POSIX shell. Only cmdlets take lists; other programs get values as words.
 * @returns `words` is empty for a cmdlet that only returns a value.
 */
export function shellWords(
  program: Word,
  given: readonly Word[],
  home: string | undefined,
): Readonly<Record<"words" | "prints", readonly Argument[]>> {
  const { name, isCmdlet } = program.isOpen
    ? { name: null, isCmdlet: false }
    : calledAs(program.text.replaceAll("\\", "/"), given.map(({ text }) => text));
  const words = given.filter(({ text, isBare }) => isCmdlet || text !== "," || isBare !== undefined)
    .map((word) => texted(word, { expands: isCmdlet, home }));
  if (name === null) return { words: [program, ...words], prints: [OPEN] };
  const plain = words.filter(({ text }) => !NAMED.test(text));
  const called = withText(program, name);
  switch (name) {
    case "join-path":
      return { words: [], prints: [joined(plain, "/")] };
    case "alias":
      return { words: [called, joined(plain, "=")], prints: [] };
    case "echo":
      return { words: [called, ...words], prints: [joined(plain, " ")] };
    case "cd":
    case "pushd":
      return { words: [called, ...plain], prints: [] };
    default:
      return { words: [called, ...words], prints: [OPEN] };
  }
}
