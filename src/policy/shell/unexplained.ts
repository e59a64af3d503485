/**
 * Finds the names in a command that no table explains. A program in no table of readers or writers may do anything with
 * its words, and a program that runs code may do anything with the names in that code.
 */
import { gitCall } from "./git_call.ts";
import { programName, split, type ValuedOptions } from "./operands.ts";
import READERS from "./readers.json" with { type: "json" };
import { rowsByName } from "./rows.ts";
import type { ShellCommand } from "./shell_command.ts";
import { isContaining, powerShell, takesFile } from "./wrappers.ts";
import { type Argument, literal, withText } from "./word.ts";
import { isExplained } from "./writes.ts";

export interface Unexplained {
  /** Words that may be paths, or contain one. */
  readonly words?: readonly Argument[];
  /** Code and values that may contain paths. */
  readonly texts?: readonly string[];
  /** Code that the program plainly runs as a command. */
  readonly scripts?: readonly string[];
}

const wordsOf = (list: string) => new Set(list.split(" "));
const LOOKING = wordsOf(READERS.programs.join(" "));
const READING = new Set([...LOOKING, ...wordsOf(READERS.runsFiles)]);
/** Programs with verbs that only read, unless the command has a word of `unless`. */
const VERBS = rowsByName<ValuedOptions & { readonly verbs: string; readonly unless?: string }>(
  READERS.verbs,
);
const INPUTS = wordsOf(READERS.inputs);
const CODE_IN_WORDS = wordsOf(READERS.codeInWords);
const CODE_ON_INPUT = wordsOf(READERS.codeOnInput);

export function unexplained(command: ShellCommand): Unexplained {
  const { program: name, words, args: rest, input, texts = [], callsFunction } = command;
  if (words.length === 0) return { texts };
  if (callsFunction || isReader(command)) return {};
  const mounted = inMounts(command);
  if (mounted !== null) return { words: mounted };
  const read = input === undefined ? texts : [...texts, input];
  const onInput = CODE_ON_INPUT.has(name) ? read : [];
  if (CODE_IN_WORDS.has(name)) return { texts: [...textsOf(rest.filter(isCode)), ...onInput] };
  if (isExplained(command)) return { texts: onInput };
  const [started] = command.starts;
  if (started?.kind === "file" && !takesFile(name)) {
    // The script itself is only read.
    const script = rest.findIndex(({ text }) => !text.startsWith("-"));
    return { words: script < 0 ? [] : rest.slice(script + 1).flatMap(pathsIn) };
  }
  if (started !== undefined && started.kind !== "file") return {};
  const named = namingFiles(rest);
  return {
    words: named.filter((word) => !isCode(word)).flatMap(pathsIn),
    texts: [...textsOf(named.filter(isCode)), ...read],
    scripts: [...read, ...textsOf(rest.filter((_, i) => RUNNING.test(rest[i - 1]?.text ?? "")))],
  };
}

/** Options whose value the program probably runs. */
const RUNNING = /^--?(?:c|e|x|ex|cmd|exec|command|eval|run|script|shell)$/;

function textsOf(words: readonly Argument[]): string[] {
  return words.map(({ text }) => text);
}

function isCode({ text }: Argument): boolean {
  return /[\s;()]/.test(text);
}

/** Leaves out a first word that can only be a verb (`link` of `yarn link x`), and values of options that name an input. */
function namingFiles(rest: readonly Argument[]): readonly Argument[] {
  const words = /^[a-z][\w:-]*$/i.test(rest[0]?.text ?? "") ? rest.slice(1) : rest;
  return words.filter(({ text }, i) =>
    !INPUTS.has(words[i - 1]?.text ?? "") && !INPUTS.has(text.replace(/=.*$/s, ""))
  );
}

/** Cmdlets whose verb says that they change nothing. */
const READING_CMDLET =
  /^(?:compare|convertfrom|convertto|find|format|get|group|measure|read|resolve|select|show|sort|test|where|write)-[a-z]+$/i;

function isReader({ program: name, words, args: rest }: ShellCommand): boolean {
  if (READING.has(name) || READING_CMDLET.test(name) || powerShell()?.isCmdlet(name)) return true;
  const row = VERBS.find(name);
  if (row === undefined) return false;
  const [verb] = gitCall(words)?.words ?? split(rest, row).operands;
  const among = (words: string | undefined, text: string) => words?.split(" ").includes(text);
  if (rest.some(({ text }) => among(row.unless, text.replace(/=.*$/s, "")))) return false;
  return verb === undefined || among(row.verbs, verb.text) === true;
}

/** Tells whether a program only reads and runs no other code, so that changes meanwhile are not its work. */
export function onlyLooks(words: readonly string[]): boolean {
  const [program = "", ...rest] = words;
  const git = gitCall(words.map(literal));
  return LOOKING.has(programName(program)) || (git !== null && GIT_LOOKING.has(git.verb)) ||
    (rest.length === 1 && !program.includes("/") && TELLS_ITSELF.test(rest[0]!));
}

const GIT_LOOKING = wordsOf(READERS.gitLooks);
const TELLS_ITSELF = /^(?:-[hvV]|--help|--version)$/;

/** Returns the possible paths in a word: itself, the value of `--out=x`, `-ox`, `of=x`, `@x`, each side of `a:b`. */
function pathsIn(word: Argument): Argument[] {
  if (word.found !== undefined || (word.isOpen && word.text === "")) return [];
  const { text } = word;
  const value = /^(?:--?[\w-]+=|[\w.-]+=|-\w|@)(.+)$/s.exec(text)?.[1];
  const parts = [
    ...(text.startsWith("-") ? [] : [text]),
    ...(value === undefined ? [] : [value]),
    ...(text.includes(":") && !text.includes("://") ? (value ?? text).split(":") : []),
  ];
  return [...new Set(parts)].filter((part) => part !== "").map((part) => withText(word, part));
}

/** Returns a container command's words as paths on this machine, by its mounts; null for a command in no container. */
function inMounts({ words, startedBy }: ShellCommand): Argument[] | null {
  if (startedBy === null || !isContaining(startedBy.program)) return null;
  const given = split(startedBy.args, { valued: "v", valuedLong: "volume" });
  const mounts = given.values("-v --volume").flatMap(({ text }) => {
    const [host, inside, options] = text.split(":");
    return inside === undefined || options === "ro" ? [] : [{ host: host!, inside }];
  });
  return words.slice(1).flatMap((word) =>
    mounts.filter(({ inside }) => `${word.text}/`.startsWith(`${inside}/`))
      .map(({ host, inside }) => withText(word, host + word.text.slice(inside.length)))
  );
}

const MAX_TEXT_CHARS = 16_384;
const MAX_NAMES = 100;

/**
 * Returns the first names in a text that look like paths, or that rules name; it does not read a long text to its end.
 * @param plain Names of files in rules that do not look like paths: `LICENSE`.
 */
export function namesInText(text: string, plain: readonly string[]): string[] {
  const names = text.slice(0, MAX_TEXT_CHARS).match(/[\w.~@%+/-]+/g) ?? [];
  const paths = names.map((name) => name.replace(/\.+$/, ""))
    .filter((name) => /[./]/.test(name) || plain.includes(name));
  return [...new Set(paths)].slice(0, MAX_NAMES);
}
