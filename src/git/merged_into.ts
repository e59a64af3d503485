/** Whether a branch that is gone was merged, and into which: its log is gone with it, but for where `HEAD` has left it. */
import type { Environment } from "../environment.ts";
import { joinPath } from "../paths.ts";
import { runTool } from "../process/tool.ts";
import { branchLogPath, readLog } from "./branch_log.ts";
import { type Repository, worktreeDirs } from "./repository.ts";
import { hasBranch } from "./working_trees.ts";

type Common = Pick<Repository, "commonDir">;

/** A longer log, in bytes, is not looked through. */
const MAX_LOG_BYTES = 4_194_304;
const GIT_MS = 2_000;
/** Names of more files are not handed to git. */
const MAX_NAMES_CHARS = 65_536;

/** `<from> <to> <who> <seconds> <zone><tab>checkout: moving from <branch> to <branch>` */
const SWITCHED =
  /^([\da-f]{40,64}) ([\da-f]{40,64}) .* (\d+) [-+]\d+\tcheckout: moving from (\S+) to (\S+)$/gm;
const MOVED = /^.* (\d+) [-+]\d+\t(.*)$/gm;
/** What brings in the work of others, or a branch as it begins. */
const BROUGHT = /^(?:merge|pull|rebase|reset|branch)\b/;

/** Branches that others are merged into: of several that hold a commit, the first of these. */
const TRUNKS = ["main", "master"];

/** The last commit of a branch: its id, or how that begins, and when the branch was left with it, epoch milliseconds. */
export interface LastCommit {
  readonly id: string;
  readonly atMs: number;
}

/**
 * The last commit of a branch as `HEAD` has left it.
 *
 * @returns Null where nobody knows, or where the branch has no commit of its own: then it was never merged.
 */
export function lastCommit({ commonDir }: Common, branch: string): LastCommit | null {
  let began: string | null = null;
  let left: LastCommit | null = null;
  for (const folder of [commonDir, ...worktreeDirs({ commonDir })]) {
    const log = readLog(joinPath(folder, "logs/HEAD"), MAX_LOG_BYTES);
    for (const [, id, next, at, from, to] of log.matchAll(SWITCHED)) {
      const atMs = Number(at) * 1_000;
      if (from === branch && (left === null || atMs >= left.atMs)) left = { id: id!, atMs };
      if (to === branch) began ??= next!;
    }
  }
  return left === null || left.id === began ? null : left;
}

/**
 * The branch that a commit was merged into: of those that hold it `main` or `master`, else the one that is checked out,
 * else the first. Where none does, that of these which has all that it changed: its work was squashed, or put on top of
 * other work. Null where it is in none, or git does not tell.
 */
export async function branchHolding(
  { root, branch, commonDir }: Repository,
  commit: string,
  environment: Environment,
): Promise<string | null> {
  const git = async (...args: string[]) => {
    const output = await runTool(["git", "--no-pager", ...args], {
      folder: root,
      timeoutMs: GIT_MS,
      environment,
    });
    return output === null || output.code !== 0 ? null : output.stdout;
  };
  const format = "--format=%(refname:lstrip=2)";
  const listed = await git("for-each-ref", `--contains=${commit}`, format, "refs/heads");
  // It is not there any more.
  if (listed === null) return null;
  const holding = listed.split("\n").filter((name) => name !== "");
  const usual = [...TRUNKS, branch].filter((name) => name !== null);
  if (holding.length > 0) return usual.find((name) => holding.includes(name)) ?? holding[0]!;
  const target = usual.find((name) => hasBranch({ commonDir }, name));
  if (target === undefined) return null;
  const base = await git("merge-base", `refs/heads/${target}`, commit);
  const changed = base && await git("diff", "--name-only", "-z", base.trim(), commit);
  if (!changed || changed.length > MAX_NAMES_CHARS) return null;
  const files = changed.split("\0").filter((name) => name !== "").map((name) =>
    `:(top,literal)${name}`
  );
  const same = await git("diff", "--quiet", commit, `refs/heads/${target}`, "--", ...files);
  return same === null ? null : target;
}

/**
 * When a branch was merged into another one, epoch milliseconds: where that one's log does not name it, when the last work
 * of others was brought in since it was left, or else the last of any. Null where nothing was.
 */
export function mergedAtMs(
  repository: Common,
  { merged, leftAtMs, into }: {
    readonly merged: string;
    readonly leftAtMs: number;
    readonly into: string;
  },
): number | null {
  const log = readLog(branchLogPath(repository, into), MAX_LOG_BYTES);
  const moves = Array.from(
    log.matchAll(MOVED),
    ([, seconds, what]) => ({ atMs: Number(seconds) * 1_000, what: what! }),
  ).filter(({ atMs }) => atMs >= leftAtMs);
  const move = moves.find(({ what }) => what.startsWith(`merge ${merged}:`)) ??
    moves.findLast(({ what }) => BROUGHT.test(what)) ?? moves.at(-1);
  return move?.atMs ?? null;
}
