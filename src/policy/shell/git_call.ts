/** Reads a call of git: its verb, and the words after it by that verb's own options. */
import {
  type Operands,
  programName,
  split,
  type ValuedOptions,
  withoutGitOptions,
} from "./operands.ts";
import { rowsByName } from "./rows.ts";
import type { Argument } from "./word.ts";
import ROWS from "./git_options.json" with { type: "json" };

interface VerbOptions extends ValuedOptions {
  /** The option that names a written file. */
  readonly output?: string;
  /** Options with which the verb changes no file; it also changes none without an option of `changesWith`. */
  readonly never?: string;
  readonly changesWith?: string;
  /** The options whose value git runs. */
  readonly runs?: string;
  /** The options that name a new branch; those of `makesAnew` also begin an existing branch here. */
  readonly makesNew?: string;
  readonly makesAnew?: string;
}

const VERBS = rowsByName<VerbOptions>(ROWS);
const PLAIN: VerbOptions = {};

export interface GitCall extends Operands {
  /** The verb; empty where the call has none. */
  readonly verb: string;
  /** The words behind the verb. */
  readonly after: readonly Argument[];
  /** The folder that `-C` names. */
  readonly folder: Argument | null;
  /** What the verb's options mean. */
  readonly means: VerbOptions;
}

/** The calls that were read, by their words, since several questions read the same command. */
const READ = new WeakMap<readonly Argument[], GitCall>();

/** Reads a call of git; null for any other program. */
export function gitCall(words: readonly Argument[]): GitCall | null {
  const [program, ...rest] = words;
  if (program === undefined || programName(program.text) !== "git") return null;
  const read = READ.get(words);
  if (read !== undefined) return read;
  const { words: [verb, ...after], folder } = withoutGitOptions(rest);
  const means = VERBS.find(verb?.text ?? "") ?? PLAIN;
  const call = { verb: verb?.text ?? "", after, folder, means, ...split(after, means) };
  READ.set(words, call);
  return call;
}

/** Tells whether the options keep a verb from changing files. */
export function changesNothing({ has, means: { never = "", changesWith } }: GitCall): boolean {
  return has(never) || (changesWith !== undefined && !has(changesWith));
}
