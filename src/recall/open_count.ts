/** Which failures are open: counted by `status`, and found by a question for them. */
import type { DatabaseSync } from "node:sqlite";
import { goneBranches } from "../git/gone_branches.ts";
import { newestOfEach, openEndRank } from "../memory/open_ends.ts";
import { joinPath } from "../paths.ts";
import { type UnmendedFailure, unmendedFailures } from "../store/open_failures.ts";
import { overIn } from "./over.ts";

/** Only the newest are looked at. */
const MAX_LOOKED_AT = 1_000;

/**
 * The ids of failures that nothing has mended, the newest first: of a command on a branch the last one. Left out are
 * failures of a branch that is gone, of an operation of git that is over, and of a look for what was not there.
 *
 * @param project Null: of all projects.
 * @returns At most a thousand.
 */
export function openFailureIds(db: DatabaseSync, project: string | null): number[] {
  const byProject = Map.groupBy(
    unmendedFailures(db, project, MAX_LOOKED_AT).filter((one) => openEndRank(one) !== null),
    (one) => one.project,
  );
  return [...byProject].flatMap(([of, failures]) => thereIn(of, newestOfEach(failures)))
    .sort((a, b) => b.updatedAtMs - a.updatedAtMs || b.id - a.id)
    .map(({ id }) => id);
}

function thereIn(
  project: string | null,
  failures: readonly UnmendedFailure[],
): readonly UnmendedFailure[] {
  if (project === null) return failures;
  const isOver = overIn(project, goneBranches({ commonDir: project, branch: headOf(project) }));
  return failures.filter((failure) => !isOver(failure));
}

/** The branch that the repository itself has checked out; null where that cannot be told. */
function headOf(commonDir: string): string | null {
  try {
    return /^ref: refs\/heads\/(.+)\n?$/.exec(Deno.readTextFileSync(joinPath(commonDir, "HEAD")))
      ?.[1] ?? null;
  } catch {
    return null;
  }
}
