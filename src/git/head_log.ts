/** What git notes of a working tree's `HEAD`: each time that it came to stand elsewhere. */
import { joinPath } from "../paths.ts";
import { gitFolders, type Repository } from "./repository.ts";

/** `<old> <new> <who> <seconds> <zone>`, a tab, and what was done. */
const LINE = / (\d+) [+-]\d{4}\t(.*)$/;

/**
 * Whether all that `HEAD` has done since is to go to other branches: no commit was made.
 *
 * @returns False also where nothing was noted, or it cannot be read.
 */
export function hasOnlyGone(
  repository: Pick<Repository, "root" | "commonDir">,
  sinceMs: number,
): boolean {
  try {
    const log = Deno.readTextFileSync(joinPath(gitFolders(repository).at(-1)!, "logs/HEAD"));
    const done = log.split("\n").flatMap((line) => {
      const [, seconds, what] = LINE.exec(line) ?? [];
      return Number(seconds) >= Math.floor(sinceMs / 1_000) ? [what!] : [];
    });
    return done.length > 0 && done.every((what) => what.startsWith("checkout: "));
  } catch {
    return false;
  }
}
