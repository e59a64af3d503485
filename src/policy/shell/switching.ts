/** Which branch a git command checks out or makes, so that what comes after it happens there. */
import { baseName } from "../../base/paths.ts";
import { type GitCall, gitCall } from "./git_call.ts";
import type { ShellCommand } from "./shell_command.ts";
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

/** All options with which `git branch NAME` makes a branch. */
const ONLY_MAKING =
  /^(?:-f|--force|-q|--quiet|-t|--(?:no-)?track(?:=.*)?|--create-reflog|--recurse-submodules)$/;

/** With one of these options, no plain word names the branch. */
const ELSEWHERE =
  "--detach -d -t --track -p --patch --pathspec-from-file --pathspec-file-nul --ours --theirs";

/** Names that git allows for branches. */
const NAME = /^(?![-/.])(?!.*(?:\.\.|\/[/.]|@\{))[^\s~^:?*[\\]+(?<![/.]|\.lock)$/;

/** The branch that a command checks out; null for none, and where only git knows which. */
export function branchSwitch(words: readonly Argument[]): BranchSwitch | null {
  const call = toldCall(words, /^(?:checkout|switch)$/);
  if (call === null) return null;
  const { operands: [first, ...more], has } = call;
  const startsElsewhere = has("--orphan") || first !== undefined;
  const made = madeBy(call, startsElsewhere);
  if (made !== null) return named(made);
  return first === undefined || more.length > 0 || call.dashed !== undefined || has(ELSEWHERE)
    ? null
    : named({ branch: first.text, makes: "no", startsElsewhere: false });
}

/** The branch that `git branch NAME` makes; null where it makes none, and where only git knows which. */
export function branchMade(words: readonly Argument[]): BranchSwitch | null {
  const { operands: [branch, ...from] = [], options } = toldCall(words, /^branch$/) ?? {};
  if (branch === undefined || !options!.every((option) => ONLY_MAKING.test(option))) return null;
  return named({ branch: branch.text, makes: "new", startsElsewhere: from.length > 0 });
}

/** What `git worktree add` makes; null where it makes none, and where only git knows what. */
export function treeMade(
  { words, folder: here }: Pick<ShellCommand, "words" | "folder">,
): NewTree | null {
  const call = toldCall(words, /^worktree$/);
  const [add, path, start] = call?.operands ?? [];
  if (call === null || add?.text !== "add" || path === undefined) return null;
  const folder = placeOf(path, call.folder === null ? here : placeOf(call.folder, here));
  if (folder === null || call.has("--orphan")) return null;
  if (call.has("-d --detach")) return { folder, checksOut: null };
  const startsElsewhere = start !== undefined;
  // Without a name the branch is called like the folder.
  const checksOut = named(
    madeBy(call, startsElsewhere) ?? {
      branch: start?.text ?? baseName(folder),
      makes: startsElsewhere ? "no" : "missing",
      startsElsewhere: false,
    },
  );
  return checksOut && { folder, checksOut };
}

/** A call of git with one of these verbs, of which the shell's running is not needed to know a word. */
function toldCall(words: readonly Argument[], verbs: RegExp): GitCall | null {
  const call = gitCall(words);
  const isTold = call !== null && verbs.test(call.verb) &&
    !call.after.some(({ isOpen, isGlob }) => isOpen || isGlob);
  return isTold ? call : null;
}

/** The branch that an option names; null where none of them is there. */
function madeBy({ means, values }: GitCall, startsElsewhere: boolean): BranchSwitch | null {
  const [fresh] = values(means.makesNew ?? "");
  const branch = fresh ?? values(means.makesAnew ?? "")[0];
  return branch === undefined
    ? null
    : { branch: branch.text, makes: fresh === undefined ? "anew" : "new", startsElsewhere };
}

function named(branch: BranchSwitch): BranchSwitch | null {
  return NAME.test(branch.branch) ? branch : null;
}
