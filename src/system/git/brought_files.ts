/** Tells files that git has brought (a checkout, merge, pull or stash) from files that something else has changed. */
import type { Environment } from "../environment.ts";
import { joinPath } from "../../base/paths.ts";
import { exists, linkAt } from "../on_disk.ts";
import { type Move, movesSince, pushedSince, type Since } from "./reflogs.ts";
import { gitFolders, type Repository } from "./repository.ts";
import { isWrittenSince } from "./objects.ts";
import { operationIn } from "./working_trees.ts";
import {
  answer,
  entriesIn,
  idsOnDisk,
  isNone,
  namesFrom,
  namesOf,
  pathsOf,
  type Question,
} from "./versions.ts";

type Tree = Pick<Repository, "root" | "commonDir">;

/** When one tool use makes more commits than this, no file counts as brought. */
const MAX_MOVES = 20;
/** Git is asked about this many files at most. */
const MAX_ASKED = 2_000;
/** Git's id of the tree without files, the same in every repository. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/** The states of files in conflict, as `git status` prints them. */
const CONFLICTS = new Set(["DD", "AU", "UD", "UA", "DU", "AA", "UU"]);

/** Files by how git changed them, and the commit that `HEAD` left first; null where it has not moved. */
export type Brought =
  & Readonly<Record<"brought" | "carried" | "committed", ReadonlySet<string>>>
  & { readonly from: string | null };

/** The moment since which git may have brought files, when the session began (epoch ms), and the environment. */
interface BroughtSince {
  readonly since: Since;
  readonly beganAtMs: number;
  readonly environment: Pick<Environment, "variable">;
}

/**
 * Returns `brought`: the files that equal git's version and that no commit made here since a moment has touched. A
 * missing file counts where `HEAD` has moved away from a commit that has the file. `carried`: those that came with
 * commits of unknown origin, written during the session, which neither a remote nor `HEAD` had before. `committed`: those
 * that commits made here have touched. Returns none where git does not answer.
 * @param paths Absolute; a path outside of the working tree never counts.
 */
export async function broughtFiles(
  tree: Tree,
  paths: readonly string[],
  { since, beganAtMs, environment }: BroughtSince,
): Promise<Brought> {
  const nothing: ReadonlySet<string> = new Set();
  const none = { brought: nothing, carried: nothing, committed: nothing, from: null };
  const inside = namesOf(tree, paths);
  const ask = (...words: string[]) => namesFrom(tree, words, environment);
  if (inside.length === 0) return none;
  const [statuses, staged] = await Promise.all([
    ask(
      ..."status --porcelain=v1 -z --no-renames --untracked-files=all --ignored=matching --".split(
        " ",
      ),
      ...inside,
    ),
    ask("ls-files", "--stage", "-z", "--", ...inside),
  ]);
  if (statuses === null || staged === null) return none;
  const unlike = await unlikeIndex(tree, staged, environment);
  // A merge, rebase or the like that has stopped brings changes that are not committed yet.
  const hasStopped = operationIn(gitFolders(tree).at(-1)!) !== null;
  const states = statuses.map((line) => [line.slice(0, 2), line.slice(3)] as const);
  const isChanged = (path: string) =>
    states.some(([state, name]) =>
      (name === path || (name.endsWith("/") && path.startsWith(name))) &&
      !(hasStopped && (CONFLICTS.has(state) || state[1] === " "))
    );
  const missing = inside.filter((path) => !exists(joinPath(tree.root, path)));
  const { from } = movesSince(tree, since);
  const [committed, former] = await Promise.all([
    committedSince(tree, inside, { since, beganAtMs, environment }),
    from === null || missing.length === 0
      ? null
      : ask("ls-tree", "--name-only", "-z", from, "--", ...missing),
  ]);
  if (committed === null) return none;
  const { touched, elsewhere } = committed;
  const ofGit = inside.filter((path) =>
    !isChanged(path) && !unlike.has(path) && !touched.includes(path) &&
    (!missing.includes(path) || former?.includes(path))
  );
  return {
    brought: pathsOf(tree, ofGit.filter((path) => !elsewhere.includes(path))),
    carried: pathsOf(tree, ofGit.filter((path) => elsewhere.includes(path))),
    committed: pathsOf(tree, touched),
    from,
  };
}

