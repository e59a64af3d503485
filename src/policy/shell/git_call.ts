/** Reads a call of git: its verb, and the words after it by that verb's own options. */
import { leading, type Operands, programName, split, type ValuedOptions } from "./operands.ts";
import { rowsByName } from "./rows.ts";
import { type Argument, literal } from "./word.ts";
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
/** Git's own options, which stand before the verb. */
const OWN: ValuedOptions = {
  valued: "Cc",
  valuedLong: "git-dir work-tree namespace exec-path super-prefix config-env",
};

export interface GitCall extends Operands {
  /** The verb; empty where the call has none. */
  readonly verb: string;
  /** The words from the verb on, and those behind it. */
  readonly words: readonly Argument[];
  readonly after: readonly Argument[];
  /** The folder that `-C` names. */
  readonly folder: Argument | null;
  /** The repository that `--git-dir` names. */
  readonly gitDir: Argument | null;
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
  const { values, end } = leading(rest, OWN);
  const [verb = literal(""), ...after] = rest.slice(end);
  const means = VERBS.find(verb.text) ?? PLAIN;
  const call: GitCall = {
    verb: verb.text,
    words: rest.slice(end),
    after,
    means,
    folder: values("-C").at(-1) ?? null,
    gitDir: values("--git-dir").at(-1) ?? null,
    ...split(after, means),
  };
  READ.set(words, call);
  return call;
}

/** Tells whether the options keep a verb from changing files. */
export function changesNothing({ has, means: { never = "", changesWith } }: GitCall): boolean {
  return has(never) || (changesWith !== undefined && !has(changesWith));
}

/** The settings of `git -c name=value`, `git config name value` and `git branch -u NAME`; none of any other program. */
export function settingsOf(words: readonly Argument[]): string[] {
  const call = gitCall(words);
  if (call === null) return [];
  const pairs = words.slice(0, -1).flatMap(({ text }, i) => {
    const value = words[i + 1]!.text;
    return text === "-c" ? [value] : call.verb === "config" ? [`${text}=${value}`] : [];
  });
  const chooses = call.verb === "branch" && call.has("-u --set-upstream-to");
  return chooses ? [...pairs, UPSTREAM_CHOSEN] : pairs;
}

/** Stands for the upstream that `git branch -u` sets, of whichever branch. */
export const UPSTREAM_CHOSEN = "branch.*.merge=*";
