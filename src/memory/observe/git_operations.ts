/** Operations of git that fail, or stop in their midst, and what ends them: one row a command of git. */
import type { Observed } from "../observation.ts";
import { isOutside, type Surroundings } from "./command_folder.ts";
import { gitArguments, isGit } from "./git_words.ts";
import { hadNothingToCommit } from "./open_rank.ts";
import { isHarmless } from "./script_words.ts";
import { type ScriptCommand, tellsStatusOf } from "./shell_words.ts";

/** An operation that failed. */
export interface GitOperation {
  readonly verb: string;
  /** Whether it stopped in its midst, so that something has to end it: there were conflicts. */
  readonly isStopped?: true;
  /** What was pushed or pulled, and where; not there where the command line does not say. */
  readonly remote?: string;
  readonly ref?: string;
}

/** What has ended operations. */
export interface GitEnd extends Pick<GitOperation, "remote" | "ref"> {
  /** The operations that are over, and those that are when they had stopped. */
  readonly verbs: readonly string[];
  readonly stopped: readonly string[];
  /** Whether it was given up, or what had refused it was passed by: nothing was mended. */
  readonly isGivenUp: boolean;
}

interface EndRow {
  readonly verbs?: readonly string[];
  readonly stopped?: readonly string[];
  /** It ends something only with such a word, or without one. */
  readonly only?: RegExp;
  readonly never?: RegExp;
  readonly givesUp?: RegExp;
}

const GOES_ON = /^--(?:continue|skip|abort|quit)$/;
const GIVES_UP = /^--(?:skip|abort|quit)$/;
const ONLY_TRIED = /^(?:--dry-run|--short|--porcelain|--help|-h)$/;