/**
 * Returns the files that commits have changed since a moment: those that were made here (`touched`), and those that were
 * written elsewhere during the session. Null where git does not answer.
 */
async function committedSince(
  tree: Tree,
  inside: readonly string[],
  { since, beganAtMs, environment }: BroughtSince,
) {
  const { from, made, known: passed } = movesSince(tree, since);
  const isNew = (id: string, datedMs: number) => isWrittenSince(tree, { id, datedMs }, beganAtMs);
  // What was committed in this session may have been put aside meanwhile.
  const known = passed.filter((id) => !isNew(id, 0));
  /** Returns the files that these moves have changed; null where git does not answer. */
  const changedBy = async (moves: readonly Move[]) => {
    const names = await Promise.all(
      moves.slice(0, MAX_MOVES).map((move) => namesBetween(tree, move, environment)),
    );
    return names.includes(null) || moves.length > MAX_MOVES ? null : names.flatMap((one) => one!);
  };
  const writtenElsewhere = async () => {
    if (from === null) return [];
    const commits = await commitsFromElsewhere(
      tree,
      { than: [from, ...known], paths: inside, beganAtMs },
      environment,
    );
    if (commits === null) return null;
    if (commits.length === 0) return [];
    // A rebase, a cherry-pick or a revert writes a commit anew, and the file may be as it was.
    const changed = await changedBy([{ from, to: "HEAD" }]);
    const names = (await changedBy(commits))?.filter((name) => changed?.includes(name) ?? true);
    const blobs = await entriesIn(tree, { commit: "HEAD", names: names ?? [] }, environment);
    const isOld = (id: string | undefined) => id !== undefined && !isNew(id, beganAtMs);
    return names?.filter((name) => !isOld(blobs?.get(name)?.id)) ?? null;
  };
  const [touched, elsewhere] = await Promise.all([changedBy(made), writtenElsewhere()]);
  return touched === null || elsewhere === null ? null : { touched, elsewhere };
}

/** The names of the files that differ between two commits, without submodules. */
function namesBetween(...[at, { from, to }, environment]: Question<Move>) {
  const words = "diff-tree -r --name-only --ignore-submodules -z".split(" ");
  return namesFrom(at, [...words, isNone(from) ? EMPTY_TREE : from, to], environment);
}

/**
 * Finds files that commits since a moment have changed, with the commit that `HEAD` left first. `isApart`: whether they
 * differ between `HEAD` and the working tree, so that somebody wrote them into git's index alone, or took them out of it.
 * @param isMeant Picks the files, by their absolute paths.
 */
export async function changedByCommits(
  tree: Tree,
  isMeant: (path: string) => boolean,
  given: BroughtSince,
): Promise<{ readonly path: string; readonly from: string; readonly isApart: boolean }[]> {
  const { from } = movesSince(tree, given.since);
  if (from === null) return [];
  const { environment } = given;
  const pathOf = (name: string) => joinPath(tree.root, name);
  const changed = (await namesBetween(tree, { from, to: "HEAD" }, environment) ?? [])
    // Git hashes the name to which a link leads, and not the file there.
    .filter((name) => isMeant(pathOf(name)) && linkAt(pathOf(name)) === null)
    .slice(0, MAX_ASKED);
  const { touched, elsewhere } = changed.length === 0
    ? { touched: [], elsewhere: [] }
    : await committedSince(tree, changed, given) ?? { touched: changed, elsewhere: [] };
  const names = changed.filter((name) => touched.includes(name) || elsewhere.includes(name));
  const [committed, present] = await Promise.all([
    entriesIn(tree, { commit: "HEAD", names }, environment),
    idsOnDisk(tree, names, environment),
  ]);
  return committed === null || present === null ? [] : names.map((name) => {
    return { path: pathOf(name), from, isApart: committed.get(name)?.id !== present.get(name) };
  });
}

