/** Reads git's reflogs of branches: how a branch was made, and each time that it moved. */
import { joinPath } from "../paths.ts";
import type { Repository } from "./repository.ts";
import { hasBranch } from "./working_trees.ts";

const MADE_HERE = /\tbranch: Created from HEAD\n?$/;

/** The first line of the log of a branch that was made here, and when. */
const MADE_ANEW =
  /^0+ [\da-f]{40,64} .* (\d+) [-+]\d+\tbranch: Created from (?:HEAD|(?:refs\/heads\/)?(?:main|master))\n/;
const RENAMED = /\tBranch: renamed refs\/heads\/(\S+) to refs\/heads\//g;
/** Longer logs are not read. */
const MAX_LOG_BYTES = 1_048_576;

/** The names that a branch had before; none without a reflog. */
export function formerNames(
  repository: Pick<Repository, "commonDir">,
  branch: string,
): ReadonlySet<string> {
  const log = readLog(branchLogPath(repository, branch), MAX_LOG_BYTES);
  return new Set(Array.from(log.matchAll(RENAMED), ([, name]) => name!));
}

/** When a branch was made of what was checked out or of the trunk, epoch milliseconds; null where its log tells none. */
export function madeAnewAtMs(
  repository: Pick<Repository, "commonDir">,
  branch: string,
): number | null {
  const log = readLog(branchLogPath(repository, branch), MAX_LOG_BYTES);
  const [, seconds] = MADE_ANEW.exec(log) ?? [];
  return seconds === undefined ? null : Number(seconds) * 1_000;
}

export interface LoggedCommit {
  /** The whole id. */
  readonly id: string;
  readonly subject: string;
  readonly atMs: number;
}

const COMMITTED =
  /^[\da-f]+ ([\da-f]+) .* (\d+) [-+]\d+\t(?:commit(?: \([a-z]+\))?|revert): (.*)$/gm;

/** Characters of a log that hold about its last hundred moves. */
const LAST_CHARS = 16_384;

/** The last commits that were made on a branch in this repository; none without a reflog. */
export function loggedCommits(
  repository: Pick<Repository, "commonDir">,
  branch: string,
): LoggedCommit[] {
  const log = readLog(branchLogPath(repository, branch), MAX_LOG_BYTES);
  return Array.from(
    log.slice(-LAST_CHARS).matchAll(COMMITTED),
    ([, id, seconds, subject]) => ({ id: id!, subject: subject!, atMs: Number(seconds) * 1_000 }),
  );
}

/**
 * Whether a branch still stands where it was made from what was checked out; true also for a branch that does not exist
 * yet.
 *
 * @returns Null without a reflog.
 */
export function hasJustBegun(
  repository: Pick<Repository, "commonDir">,
  branch: string,
): boolean | null {
  try {
    const log = Deno.readTextFileSync(branchLogPath(repository, branch));
    return log.indexOf("\n") === log.length - 1 && MADE_HERE.test(log);
  } catch {
    return hasBranch(repository, branch) ? null : true;
  }
}

/** The text of a log; empty where there is none, or it is longer than `maxBytes`. */
export function readLog(path: string, maxBytes: number): string {
  try {
    return Deno.statSync(path).size > maxBytes ? "" : Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

export function branchLogPath(
  { commonDir }: Pick<Repository, "commonDir">,
  branch: string,
): string {
  return joinPath(commonDir, `logs/refs/heads/${branch}`);
}
