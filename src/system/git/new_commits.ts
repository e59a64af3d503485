/** Finds the commits that are new between two looks at a repository, however they were made. */
import { joinPath } from "../../base/paths.ts";
import { readText } from "../on_disk.ts";
import { askGit, askGitLines, type GitContext } from "./run_git.ts";
import type { Heads } from "./heads.ts";
import { formerBranchNames, loggedSince } from "./reflogs.ts";
import type { Repository } from "./repository.ts";

export interface NewCommit {
  readonly id: string;
  /** The branches that contain it, also under their former names. */
  readonly branches: readonly string[];
  /** Whether no branch and no working tree has it any more. */
  readonly isGone: boolean;
  /** When it was committed, epoch milliseconds. */
  readonly atMs: number;
}

export interface Between {
  readonly before: Heads;
  readonly now: Heads;
  /** The time of the earlier look, epoch milliseconds. A commit made since then is new. */
  readonly sinceMs: number;
  /**
   * The begin of the session, epoch milliseconds. A commit made since then is new unless `HEAD` was on it before:
   * a stash or a commit that no branch had may become part of a branch later.
   */
  readonly sessionMs: number;
  /** Commits that always count when they reappear, and whose patches do not count as known. */
  readonly suspects: ReadonlySet<string>;
}

interface Commit {
  readonly id: string;
  readonly tree: string;
  readonly isMerge: boolean;
  readonly authoredAt: number;
  readonly committedAt: number;
  readonly author: string;
}

/** How many commits of one tool use are read; the newest come first. */
const MAX_COMMITS = 20;
const MAX_SEARCHED = 5_000;

/**
 * Returns the commits that are reachable now and were not before, are in no remote-tracking branch, and bring something
 * new: a rebase, a cherry-pick and a merge without conflicts bring nothing new. A commit by `git commit` always counts,
 * also if it was pushed or abandoned at once.
 */
export async function newCommits(
  repository: Pick<Repository, "commonDir">,
  between: Between,
  context: GitContext,
): Promise<NewCommit[]> {
  const { before, now, suspects } = between;
  const made = madeHere(between);
  const left = new Set([...Object.values(before.tips), ...commitsOf(before)]);
  const ends = [...Object.values(now.tips), ...commitsOf(now)].filter((id) => !left.has(id));
  if (made.size + ends.length === 0) return [];
  const ask = (options: readonly string[], revisions: readonly string[]) =>
    listCommits(repository, { options, revisions }, context);
  const reached = ends.length === 0
    ? []
    : await ask(["--not", "--remotes"], [...ends, ...[...left].map((id) => `^${id}`)]);
  const sinceSeconds = Math.floor(between.sinceMs / 1_000);
  const sessionSeconds = Math.floor(between.sessionMs / 1_000);
  const former = reached.length === 0 ? new Set<string>() : formerHeads(between);
  const young = reached.filter(({ id, committedAt }) =>
    committedAt >= sinceSeconds || made.has(id) || suspects.has(id) ||
    (committedAt >= sessionSeconds && !former.has(id))
  );
  const others = [...made].filter((id) => reached.every((one) => one.id !== id));
  const apart = others.length === 0 ? [] : await ask(["--no-walk"], others);
  const candidates = [...young, ...apart].slice(0, MAX_COMMITS);
  const known = await knownAmong(
    repository,
    candidates.filter(({ id }) => !made.has(id) && !suspects.has(id)),
    { left, without: new Set([...reached.map(({ id }) => id), ...suspects]), context },
  );
  const found: NewCommit[] = [];
  for (const { id, committedAt } of candidates) {
    if (known.has(id)) continue;
    const branches = await branchesWith(repository, id, context);
    const isGone = branches.length === 0 && reached.every((one) => one.id !== id);
    found.push({ id, branches, isGone, atMs: committedAt * 1_000 });
  }
  return found;
}

/** Returns the branches that have moved, except those that only went back. */
export async function advancedBranches(
  { commonDir }: Pick<Repository, "commonDir">,
  { before, now }: Pick<Between, "before" | "now">,
  context: GitContext,
): Promise<string[]> {
  const known = new Set(Object.values(before.tips));
  const advanced: string[] = [];
  for (const [name, tip] of Object.entries(now.tips)) {
    const old = before.tips[name];
    if (old === tip || (old === undefined && known.has(tip))) continue;
    const words = ["merge-base", "--is-ancestor", tip, old ?? tip];
    if (old === undefined || await askGit(commonDir, words, context) === null) advanced.push(name);
  }
  return advanced;
}

/** Returns the commits that the reflogs of `HEAD` say were made by `git commit` or `git revert`. */
function madeHere({ before, now }: Pick<Between, "before" | "now">): Set<string> {
  return new Set(
    Object.entries(now.trees).flatMap(([gitDir, { logBytes }]) => {
      const known = before.trees[gitDir]?.logBytes ?? 0;
      if (logBytes <= known) return [];
      return loggedSince(headLog(gitDir), known)
        .flatMap(({ to, what }) => /^(?:commit(?: \([a-z-]+\))?|revert):/.test(what) ? [to] : []);
    }),
  );
}

