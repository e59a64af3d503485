/** What git notes of a branch: how it was made, and each time that it came to stand elsewhere. */
import { joinPath } from "../paths.ts";
import { hasBranch } from "./working_trees.ts";
import type { Repository } from "./repository.ts";

const MADE_HERE = /\tbranch: Created from HEAD\n?$/;

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