const ENDS: Readonly<Record<string, EndRow>> = {
  commit: {
    verbs: ["commit"],
    stopped: ["merge", "cherry-pick", "revert", "pull"],
    never: ONLY_TRIED,
    givesUp: /^(?:--no-verify|-[a-z]*n[a-z]*)$/,
  },
  merge: { stopped: ["merge", "pull"], only: GOES_ON, givesUp: GIVES_UP },
  "cherry-pick": { stopped: ["cherry-pick"], only: GOES_ON, givesUp: GIVES_UP },
  revert: { stopped: ["revert"], only: GOES_ON, givesUp: GIVES_UP },
  rebase: { stopped: ["rebase", "pull"], only: GOES_ON, givesUp: GIVES_UP },
  am: { stopped: ["am"], only: GOES_ON, givesUp: GIVES_UP },
  reset: {
    stopped: ["merge", "cherry-pick", "revert", "pull"],
    only: /^--(?:hard|merge)$/,
    givesUp: /./,
  },
  push: {
    verbs: ["push"],
    never: /^(?:--dry-run|-n|--tags|--all|--mirror|--delete|-d|--prune)$/,
    givesUp: /^/,
  },
  pull: { verbs: ["pull"], never: /^--dry-run$/, givesUp: /^/ },
};
const FAILING: ReadonlySet<string> = new Set(
  ["merge", "cherry-pick", "revert", "rebase", "am", "commit", "push", "pull"],
);
const STOPPED =
  /^(?:CONFLICT \(|Automatic merge failed|error: could not apply|Resolve all conflicts|error: .* unmerged files|.*: needs merge$|Patch failed at)/m;
const REFUSED_PUSH = /^(?:error: failed to push some refs| ?! \[|fatal: The current branch )/m;
/** What a push prints of each branch that has arrived, and a commit of itself, however the shell ended. */
const DONE: Readonly<Record<string, RegExp>> = {
  push: /^[ \t]+(?:[+* ] ?)?(?:[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40}|\[new branch\]) +\S+ +-> /m,
  commit: /^\[[^\]\n]{1,200} [0-9a-f]{7,40}\] /m,
};
/** A rebase that ends well for now only. */
const PAUSED = /^(?:Stopped at |You can amend the commit now)/m;
const WITH_VALUE =
  /^(?:-o|--push-option|--receive-pack|--repo|-s|--strategy|-X|--strategy-option)$/;

interface Run {
  readonly commands: readonly ScriptCommand[];
  readonly output: string;
  readonly surroundings: Surroundings;
}

/** The operation of git that a script has failed with; null when it is another command that may have failed. */
export function failedOperation(told: Observed, run: Run): GitOperation | null {
  const { commands, output } = run;
  // Whatever else was to be done: git itself says that it was the commit.
  if (hadNothingToCommit(told)) return { verb: "commit" };
  if (
    told.kind !== "failure" ||
    !commands.every((command) => isGit(command.words) || isHarmless(command))
  ) return null;
  const found = operationsIn(run).filter(({ verb }) => FAILING.has(verb));
  const isStopped = STOPPED.test(output);
  const refused = REFUSED_PUSH.test(output) ? found.find(({ verb }) => verb === "push") : undefined;
  const stopped = isStopped ? found.find(({ verb }) => verb !== "push") : undefined;
  const one = found.length === 1 ? found[0] : refused ?? stopped;
  if (one === undefined) return null;
  const { verb, args } = one;
  const isRemote = verb === "push" || verb === "pull";
  return { verb, ...(isStopped ? { isStopped } : {}), ...(isRemote ? placeOf(args) : {}) };
}

/** What a script has ended that went well. */
export function endedOperations(run: Run): GitEnd[] {
  const { commands, output } = run;
  return operationsIn(run).flatMap(({ at, verb, args }) => {
    const row = Object.hasOwn(ENDS, verb) ? ENDS[verb] : undefined;
    if (row === undefined || args.some((word) => row.never?.test(word))) return [];
    if (row.only !== undefined && !args.some((word) => row.only!.test(word))) return [];
    if (verb === "rebase" && PAUSED.test(output)) return [];
    const isDone = DONE[verb]?.test(output) && !REFUSED_PUSH.test(output);
    if (!tellsStatusOf(commands, at) && !isDone) return [];
    return {
      verbs: row.verbs ?? [],
      stopped: row.stopped ?? [],
      isGivenUp: [verb, ...args].some((word) => row.givesUp?.test(word)),
      ...(verb === "push" || verb === "pull" ? placeOf(args) : {}),
    };
  });
}

/** Whether an operation that failed on a branch is over. */
export function isOver(
  failed: GitOperation,
  end: GitEnd,
  branch: string | null,
): boolean {
  if (failed.isStopped === true && end.stopped.includes(failed.verb)) return true;
  if (!end.verbs.includes(failed.verb)) return false;
  const isSameRemote = failed.remote === undefined || end.remote === undefined ||
    failed.remote === end.remote;
  const ref = (of: Pick<GitOperation, "ref">) =>
    of.ref === undefined || of.ref === "HEAD" ? branch : of.ref;
  return isSameRemote && ref(failed) === ref(end);
}

function operationsIn({ commands, surroundings }: Run) {
  return commands.flatMap(({ words }, at) => {
    const [verb = "", ...args] = gitArguments(words) ?? [];
    if (!FAILING.has(verb) && !Object.hasOwn(ENDS, verb)) return [];
    return isOutside(commands, { at, surroundings }) ? [] : [{ at, verb, args }];
  });
}

/** `origin main`, `-u origin HEAD`, `origin main:main` */
function placeOf(args: readonly string[]): Pick<GitOperation, "remote" | "ref"> {
  const [remote, ...refs] = args.filter((word, at) =>
    !word.startsWith("-") && !WITH_VALUE.test(args[at - 1] ?? "")
  );
  const ref = refs.join(" ").replace(/^\+/, "");
  const [, same] = /^([^\s:]+):(?:refs\/heads\/)?\1$/.exec(ref) ?? [];
  return {
    ...(remote === undefined ? {} : { remote }),
    ...(ref === "" ? {} : { ref: same ?? ref }),
  };
}
