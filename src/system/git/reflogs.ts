/** Reads git's reflogs: how a branch was made, its former names and commits, and what moved `HEAD`. */
import { joinPath } from "../../base/paths.ts";
import { entriesOf, readText } from "../on_disk.ts";
import { changedAtMs, gitFolders, hasBranch, type Repository } from "./repository.ts";

const MAX_LOG_BYTES = 1_048_576;
/** How much of a log's end is read, in characters: about a hundred moves. */
const LAST_CHARS = 16_384;
const LINE_FEED = 10;

const MADE_HERE = /\tbranch: Created from HEAD\n?$/;
const RENAMED = /\tBranch: renamed refs\/heads\/(\S+) to refs\/heads\//g;
const COMMITTED =
  /^[\da-f]+ ([\da-f]+) .* (\d+) [-+]\d+\t(?:commit(?: \([a-z]+\))?|revert): (.*)$/gm;

/** Returns the names that a branch had before; none without a reflog. */
export function formerBranchNames(repository: BranchPlace, branch: string): ReadonlySet<string> {
  return new Set(
    Array.from(readBranchLog(repository, branch).matchAll(RENAMED), ([, name]) => name!),
  );
}

/** Returns the last commits that were made on a branch in this repository; none without a reflog. */
export function loggedCommits(
  repository: BranchPlace,
  branch: string,
): { readonly id: string; readonly subject: string; readonly atMs: number }[] {
  return Array.from(
    readBranchLog(repository, branch).slice(-LAST_CHARS).matchAll(COMMITTED),
    ([, id, seconds, subject]) => ({ id: id!, subject: subject!, atMs: Number(seconds) * 1_000 }),
  );
}

/** Tells whether a branch has not moved since it was made; true for a missing branch, null without a reflog. */
export function hasJustBegun(repository: BranchPlace, branch: string): boolean | null {
  const log = readText(branchLogPath(repository, branch));
  if (log === null) return hasBranch(repository, branch) ? null : true;
  return log.indexOf("\n") === log.length - 1 && MADE_HERE.test(log);
}

type BranchPlace = Pick<Repository, "commonDir">;

function readBranchLog(repository: BranchPlace, branch: string): string {
  return readText(branchLogPath(repository, branch), MAX_LOG_BYTES) ?? "";
}

function branchLogPath({ commonDir }: BranchPlace, branch: string): string {
  return joinPath(commonDir, `logs/refs/heads/${branch}`);
}

/**
 * How a remote-tracking branch came to its commit, as its reflog tells: `told` by its remote, or a push from here, with
 * the latest moment in epoch milliseconds. `forged`: the reflog tells neither. Null where there is no reflog.
 */
export function cameToRemote(
  { commonDir }: BranchPlace,
  { ref, commit }: { readonly ref: string; readonly commit: string },
): "told" | "forged" | { readonly pushedAtMs: number } | null {
  const log = readText(joinPath(commonDir, `logs/${ref}`), MAX_LOG_BYTES);
  if (log === null) return null;
  const [, , to, seconds, what = ""] = [...log.slice(-LAST_CHARS).matchAll(MOVED)].at(-1) ?? [];
  if (to !== commit) return "forged";
  if (what === PUSHED) return { pushedAtMs: (Number(seconds) + 1) * 1_000 };
  return /^(?:fetch|pull|clone|remote)\b/.test(what) ? "told" : "forged";
}

/**
 * Returns the remote-tracking branches, by their names below `refs/remotes`, that were pushed from here since a moment,
 * and the commits that show what the remote had without that.
 */
export function pushedSince(
  { commonDir }: BranchPlace,
  sinceMs: number,
): { readonly name: string; readonly others: readonly string[] }[] {
  const top = joinPath(commonDir, "logs/refs/remotes");
  const logs: string[] = [];
  const folders = [top];
  // The list grows during the loop.
  for (const folder of folders) {
    for (const { name, isDirectory } of entriesOf(folder) ?? []) {
      (isDirectory ? folders : logs).push(joinPath(folder, name));
    }
  }
  return logs.filter((path) => (changedAtMs(path) ?? 0) >= sinceMs).flatMap((path) => {
    const moves = [...(readText(path, MAX_LOG_BYTES) ?? "").slice(-LAST_CHARS).matchAll(MOVED)];
    const isPush = ([, , , seconds, what]: readonly string[]) =>
      what === PUSHED && (Number(seconds) + 1) * 1_000 >= sinceMs;
    const first = moves.findIndex(isPush);
    if (first < 0) return [];
    const told = moves.slice(first).filter((move) => !isPush(move)).map(([, , to]) => to!);
    return { name: path.slice(top.length + 1), others: [moves[first]![1]!, ...told] };
  });
}

