/** What git notes of a branch: how it was made, and each time that it came to stand elsewhere. */
import { joinPath } from "../paths.ts";
import { hasBranch } from "./working_trees.ts";
import type { Repository } from "./repository.ts";

const MADE_HERE = /\tbranch: Created from HEAD\n?$/;

const RENAMED = /\tBranch: renamed refs\/heads\/(\S+) to refs\/heads\//g;
/** A longer log, in bytes, is not looked through for names. */
const MAX_LOG_BYTES = 1_048_576;

/** The names that a branch had before; none where git keeps no log of it. */
export function formerNames(
  { commonDir }: Pick<Repository, "commonDir">,
  branch: string,
): ReadonlySet<string> {
  try {
    const path = joinPath(commonDir, `logs/refs/heads/${branch}`);
    if (Deno.statSync(path).size > MAX_LOG_BYTES) return new Set();
    const log = Deno.readTextFileSync(path);
    return new Set(Array.from(log.matchAll(RENAMED), ([, name]) => name!));
  } catch {
    return new Set();
  }
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
    const log = Deno.readTextFileSync(joinPath(repository.commonDir, `logs/refs/heads/${branch}`));
    return log.indexOf("\n") === log.length - 1 && MADE_HERE.test(log);
  } catch {
    return hasBranch(repository, branch) ? null : true;
  }
}
