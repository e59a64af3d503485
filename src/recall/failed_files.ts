/** What the files that a failure names hold, so that a later session is told when they are others. */
import { findRepository, lookUpwards } from "../git/repository.ts";
import type { Observed } from "../memory/observation.ts";
import { joinPath } from "../paths.ts";
import { digestOfFile } from "./file_state.ts";
import type { WorkPlace } from "./work_trees.ts";

/** What failed longer ago may have failed with other files. */
const FRESH_MS = 600_000;

/**
 * A failure with what its files hold now, shortly after it; anything else as it is. Where another branch is checked out by
 * now, they are not the files that it failed with.
 *
 * @param ageMs How long ago it failed, in milliseconds.
 */
export function withContent(
  observed: Observed,
  { root, branch }: Pick<WorkPlace, "root" | "branch">,
  ageMs: number,
): Observed {
  const { kind, outcome, files } = observed;
  const isRun = (kind === "failure" || kind === "test") && outcome === "failure";
  if (!isRun || files.length === 0 || root === null || ageMs > FRESH_MS) return observed;
  if ((findRepository(lookUpwards(root))?.branch ?? null) !== branch) return observed;
  return {
    ...observed,
    files: files.map(({ path, digest }) => ({
      path,
      digest: digest ?? digestOfFile(joinPath(root, path)),
    })),
  };
}