/** Returns the commits that the reflogs of `HEAD` named at the earlier look. */
function formerHeads({ before }: Pick<Between, "before">): Set<string> {
  return new Set(
    Object.entries(before.trees).flatMap(([gitDir, { logBytes }]) => {
      const log = headLog(gitDir);
      const since = loggedSince(log, logBytes).length;
      return loggedSince(log, 0).slice(0, -since || undefined).map(({ to }) => to);
    }),
  );
}

function headLog(gitDir: string): string {
  return readText(joinPath(gitDir, "logs/HEAD")) ?? "";
}

function commitsOf({ trees }: Heads): string[] {
  return Object.values(trees).flatMap(({ commit }) => commit === "" ? [] : [commit]);
}

const FORMAT = "--format=%H %T %at %ct %ae|%P";

/** Lists commits, the newest first; none where git does not answer. */
async function listCommits(
  { commonDir }: Pick<Repository, "commonDir">,
  { options, revisions }: Readonly<{ options: readonly string[]; revisions: readonly string[] }>,
  context: GitContext,
): Promise<Commit[]> {
  const words = ["log", "--ignore-missing", `--max-count=${MAX_SEARCHED}`, FORMAT, "--stdin"];
  const lines = await askGitLines(commonDir, [...words, ...options], {
    ...context,
    input: [...new Set(revisions)].join("\n"),
  });
  return lines.map((line) => {
    const parents = line.slice(line.lastIndexOf("|") + 1);
    const [id = "", tree = "", authoredAt, committedAt, ...author] = line
      .slice(0, line.lastIndexOf("|")).split(" ");
    return {
      id,
      tree,
      isMerge: parents.includes(" "),
      author: author.join(" "),
      authoredAt: Number(authoredAt),
      committedAt: Number(committedAt),
    };
  });
}

/** Returns the commits whose patch the repository had before: git keeps the author's time when it copies a commit. */
async function knownAmong(
  repository: Pick<Repository, "commonDir">,
  commits: readonly Commit[],
  { left, without, context }: {
    readonly left: ReadonlySet<string>;
    readonly without: ReadonlySet<string>;
    readonly context: GitContext;
  },
): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (const { id } of commits.filter(({ isMerge }) => isMerge)) {
    const words = ["diff-tree", "--cc", "--no-commit-id", "-p", id];
    if (await askGit(repository.commonDir, words, context) === "") known.add(id);
  }
  const singles = commits.filter(({ isMerge }) => !isMerge);
  if (singles.length === 0) return known;
  const sinceSeconds = Math.min(...singles.map(({ authoredAt }) => authoredAt));
  const options = ["--all", `--since=${sinceSeconds - 1}`];
  const former = (await listCommits(repository, { options, revisions: [...left] }, context))
    .filter(({ id }) => !without.has(id));
  const keyOf = ({ author, authoredAt }: Commit) => `${authoredAt} ${author}`;
  const byKey = Map.groupBy(former, keyOf);
  const copies = singles.filter((one) => byKey.has(keyOf(one)));
  if (copies.length === 0) return known;
  const trees = new Set(former.map(({ tree }) => tree));
  const originals = copies.flatMap((one) => byKey.get(keyOf(one))!);
  const patches = await patchIds(repository, [...copies, ...originals], context);
  for (const copy of copies) {
    const isCopied = byKey.get(keyOf(copy))!.some(({ id }) =>
      patches.get(id) === patches.get(copy.id)
    );
    // A series of commits that was squashed or split ends with the same files.
    if (isCopied || trees.has(copy.tree)) known.add(copy.id);
  }
  return known;
}

/** Returns the ids of patches, by commit; an empty commit has none. Lines around a change do not count. */
async function patchIds(
  { commonDir }: Pick<Repository, "commonDir">,
  commits: readonly Commit[],
  context: GitContext,
): Promise<ReadonlyMap<string, string>> {
  const words = ["log", "--no-walk", "--stdin", "-p", "-U0", "--no-ext-diff", "--no-textconv"];
  const ids = [...new Set(commits.map(({ id }) => id))].join("\n");
  const patches = await askGit(commonDir, words, { ...context, input: ids });
  const lines = await askGitLines(commonDir, ["patch-id", "--stable"], {
    ...context,
    input: patches ?? "",
  });
  return new Map(lines.map((line) => {
    const [patch = "", id = ""] = line.split(" ");
    return [id, patch];
  }));
}

async function branchesWith(
  repository: Pick<Repository, "commonDir">,
  id: string,
  context: GitContext,
): Promise<string[]> {
  const words = ["for-each-ref", `--contains=${id}`, "--format=%(refname:lstrip=2)", "refs/heads"];
  const names = await askGitLines(repository.commonDir, words, context);
  return [...new Set(names.flatMap((name) => [name, ...formerBranchNames(repository, name)]))];
}
