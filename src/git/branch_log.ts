/** What git notes of a branch: how it was made, and each time that it came to stand elsewhere. */
import { branchLogPath, readLog } from "./log_file.ts";
import { hasBranch } from "./working_trees.ts";
import type { Repository } from "./repository.ts";

const MADE_HERE = /\tbranch: Created from HEAD\n?$/;

/** The first line of the log of a branch that was made here, and when. */
const MADE_ANEW =
  /^0+ [\da-f]{40,64} .* (\d+) [-+]\d+\tbranch: Created from (?:HEAD|(?:refs\/heads\/)?(?:main|master))\n/;
const RENAMED = /\tBranch: renamed refs\/heads\/(\S+) to refs\/heads\//g;
/** A longer log, in bytes, is not looked through for names. */
const MAX_LOG_BYTES = 1_048_576;

/** The names that a branch had before; none where git keeps no log of it. */
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

/** A commit that was made on a branch, whoever made it. */
export interface LoggedCommit {
  /** Its whole id. */
  readonly id: string;
  readonly subject: string;
  /** To the second. */
  readonly atMs: number;
}

const COMMITTED =
  /^[\da-f]+ ([\da-f]+) .* (\d+) [-+]\d+\t(?:commit(?: \([a-z]+\))?|revert): (.*)$/gm;

/** So much of a log, in characters, tells of its last hundred moves. */
const LAST_CHARS = 16_384;

/** The last commits that were made on a branch in this repository; none where git keeps no log of it. */
export function loggedCommits(
  repository: Pick<Repository, "commonDir">,
  branch: string,
): LoggedCommit[] {
  const log = readLog(branchLogPath(repository, branch), MAX_LOG_BYTES);
  return Array.from(
    log.slice(-LAST_CHARS).matchAll(COMMITTED),
    ([, id, seconds, subject]) => ({
      id: id!,
      subject: subject!,
      atMs: Number(seconds) * 1_000,
    }),
  );
}

/**
 * Whether a branch still stands where it was made of what was checked out; also true of one that is not made yet.
 *
 * @returns Null where git keeps no log of it.
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
