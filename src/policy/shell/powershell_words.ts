/** Words and blocks of PowerShell, as the POSIX shell writes them. */
import { calledAs } from "./cmdlets.ts";
import WORDS from "./powershell.json" with { type: "json" };

/** Methods that tell something or make a new text, and change nothing. */
export const HARMLESS_METHODS: ReadonlySet<string> = new Set(WORDS.harmlessMethods);

/** What a backtick and the sign behind it mean. */
export const ESCAPES: Readonly<Record<string, string>> = {
  ...{ "0": "", a: "\x07", b: "\b", e: "\x1b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" },
  ...{ "\n": "", "\r\n": "" },
};

/** A word as the POSIX shell writes it, and its text where that is known. */
export interface Word {
  readonly bash: string;
  readonly text: string | null;
  /** Whether no part is quoted: then `*` in it is a pattern for every program. */
  readonly isBare?: boolean;
  /** Whether it holds commands. */
  readonly runs?: true;
}

/** A part of a script: its commands, and its values if it holds nothing else. */
export interface Read {
  readonly code: string;
  readonly words: readonly Word[] | null;
}

export const UNKNOWN: Word = { bash: '"$unknown"', text: null };

export function only(code: string): Read {
  return { code, words: null };
}

export function sometimes(code: string): string {
  return code === "" ? "" : `if test "$unknown"\nthen\n:\n${code}\nfi`;
}

export function grouped(code: string): string {
  return `{\n:\n${code}\n}`;
}

export function printing(words: readonly Word[]): string {
  return words.length === 0 ? "" : `printf '%s\\n' ${words.map(({ bash }) => bash).join(" ")}`;
}

export function printedBy(code: string): Word {
  return { bash: `"$(\n${code}\n)"`, text: null, runs: true };
}

/** An unknown value, with the commands that make it. */
export function unknownBy(code: string): Word {
  return { bash: `"$unknown$(\n${code}\n)"`, text: null, runs: true };
}

/** An unknown value, with the commands that make its parts. */
export function unknownOf(words: readonly Word[]): Word {
  const inside = words.filter(({ runs }) => runs);
  return inside.length === 0 ? UNKNOWN : joined([UNKNOWN, ...inside]);
}

export function known(text: string): Word {
  return { bash: quoted(text), text };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export function joined(parts: readonly Word[]): Word {
  if (parts.every(({ text }) => text !== null)) {
    return known(parts.map(({ text }) => text).join(""));
  }
  const runs = parts.some(({ runs }) => runs) ? { runs: true as const } : {};
  // Not `join`: that copies the text before it each time.
  const bash = parts.reduce((all, word) => all + withSlashes(word), "");
  return { bash, text: null, ...runs };
}

/** A part of a path, before or behind a variable. */
function withSlashes({ bash, text }: Word): string {
  return text === null || /\s/.test(text) ? bash : quoted(text.replaceAll("\\", "/"));
}

/** The name that a variable has in the POSIX shell; null where only the running script knows its value. */
export function variableName(written: string): string | null {
  const [, scope = "", name = ""] = /^(?:(\w+):)?(\w+)$/.exec(written) ?? [];
  const plain = name.toLowerCase();
  if (plain === "" || /^(?:_|\d+|args|input|matches|this|psitem|unknown)$/.test(plain)) return null;
  if (/^(?:home|userprofile)$/.test(plain)) return "HOME";
  if (plain === "pwd") return "PWD";
  if (/^env$/i.test(scope)) return name;
  return /^(?:|global|script|local|private|using|variable)$/i.test(scope) ? plain : null;
}

/** A path as the POSIX shell writes it: `/` for `\`, the home for `~`, patterns without quotes. */
export function pathWord({ bash, text, isBare = false }: Word, expands: boolean): string {
  if (text === null) return bash;
  const dashed = text.replace(/^[\u2013-\u2015]/, "-");
  if (/\s/.test(dashed)) return quoted(dashed);
  const path = dashed.replace(/^.*FileSystem::/i, "").replaceAll("\\", "/");
  const [home = ""] = /^~(?=\/|$)/.exec(path) ?? [];
  const rest = path.slice(home.length);
  const pieces = expands || isBare ? rest.split(/([*?]|\[[^\]/]*\])/) : [rest];
  const written = pieces.map((piece, i) => i % 2 === 1 ? piece : piece === "" ? "" : quoted(piece));
  return (home === "" ? "" : '"$HOME"') + written.join("") || "''";
}

/** A command with its words. Only cmdlets take lists; other programs get the values as words. */
export function spelled(program: Word, given: readonly (Word | ",")[]): readonly string[] {
  const texts = given.map((word) => word === "," ? "," : word.text ?? "");
  const called = program.text === null ? null : calledAs(program.text.replaceAll("\\", "/"), texts);
  const isCmdlet = called?.isCmdlet ?? false;
  const words = given.flatMap((word) =>
    word !== "," ? [pathWord(word, isCmdlet)] : isCmdlet ? ["','"] : []
  );
  if (called === null) return [program.bash, ...words];
  const written = [quoted(called.name), ...words];
  const plain = written.filter((word) =>
    !/^'-(?:path|literalpath|childpath|name|value|passthru|option|force)'$/i.test(word)
  );
  if (called.name === "alias") return ["alias", plain.slice(1).join("=")];
  if (called.name === "join-path") return ["printf", "%s", plain.slice(1).join("/")];
  return /^(?:cd|pushd)$/.test(called.name) ? plain : written;
}