/**
 * Returns the commits that `HEAD` has and that neither a remote itself nor one of the commits `than` had, if they were
 * written since the session began and touch one of the files: made in another working tree, or without `HEAD`. Null
 * where git does not answer.
 */
async function commitsFromElsewhere(
  tree: Tree,
  { than, paths, beganAtMs }: Pick<BroughtSince, "beganAtMs"> & {
    readonly than: readonly string[];
    readonly paths: readonly string[];
  },
  environment: BroughtSince["environment"],
): Promise<Move[] | null> {
  const not = [...toldByRemotes(tree, beganAtMs), ...than.filter((commit) => !isNone(commit))];
  const words = `log -z --no-merges --max-count=${MAX_LISTED} ${LISTED_AS}`.split(" ");
  const list = async (...which: readonly string[]) => {
    const lines = await namesFrom(tree, [...words, ...which, "--", ...paths], environment);
    return lines?.map((line) => line.split(":"))
      .filter(([, to = "", ...dates]) =>
        isWrittenSince(tree, { id: to, ...dated(dates) }, beganAtMs)
      ).map(([from = "", to = ""]) => ({ from, to })) ?? null;
  };
  const found = await list("HEAD", "--not", ...not);
  const [first = ""] = than;
  if (!found?.length || isNone(first)) return found;
  // A rebase writes commits anew with the same changes.
  const changing = await list("--cherry-pick", "--right-only", `${first}...HEAD`);
  return changing && found.filter(({ to }) => changing.some((one) => one.to === to));
}

/** The most commits that are listed. */
const MAX_LISTED = 200;
/** Lists a commit's parents, its id, and the times at which it was written first and last, in seconds. */
const LISTED_AS = "--ignore-missing --format=%P:%H:%at:%ct";

function dated(seconds: readonly string[]) {
  return { datedMs: Math.min(...seconds.map(Number)) * 1_000 };
}

/** Returns words for git that name what remotes have told of; what was pushed from here shows nothing of a remote. */
function toldByRemotes(tree: Tree, sinceMs: number): string[] {
  const pushed = pushedSince(tree, sinceMs);
  const others = pushed.flatMap(({ others }) => others).filter((commit) => !isNone(commit));
  return [...pushed.map(({ name }) => `--exclude=${name}`), "--remotes", ...others];
}

/** Tells whether `HEAD` has a file's version from a commit that was written since a moment, and that no remote told of. */
export async function isCommittedSince(
  tree: Tree,
  { path, sinceMs }: { readonly path: string; readonly sinceMs: number },
  environment: BroughtSince["environment"],
): Promise<boolean> {
  const words = `log -1 ${LISTED_AS} HEAD --not`.split(" ");
  const told = toldByRemotes(tree, sinceMs);
  const line = (await answer(tree, [...words, ...told, "--", path], environment) ?? "").trim();
  const [, id = "", ...dates] = line.split(":");
  return id !== "" && isWrittenSince(tree, { id, ...dated(dates) }, sinceMs);
}

/**
 * The names of files with another content than git's index has. It compares the contents, since `update-index` and some
 * settings let git take a changed file for unchanged.
 * @param staged Lines of `ls-files --stage`.
 */
async function unlikeIndex(
  ...[at, staged, environment]: Question<readonly string[]>
): Promise<ReadonlySet<string>> {
  const files = staged.flatMap((line) => {
    const [, id, name] = /^100\d{3} (\S+) 0\t(.*)$/s.exec(line) ?? [];
    return name !== undefined && exists(joinPath(at.root, name)) ? [{ id, name }] : [];
  });
  if (files.length === 0) return new Set();
  const ids = await idsOnDisk(at, files.map(({ name }) => name), environment);
  return new Set(files.filter(({ id, name }) => ids?.get(name) !== id).map(({ name }) => name));
}
