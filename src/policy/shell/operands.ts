/** Splits the arguments of a program into options, their values, and operands. */
import type { Argument } from "./word.ts";

export interface ValuedOptions {
  /** Letters of the short ones: `u` for `-u ana`. */
  readonly valued?: string;
  /** Names of the long ones: `user group` for `--user ana`. */
  readonly valuedLong?: string;
}

export interface OptionName {
  readonly letter?: string;
  readonly long?: string;
}

export interface OptionNames extends ValuedOptions {
  /** The option whose values are asked for: it names a file that is written, or a folder that is filled. */
  readonly output?: OptionName;
}

export interface Operands {
  readonly operands: readonly Argument[];
  /** The values of `output`. */
  readonly outputs: readonly Argument[];
  readonly options: readonly string[];
}

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

/** The index at which the options before a command end. */
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

interface GitOptions {
  /** The arguments from the verb on. */
  readonly words: readonly Argument[];
  /** The folder that `-C` names. */
  readonly folder: Argument | null;
  /** The repository that `--git-dir` names. */
  readonly gitDir: Argument | null;
}

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
