/** Reads git's reflog of `HEAD` in a working tree: each move, and what was done. */
import { joinPath } from "../paths.ts";
import { gitFolders, type Repository } from "./repository.ts";

type Tree = Pick<Repository, "root" | "commonDir">;

const LINE_FEED = 10;

/** The length of the log in bytes: 0 where there is none yet, null where that cannot be told. */
export function headLogBytes(tree: Tree): number | null {
  try {
    return Deno.statSync(pathOf(tree)).size;
  } catch (thrown) {
    return thrown instanceof Deno.errors.NotFound ? 0 : null;
  }
}

/**
 * What was done since the log had a length, in git's words: `commit: Add a test`, `reset: moving to HEAD~1`.
 *
 * @returns Null where there is no log, or git has shortened it.
 */
export function doneSince(tree: Tree, bytes: number): string[] | null {
  try {
    const log = Deno.readFileSync(pathOf(tree));
    if (bytes > 0 && log[bytes - 1] !== LINE_FEED) return null;
    const lines = new TextDecoder().decode(log.subarray(bytes)).split("\n");
    return lines.flatMap((line) => line.split("\t").slice(1, 2));
  } catch {
    return null;
  }
}

function pathOf(tree: Tree): string {
  return joinPath(gitFolders(tree).at(-1)!, "logs/HEAD");
}
