/** The arguments of a program, told apart: options, what they are given, and the rest. */
import type { Argument } from "./word.ts";

/** Which options take the next word as their value. */
export interface ValuedOptions {
  /** Letters of the short ones: `u` for `-u ana`. */
  readonly valued?: string;
  /** Names of the long ones: `user group` for `--user ana`. */
  readonly valuedLong?: string;
}

/** An option whose value is asked for. */
export interface OptionName {
  readonly letter?: string;
  readonly long?: string;
}

/** The options of a program that have to be told apart from its operands. */
export interface OptionNames extends ValuedOptions {
  /** The one whose values are asked for: a file that is written, or the folder that is written into. */
  readonly output?: OptionName;
}

/** The arguments of one call. */
export interface Operands {
  readonly operands: readonly Argument[];
  /** The values of the option that is asked for. */
  readonly outputs: readonly Argument[];
  /** The options themselves, as they were written. */
  readonly options: readonly string[];
}

/** Tells arguments apart. */
export function split(
  rest: readonly Argument[],
  { output, ...names }: OptionNames,
): Operands {
  const operands: Argument[] = [];
  const outputs: Argument[] = [];
  const options: string[] = [];
  let onlyOperands = false;
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]!;
    const { text } = word;
    if (onlyOperands || !/^-./.test(text)) {
      operands.push(word);
      continue;
    }
    if (text === "--") {
      onlyOperands = true;
      continue;
    }
    options.push(text);
    if (text.startsWith("--")) {
      if (text === output?.long) outputs.push(...rest.slice(++at, at + 1));
      else if (output?.long !== undefined && text.startsWith(`${output.long}=`)) {
        outputs.push({ ...word, text: text.slice(output.long.length + 1) });
      } else if (takesNext(text, names)) at++;
    } else if (output?.letter !== undefined && text.includes(output.letter)) {
      const value = text.slice(text.indexOf(output.letter) + 1);
      if (value === "") outputs.push(...rest.slice(++at, at + 1));
      else outputs.push({ ...word, text: value });
    } else if (takesNext(text, names)) at++;
  }
  return { operands, outputs, options };
}

function takesNext(option: string, { valued = "", valuedLong = "" }: ValuedOptions): boolean {
  return option.startsWith("--")
    ? valuedLong.split(" ").includes(option.slice(2))
    : valued.includes(option.at(-1)!);
}

/** Where the options end that stand before a command. */
export function skipOptions(words: readonly Argument[], options: ValuedOptions): number {
  let at = 0;
  while (at < words.length) {
    const { text } = words[at]!;
    if (text === "--") return at + 1;
    if (!text.startsWith("-") || text === "-") return at;
    at += takesNext(text, options) ? 2 : 1;
  }
  return at;
}

const VALUED: ReadonlySet<string> = new Set(
  "-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env"
    .split(" "),
);

/** What git is told before its verb. */
interface GitOptions {
  /** Its arguments from the verb on. */
  readonly words: readonly Argument[];
  /** The folder that `-C` names. */
  readonly folder: Argument | null;
  /** The repository that `--git-dir` names. */
  readonly gitDir: Argument | null;
}

/** Takes git's own options off its arguments. */
export function withoutGitOptions(rest: readonly Argument[]): GitOptions {
  let at = 0;
  let folder: Argument | null = null;
  let gitDir: Argument | null = null;
  while (rest[at]?.text.startsWith("-")) {
    const option = rest[at]!;
    const value = rest[at + 1] ?? null;
    if (option.text === "-C") folder = value;
    if (option.text === "--git-dir") gitDir = value;
    if (option.text.startsWith(GIT_DIR)) {
      gitDir = { ...option, text: option.text.slice(GIT_DIR.length) };
    }
    at += VALUED.has(option.text) ? 2 : 1;
  }
  return { words: rest.slice(at), folder, gitDir };
}

const GIT_DIR = "--git-dir=";

/** `/usr/bin/git` as `git`; `GIT.EXE` as `git`. */
export function programName(word: string): string {
  const name = word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1);
  return name.replace(/\.exe$/i, "") || word;
}