/** What git writes into the reflog of a remote-tracking branch that it pushes. */
const PUSHED = "update by push";

type Tree = Pick<Repository, "root" | "commonDir">;

/** Returns the length of the reflog of `HEAD` in bytes: 0 when there is none, null when it cannot be read. */
export function headLogBytes(tree: Tree): number | null {
  try {
    return Deno.statSync(headLogPath(tree)).size;
  } catch (thrown) {
    return thrown instanceof Deno.errors.NotFound ? 0 : null;
  }
}

/** Returns the entries of a reflog since it had this length in bytes; all of them where git has shortened it. */
export function loggedSince(log: string, bytes: number): { to: string; what: string }[] {
  const whole = new TextEncoder().encode(log);
  const isLonger = bytes > 0 && whole[bytes - 1] === LINE_FEED;
  const since = isLonger ? new TextDecoder().decode(whole.subarray(bytes)) : log;
  return Array.from(since.matchAll(MOVED), ([, , to, , what]) => ({ to: to!, what: what ?? "" }));
}

/** Tells whether a working tree had a branch checked out at a moment since the reflog of `HEAD` had this length, in bytes. */
export function wasAtBranch(
  tree: Tree,
  branch: string,
  { logBytes }: { readonly logBytes: number },
): boolean {
  const log = readText(headLogPath(tree), MAX_LOG_BYTES) ?? "";
  return loggedSince(log, logBytes).some(({ what }) =>
    what.startsWith("checkout: moving from ") && what.endsWith(` to ${branch}`)
  );
}

/** A move of `HEAD`, or from a commit's parent to it; the earlier id is empty, or of zeros, where there is none. */
export type Move = Readonly<{ from: string; to: string }>;

/** The most commits in `known`, the latest ones. */
const MAX_KNOWN = 200;

/** Where the moves of `HEAD` begin to count: at a length of its reflog in bytes, or after a time (epoch ms). */
export type Since = { readonly logBytes: number } | { readonly afterMs: number };

/**
 * Returns the commit that `HEAD` left first since then (`from`), the moves of `HEAD` to commits that were `made` here,
 * and the commits that `HEAD` was at before, or came to by a revert (`known`).
 */
export function movesSince(tree: Tree, since: Since) {
  const log = readText(headLogPath(tree), MAX_LOG_BYTES) ?? "";
  const afterSeconds = "afterMs" in since ? Math.floor(since.afterMs / 1_000) : -1;
  const afterBytes = "logBytes" in since ? since.logBytes : 0;
  const whole = new TextEncoder().encode(log);
  const [earlier, later] = [whole.subarray(0, afterBytes), whole.subarray(afterBytes)]
    .map((part) => [...new TextDecoder().decode(part).matchAll(MOVED)]);
  const isLater = ([, , , seconds]: readonly string[]) => Number(seconds) > afterSeconds;
  const moves = later!.filter(isLater);
  const passed = [...earlier!, ...later!]
    .filter((move) => !moves.includes(move) || move[4]?.startsWith("revert: "));
  const isMade = ([, , , , what]: readonly string[]) => MADE.test(what ?? "");
  return {
    from: moves[0]?.[1] ?? null,
    made: moves.filter(isMade).map(([, from, to]): Move => ({ from: from!, to: to! })),
    known: passed.slice(-MAX_KNOWN).map(([, , to]) => to!),
  };
}

/** Groups: the commit before, the commit after, the time in seconds, and git's description of the move. */
const MOVED = /^([\da-f]+) ([\da-f]+) .* (\d+) [-+]\d+(?:\t(.*))?$/gm;
/** No merge and no revert: a merge brings what others have made, a revert what was there before. */
const MADE = /^(?:commit(?: \((?:amend|initial)\))?|filter-branch): /;

function headLogPath(tree: Tree): string {
  return joinPath(gitFolders(tree).at(-1)!, "logs/HEAD");
}
