/** What git notes of a working tree's `HEAD`: each time that it came to stand elsewhere, and what was done for it. */
import { joinPath } from "../paths.ts";
import { gitFolders, type Repository } from "./repository.ts";

/** Of which working tree. */
type Tree = Pick<Repository, "root" | "commonDir">;

/** The end of a line. */
const LINE_FEED = 10;

/** How long the log is, in bytes: nothing where none is there yet, null where that cannot be told. */
export function headLogBytes(tree: Tree): number | null {
  try {
    return Deno.statSync(pathOf(tree)).size;
  } catch (thrown) {
    return thrown instanceof Deno.errors.NotFound ? 0 : null;
  }
}

/**
 * What was done since the log was so long, in git's words: `commit: Add a test`, `reset: moving to HEAD~1`.
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
