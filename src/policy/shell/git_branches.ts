/** Tells which branches and working trees a git command checks out, makes or moves, also by its settings. */
import { type GitCall, gitCall, UPSTREAM_CHOSEN } from "./git_call.ts";
import MOVING from "./moved_branches.json" with { type: "json" };
import type { ShellCommand } from "./shell_command.ts";
import { type Argument, literal, placeOf } from "./word.ts";

export interface BranchSwitch {
  readonly branch: string;
  /** Whether it is made. `no`: it must exist; `new`: it must not exist; `anew`: it begins here in any case. */
  readonly makes: "no" | "new" | "anew";
  /** Whether it begins somewhere else than at the branch that was checked out before. */
  readonly startsElsewhere: boolean;
}

/** Options with which no plain word names the branch. */
const ELSEWHERE =
  "--detach -d -t --track -p --patch --pathspec-from-file --pathspec-file-nul --ours --theirs";

/** Matches names that git allows for branches. */
const NAME = /^(?![-/.])(?!.*(?:\.\.|\/[/.]|@\{))[^\s~^:?*[\\]+(?<![/.]|\.lock)$/;

/** Returns the branch that a command checks out; null for none, or where only git knows the branch. */
export function branchSwitch(words: readonly Argument[]): BranchSwitch | null {
  const call = knownCall(words, /^(?:checkout|switch)$/);
  if (call === null) return null;
  const { operands: [first, ...more], means, values, has } = call;
  const [fresh] = values(means.makesNew ?? "");
  const made = fresh ?? values(means.makesAnew ?? "")[0];
  const isElsewhere = first === undefined || more.length > 0 || call.dashed !== undefined ||
    has(ELSEWHERE);
  const branch = (made ?? (isElsewhere ? undefined : first))?.text ?? "";
  const makes = made === undefined ? "no" : fresh === undefined ? "anew" : "new";
  const startsElsewhere = made !== undefined && (has("--orphan") || first !== undefined);
  return NAME.test(branch) ? { branch, makes, startsElsewhere } : null;
}

/** Returns the branch that `git branch NAME` makes; null where an option asks for something else. */
export function branchMade(words: readonly Argument[]): string | null {
  const { operands: [name] = [], options = [] } = knownCall(words, /^branch$/) ?? {};
  const isMade = options.every((option) => /^(?:-q|--quiet|--no-track)$/.test(option));
  return isMade && NAME.test(name?.text ?? "") ? name!.text : null;
}

/** Returns the folder in which `git worktree add` makes a working tree; null for none, or where only git knows it. */
export function treeMade(
  { words, folder: here }: Pick<ShellCommand, "words" | "folder">,
): string | null {
  const { operands: [add, path] = [], folder = null } = knownCall(words, /^worktree$/) ?? {};
  if (add?.text !== "add" || path === undefined) return null;
  return placeOf(path, folder === null ? here : placeOf(folder, here));
}

/** Returns the call of git if it has one of these verbs, and if no word depends on the running shell; else null. */
function knownCall(words: readonly Argument[], verbs: RegExp): GitCall | null {
  const call = gitCall(words);
  if (call === null || !verbs.test(call.verb)) return null;
  return call.after.some(({ isOpen, isGlob }) => isOpen || isGlob) ? null : call;
}

/** Patterns of commands that move branches: the group `to` names the branches, `from` the commit they then stand at. */
let moved: readonly RegExp[] | undefined;

/**
 * Returns the branches that a command moves, as far as its words tell, except one that it brings to where its remote
 * stands (`git branch -f main origin/main`, `git fetch origin main:main`). `HEAD` is the branch that is checked out,
 * `HEAD^main` the same unless it is main, and `*` stands for any name.
 */
export function branchesMoved(
  { words, input = "" }: Pick<ShellCommand, "words"> & Partial<Pick<ShellCommand, "input">>,
): readonly string[] {
  const call = gitCall(words);
  if (call === null || call.has("-h --help --dry-run")) return [];
  const { verb, options, has } = call;
  const operands = call.operands.flatMap(({ text, isOpen }) => isOpen ? [] : [text]);
  if (pushes(words)) return has("--all --branches --mirror") ? ["*"] : pushed(operands, options);
  if (verb === "fetch") return fetched(operands);
  if (verb === "pull") return [...fetched(operands), ...merged(operands)];
  // Each line is a call by itself; its first word is its verb.
  if (verb === "update-ref" && has("--stdin")) {
    return input.split("\n").flatMap((line) =>
      branchesMoved({ words: ["git", verb, ...line.split(" ").slice(1)].map(literal) })
    );
  }
  // The text that the patterns match: blanks around each option, a bar, the branch that is made anew, the other words.
  const made = call.values("-B -C --force-create").map(({ text }) => text);
  const text = [verb, ...options, "|", ...made, ...operands, ""].join(" ");
  moved ??= MOVING.map(({ pattern }) => new RegExp(pattern.slice(1, -1)));
  return moved.flatMap((pattern) => {
    const { to = "", from } = pattern.exec(text)?.groups ?? {};
    return to.split(" ").map(branchIn).filter((name) => name !== "" && !from?.endsWith(`/${name}`));
  });
}

export function pushes(words: readonly Argument[]): boolean {
  return /^(?:push|send-pack)$/.test(gitCall(words)?.verb ?? "");
}

function pushed([, ...refs]: readonly string[], options: readonly string[]): string[] {
  if (refs.length === 0) return options.includes("--tags") ? [] : ["HEAD"];
  return refs.map((ref) => readRefspec(ref).at(-1) || "*");
}

/** Returns the branches that a fetch moves, without those that another repository brings under their own name. */
function fetched([remote = "", ...refs]: readonly string[]): string[] {
  const isLocal = /^[./]/.test(remote);
  return refs.flatMap((ref) => {
    const [source, destination = ""] = readRefspec(ref);
    return destination === "" || (!isLocal && source === destination) ? [] : [destination];
  });
}

/** Returns the checked-out branch, into which a pull merges, for each named branch that may be another one. */
function merged([remote = "", ...refs]: readonly string[]): string[] {
  return refs.map((ref) => /^[./]/.test(remote) ? "HEAD" : `HEAD^${readRefspec(ref)[0]}`);
}

/** Returns the branch that a reference names, local or remote-tracking. */
export function branchIn(reference: string): string {
  return reference.replace(/^refs\/(?:heads|remotes\/[^/]+)\//, "");
}

/** `+SOURCE:DESTINATION`, `:DESTINATION`, `BRANCH`. */
function readRefspec(refspec: string): readonly string[] {
  return refspec.replace(/^\+/, "").split(":").map(branchIn);
}

const TO_UPSTREAM = /^(?:upstream|tracking)$/i;

/**
 * Returns the branches that a push of `branches` moves by git's settings, without those that its words name.
 * @param configured Git's settings as lines `section.name.key=value`; the last of a key counts. @param own The settings
 * that the script adds: if they choose the upstream, or a push to the upstream, any branch may move.
 */
export function pushedBySettings(
  branches: readonly string[],
  configured: readonly string[],
  own: readonly string[],
): readonly string[] {
  const settings = [...configured, ...own];
  const last = (key: string) =>
    settings.findLast((line) => line.toLowerCase().startsWith(`${key.toLowerCase()}=`))
      ?.slice(key.length + 1) ?? "";
  const mode = last("push.default");
  const isChosenHere = TO_UPSTREAM.test(mode) &&
    own.some((line) => line === UPSTREAM_CHOSEN || /^push\.default=/i.test(line));
  return [
    ...settings.flatMap((line) => {
      const [source, to = source] = readRefspec(/^remote\..*?\.push=(.+)$/i.exec(line)?.[1] ?? "");
      return source === to ? [] : [to!];
    }),
    ...mode === "matching" || isChosenHere ? ["*"] : [],
    ...branches.map((name) => TO_UPSTREAM.test(mode) ? branchIn(last(`branch.${name}.merge`)) : ""),
  ].filter((name) => name !== "");
}
