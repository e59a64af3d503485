/** Which branches a git command checks out, makes or moves. */
import { baseName } from "../../base/paths.ts";
import { type GitCall, gitCall } from "./git_call.ts";
import MOVING from "./moved_branches.json" with { type: "json" };
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

/** A call of git with one of these verbs; every word is known without running the shell. */
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

/** The groups `to` and `from`: the branches that are moved, and where to. */
const MOVED = MOVING.map(({ pattern }) => new RegExp(pattern.slice(1, -1)));
/** `+SOURCE:DESTINATION`, `:DESTINATION`, `BRANCH`. */
const REFSPEC = /^\+?(?:refs\/heads\/)?([^:]*?)(?::(?:refs\/heads\/)?(.*))?$/;

/**
 * The branches that a command moves, as far as its words tell. A branch that is brought to where its remote stands
 * (`git branch -f main origin/main`, `git fetch origin main:main`) is left out. `HEAD` is the branch that is checked out.
 */
export function branchesMoved(command: readonly Argument[]): readonly string[] {
  const call = gitCall(command);
  if (call === null || call.has("-h --help --dry-run")) return [];
  const { verb, options } = call;
  const operands = call.operands.filter(({ isOpen }) => !isOpen).map(({ text }) => text);
  if (verb === "push") return pushed(operands, options);
  if (verb === "fetch" || verb === "pull") return fetched(operands);
  // Each option has a blank on both sides; the other words follow a bar, the branch that is made anew first.
  const made = call.values("-B -C --force-create").map(({ text }) => text);
  const text = [verb, ...options, "|", ...made, ...operands, ""].join(" ");
  return MOVED.flatMap((pattern) => {
    const { to = "", from } = pattern.exec(text)?.groups ?? {};
    return to.split(" ").map((name) => name.replace(/^refs\/heads\//, "")).filter((name) =>
      name !== "" && !from?.endsWith(`/${name}`)
    );
  });
}

function pushed([, ...refs]: readonly string[], options: readonly string[]): string[] {
  if (refs.length === 0) return options.includes("--tags") ? [] : ["HEAD"];
  return refs.flatMap((ref) => {
    const found = REFSPEC.exec(ref);
    return [found?.[2] ?? found?.[1] ?? ""].filter((name) => name !== "");
  });
}

/** From another repository a branch of the same name may come, from this one none. */
function fetched([remote = "", ...refs]: readonly string[]): string[] {
  const isLocal = /^[./]/.test(remote);
  return refs.flatMap((ref) => {
    const [, source, destination = ""] = REFSPEC.exec(ref) ?? [];
    return destination === "" || (!isLocal && source === destination) ? [] : [destination];
  });
}
