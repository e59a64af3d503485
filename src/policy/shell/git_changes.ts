/** Finds the files that a git command changes. */
import { changesOfCopy } from "./copies.ts";
import { type Change, marked, type ShellCommand } from "./shell_command.ts";
import { changesNothing, type GitCall, gitCall } from "./git_call.ts";
import { type Argument, literal, OPEN, withText } from "./word.ts";
import type { Effect, Search } from "../guards/types.ts";
import { readWildcard } from "../../base/wildcard.ts";

type Changing = (call: GitCall) => Change[];

/** The files that each verb changes, relative to the folder of `git -C`; patches are in `patches.ts`. */
const CHANGING: ReadonlyMap<string, Changing> = new Map(Object.entries({
  checkout: changesOfCheckout,
  clean: () => marked([OPEN], "remove"),
  clone: ({ operands }) => {
    const folders = cloned(operands);
    return [...marked(folders, "fill"), ...marked(folders.map(configIn), "tamper")];
  },
  init: ({ operands: [top = literal(".")] }) => marked([configIn(top)], "tamper"),
  "merge-file": ({ operands }) => marked(operands.slice(0, 1), "change"),
  // `git mv` moves as `mv` does.
  mv: (call) =>
    changesOfCopy({ operands: "moved", copies: { contents: /(?!)/ } }, { ...call, outputs: [] }),
  // In `git replace main:a.txt OTHER` the path follows the colon.
  replace: ({ operands: [first], has }) =>
    first === undefined || has("-d --delete -l --list") || !first.text.includes(":")
      ? []
      : marked([withText(first, first.text.replace(/^[^:]*:/, ""))], "change"),
  reset: thrownAway,
  restore: (call) =>
    onlyUnstages(call)
      ? []
      : call.has(SIDES)
      ? policyAmong(call)
      : changesOfPaths(call, call.operands, sourceOf(call.values("-s --source").at(-1))),
  rm: (call) =>
    // Only the index loses the file; it leaves the disk when a branch without it is checked out.
    call.has("--cached")
      ? policyAmong(call)
      : changesOfPaths(call, call.operands, { effect: "remove" }),
  stash: changesOfStash,
  submodule: ({ operands: [verb, ...named] }) =>
    verb?.text === "add" ? marked(cloned(named), "fill") : [],
  switch: thrownAway,
  "update-index": ({ operands, values }) => {
    const put = values("--cacheinfo").map((one) => withText(one, one.text.replace(/^.*,/s, "")));
    return marked([...operands, ...put], "change");
  },
}));

/** Finds the files that a git command changes, such as `git rm`, `git checkout -- FILE` or `git stash push FILE`. */
export function changesOfGit({ words, gitDir }: Pick<ShellCommand, "words" | "gitDir">): Change[] {
  const own = gitCall(words)!;
  const call = gitDir === undefined ? own : { ...own, gitDir: literal(gitDir) };
  const { verb, folder, means: { output = "" } } = call;
  if (changesNothing(call)) return [];
  const changes = CHANGING.get(verb)?.(call) ?? marked(call.values(output), "change");
  if (folder === null) return changes;
  return changes.map(({ word, copied, ...how }) => ({
    ...how,
    word: wordIn(folder, word),
    ...copied && { copied: { ...copied, from: wordIn(folder, copied.from) } },
  }));
}

/** Options that take a file in conflict from one of the merged commits. */
const SIDES = "--ours --theirs -2 -3";

function policyAmong({ operands }: GitCall): Change[] {
  return marked(operands.filter(({ text, isOpen }) => !isOpen && isPolicy(text)), "change");
}

function changesOfCheckout(call: GitCall): Change[] {
  const { operands, dashed, has } = call;
  const [first, ...files] = operands;
  if (has(SIDES)) return policyAmong(call);
  if (dashed !== undefined) {
    const source = sourceOf(dashed.length < operands.length ? first : undefined);
    return changesOfPaths(call, dashed, source);
  }
  if (goesToBranch(call)) return [];
  if (has("-f --force") && files.length === 0) return thrownAway(call);
  if (first === undefined || isPath(first)) return changesOfPaths(call, operands, { source: null });
  // From here on the first word may be a branch, a commit or a file.
  if (first.isOpen) return changesOfPaths(call, files);
  // `--pathspec-from-file` counts with the other words alone.
  const ifThere = changesOfPaths({ ...call, has: () => false }, [first], { source: null })
    .map(({ search, ...change }): Change => ({
      ...change,
      search: { ...EVERYTHING, ...search, named: "if-there" },
    }));
  return [...ifThere, ...changesOfPaths(call, files)];
}

