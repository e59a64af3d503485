/** Which branch a git command checks out or makes, so that what comes after it happens there. */
import { baseName } from "../../base/paths.ts";
import type { ShellCommand } from "./shell_command.ts";
import { programName, split, withoutGitOptions } from "./operands.ts";
import { type Argument, placeOf } from "./word.ts";

/**
 * Whether a branch is made. `no`: it has to be there; `new`: it must not be there; `anew`: it begins here, whatever it
 * was; `missing`: it is made where it is not there.
 */
type Making = "no" | "new" | "anew" | "missing";

export interface BranchSwitch {
  readonly branch: string;
  readonly makes: Making;
  /** Whether it begins somewhere else than at the branch before it. */
  readonly startsElsewhere: boolean;
}

export interface NewTree {
  readonly folder: string;
  /** Null where HEAD is detached in it. */
  readonly checksOut: BranchSwitch | null;
}

interface MakingOptions {
  readonly new: RegExp;
  readonly anew: RegExp;
}

/** The options with which these verbs make a branch. */
const MAKING: Readonly<Record<string, MakingOptions>> = {
  switch: { new: /^(?:-c|--create|--orphan)$/, anew: /^(?:-C|--force-create)$/ },
  checkout: { new: /^(?:-b|--orphan)$/, anew: /^-B$/ },
};

const MAKING_IN_TREE: MakingOptions = { new: /^-b$/, anew: /^-B$/ };

/** All options with which `git branch NAME` makes a branch. */
const ONLY_MAKING =
  /^(?:-f|--force|-q|--quiet|-t|--(?:no-)?track(?:=.*)?|--create-reflog|--recurse-submodules)$/;

/** With one of these options, no plain word names the branch. */
const ELSEWHERE = /^(?:--|--detach|-d|-t|--track(?:=.*)?|-p|--patch|--pathspec.*|--ours|--theirs)$/;

/** Names that git allows for branches. */
const NAME = /^(?![-/.])(?!.*(?:\.\.|\/[/.]|@\{))[^\s~^:?*[\\]+(?<![/.]|\.lock)$/;

/** The branch that a command checks out; null for none, and where only git knows which. */
export function branchSwitch([program, ...rest]: readonly Argument[]): BranchSwitch | null {
  if (program === undefined || programName(program.text) !== "git") return null;
  const { words: [verb, ...after] } = withoutGitOptions(rest);
  const making = Object.hasOwn(MAKING, verb?.text ?? "") ? MAKING[verb!.text]! : null;
  if (making === null || after.some(isUntold)) return null;
  const plain = withBundleApart(after);
  const named = namedBy(making, plain);
  if (named !== null) {
    const { branch, makes, others } = named;
    const startsElsewhere = plain.some(({ text }) => text === "--orphan") ||
      others.some(({ text }) => !text.startsWith("-"));
    return NAME.test(branch) ? { branch, makes, startsElsewhere } : null;
  }
  if (plain.some(({ text }) => ELSEWHERE.test(text))) return null;
  const { operands: [branch, ...more] } = split(plain, {});
  return branch === undefined || more.length > 0 || !NAME.test(branch.text)
    ? null
    : { branch: branch.text, makes: "no", startsElsewhere: false };
}

/** The branch that `git branch NAME` makes; null where it makes none, and where only git knows which. */
export function branchMade([program, ...rest]: readonly Argument[]): BranchSwitch | null {
  if (program === undefined || programName(program.text) !== "git") return null;
  const { words: [verb, ...after] } = withoutGitOptions(rest);
  if (verb?.text !== "branch" || after.some(isUntold)) return null;
  const { operands: [branch, ...from], options } = split(after, {});
  if (branch === undefined || !NAME.test(branch.text)) return null;
  if (!options.every((option) => ONLY_MAKING.test(option))) return null;
  return { branch: branch.text, makes: "new", startsElsewhere: from.length > 0 };
}

/** What `git worktree add` makes; null where it makes none, and where only git knows what. */
export function treeMade(
  { words: [program, ...rest], folder: here }: Pick<ShellCommand, "words" | "folder">,
): NewTree | null {
  if (program === undefined || programName(program.text) !== "git") return null;
  const { words: [verb, add, ...after], folder: given } = withoutGitOptions(rest);
  if (verb?.text !== "worktree" || add?.text !== "add" || after.some(isUntold)) return null;
  const plain = withBundleApart(after);
  const named = namedBy(MAKING_IN_TREE, plain);
  const { operands: [path, ...from], options } = split(named?.others ?? plain, {
    valuedLong: "reason",
  });
  const folder = path && placeOf(path, given === null ? here : placeOf(given, here));
  if (!folder || options.some((option) => /^(?:-[bB]|--orphan$)/.test(option))) return null;
  if (options.some((option) => /^(?:-[a-zA-Z]*d|--detach)$/.test(option))) {
    return { folder, checksOut: null };
  }
  const [start] = from;
  const checksOut: BranchSwitch = named !== null
    ? { branch: named.branch, makes: named.makes, startsElsewhere: start !== undefined }
    // Without a name the branch is called like the folder.
    : start === undefined
    ? { branch: baseName(folder), makes: "missing", startsElsewhere: false }
    : { branch: start.text, makes: "no", startsElsewhere: false };
  return NAME.test(checksOut.branch) ? { folder, checksOut } : null;
}

/** The branch that one of these options names, and the words around both; null where none of them is there. */
function namedBy(options: MakingOptions, words: readonly Argument[]) {
  for (const makes of ["new", "anew"] as const) {
    const at = words.findIndex(({ text }) => options[makes].test(text));
    if (at < 0) continue;
    const others = [...words.slice(0, at), ...words.slice(at + 2)];
    return { branch: words[at + 1]?.text ?? "", makes, others };
  }
  return null;
}

/** Whether only the running shell knows the word. */
function isUntold({ isOpen, isGlob }: Argument): boolean {
  return isOpen || isGlob;
}

/** `-qb NAME` as `-q -b NAME`. */
function withBundleApart(words: readonly Argument[]): Argument[] {
  return words.flatMap((word) => {
    const [, others, last] = /^-([a-zA-Z]+)([bBcC])$/.exec(word.text) ?? [];
    if (others === undefined) return [word];
    return [{ ...word, text: `-${others}` }, { ...word, text: `-${last}` }];
  });
}