/** Tells whether the options of `checkout` show that it checks out a branch or commit, and no files. */
export function goesToBranch({ has }: GitCall): boolean {
  return has("-b -B -d -t --orphan --detach --track");
}

/** Tells whether a word of `checkout` is a file and cannot be a branch. */
export function isPath({ text, isOpen }: Argument): boolean {
  return !isOpen && /^(?:\.{1,2}(?:\/|$)|:)|[*?[]/.test(text);
}

/** Tells whether `restore` changes only the index. */
export function onlyUnstages({ has }: GitCall): boolean {
  return has("-S --staged") && !has("-W --worktree");
}

/** How git changes the files that pathspecs name. */
interface PathspecUse {
  readonly effect?: Effect;
  /** Where files are restored from: a commit, the index (null), or what only the running shell knows (undefined). */
  readonly source?: string | null | undefined;
  readonly alsoRemoves?: Search["alsoRemoves"] | undefined;
}

/** Finds the changes of a verb that throws away uncommitted work. Differences between commits are safe in git. */
function thrownAway(call: GitCall): Change[] {
  const [to] = call.operands;
  if (to === undefined || to.text === "HEAD") {
    return changesOfPaths(call, [literal(":/")], { source: "HEAD" });
  }
  if (to.isOpen) return marked([OPEN], "change");
  // The configuration of conclaude and the settings of Claude Code, wherever they lie in the repository.
  const search = searchFor(isPolicy, { restoredFrom: to.text, fromTop: true });
  return [{ word: literal("."), effect: "change", search }];
}

function configIn(folder: Argument): Argument {
  return withText(folder, `${folder.text}/.git/config`);
}

/** Returns the folder of a clone: the named folder, else one named after the last part of the address. */
function cloned([from, to]: readonly Argument[]): Argument[] {
  if (to !== undefined) return [to];
  if (from === undefined || from.isOpen) return [];
  const name = from.text.replace(/(?:\/+\.git)?\/*$/, "").split(/[/:]/).at(-1)!;
  return [withText(from, name.replace(/\.git$/, ""))];
}

function sourceOf(word: Argument | undefined): Pick<PathspecUse, "source"> {
  return { source: word === undefined ? null : word.isOpen ? undefined : word.text };
}

/** Verbs of `git stash` that take no changes from the working tree. Stashed files were judged when they were written. */
const PUTS_NOTHING_AWAY = /^(?:list|show|drop|clear|create|store|pop|apply|branch)$/;

/** Finds the changes of `git stash`: of the named files, else of all files that git finds changed. */
function changesOfStash(call: GitCall): Change[] {
  const { after: [verb], operands, dashed = [], has } = call;
  if (PUTS_NOTHING_AWAY.test(verb?.text ?? "")) return [];
  // A word is a file only after `push` or `--`.
  const files = verb?.text === "push" ? operands.slice(1) : dashed;
  const alsoRemoves = has("-a --all")
    ? "ignored"
    : has("-u --include-untracked")
    ? "untracked"
    : undefined;
  // Not plain: an unknown word, `--patch` (a person picks) or `--pathspec-from-file`.
  const isPlain = /^(?:push|save|-.*)?$/s.test(verb?.text ?? "") &&
    !call.after.some(({ isOpen }) => isOpen) && !has("-p --patch --pathspec-from-file");
  if (files.length === 0 && !isPlain) return marked([OPEN], "change");
  const words = files.length > 0 ? files : [literal(":/")];
  // The stash keeps what it removes from the working tree.
  return changesOfPaths(call, words, { effect: "tamper", source: "HEAD", alsoRemoves });
}

const MAGIC = /^:(?:\(([^)]*)\)|([/!^]*):?)/;

/** Names of personal files, which projects keep out of git. */
const PERSONAL = /\.local\.(?:ya?ml|json)$/;

/** Finds the files that git changes or removes by these pathspecs. */
function changesOfPaths(
  { has, gitDir }: GitCall,
  words: readonly Argument[],
  { effect = "change", source, alsoRemoves }: PathspecUse = {},
): Change[] {
  const how = {
    // Git is asked about this repository alone; files that come from another one are judged by their names.
    ...(source === undefined || gitDir !== null ? {} : { restoredFrom: source }),
    ...(alsoRemoves === undefined ? {} : { alsoRemoves }),
  };
  const specs = words.map((word) => ({ word, ...readPathspec(word.text) }));
  const excluded = specs.filter(({ excludes }) => excludes)
    .map((spec) => ({ ...spec, isLeftOut: matcherOf(spec.path) }));
  const included = specs.filter(({ excludes }) => !excludes);
  const chosen = included.length > 0 || specs.length === 0
    ? included
    : [{ word: literal("."), ...readPathspec(".") }];
  const changes = chosen.map(({ word, path, fromTop }): Change => {
    // An excluding pathspec counts if both paths are relative to the same folder, and none leads out of it.
    const leftOut = /(?:^\/|(?:^|\/)\.\.(?:\/|$))/.test(path)
      ? []
      : excluded.filter((other) => other.fromTop === fromTop);
    const startsAtSearch = fromTop || leftOut.length > 0;
    const isPattern = startsAtSearch || (!word.isGlob && /[*?[\\]/.test(path));
    if (word.isOpen || word.found !== undefined || !isPattern) {
      const plain = path === word.text ? word : withText(word, path);
      return effect === "remove" || word.found !== undefined
        ? { word: plain, effect }
        : { word: plain, effect, search: { ...EVERYTHING, ...how } };
    }
    const [head] = startsAtSearch ? [""] : /^(?:[^*?[\\]*\/)?/.exec(path)!;
    const matches = matcherOf(path.slice(head.length));
    const isMeant = (below: string) =>
      matches(below) && !leftOut.some(({ isLeftOut }) => isLeftOut(below)) &&
      mayBeChanged(below, alsoRemoves);
    return { word: literal(head || "."), effect, search: searchFor(isMeant, { ...how, fromTop }) };
  });
  return [...changes, ...marked(has("--pathspec-from-file") ? [OPEN] : [], effect)];
}

const POLICY = /(?:^|\/)(?:\.conclaude(?:\.local)?\.ya?ml|\.claude\/settings(?:\.local)?\.json)$/;

function isPolicy(path: string): boolean {
  return POLICY.test(path);
}

function searchFor(
  isMeant: (path: string) => boolean,
  how: Pick<Search, "restoredFrom" | "alsoRemoves" | "fromTop" | "named">,
): Search {
  const answer = (path: string) => isMeant(path) ? "yes" : "no";
  return {
    takesFolders: "no",
    ...how,
    judge: ({ path }) => ({ isMeant: answer(path), goesOn: true }),
  };
}

/** Finds everything in a named folder. */
const EVERYTHING = searchFor((path) => mayBeChanged(path, undefined), { named: "always" });

function mayBeChanged(path: string, alsoRemoves: PathspecUse["alsoRemoves"]): boolean {
  return (alsoRemoves !== undefined || !PERSONAL.test(path)) && !/(?:^|\/)\.git(?:\/|$)/.test(path);
}

/** Reads a pathspec of git: `src`, `*.lock`, `:!x`, or `:/src`, whose path is relative to the repository's top. */
function readPathspec(text: string) {
  const [magic = "", words, signs = ""] = MAGIC.exec(text) ?? [];
  const given = words === undefined ? [] : words.split(",");
  return {
    // Other words in brackets may change the meaning of the pattern, so it counts as everything.
    path: given.every((word) => /^(?:top|exclude)$/.test(word))
      ? text.slice(magic.length) || (magic === "" ? text : ".")
      : "*",
    fromTop: signs.includes("/") || given.includes("top"),
    excludes: /[!^]/.test(signs) || given.includes("exclude"),
  };
}

/** Makes a function that tells whether a pathspec means a path or a folder above it; its `*` also matches `/`. */
function matcherOf(path: string): (path: string) => boolean {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  const spec = parts.join("/");
  if (spec === "") return () => true;
  const [matches, matchesBelow] = [readWildcard(spec), readWildcard(`${spec}/*`)];
  return (path) => (matches?.(path) ?? true) || (matchesBelow?.(path) ?? true);
}

/** Puts the folder of `git -C` before a relative word. */
function wordIn(folder: Argument, word: Argument): Argument {
  return word.text.startsWith("/")
    ? word
    : { ...withText(word, `${folder.text}/${word.text}`), isOpen: word.isOpen || folder.isOpen };
}
