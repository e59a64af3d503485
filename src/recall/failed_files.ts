/** Notes what the files that a failure names hold, so that a later session is told when they have changed. */
import { findRepository, lookUpwards } from "../git/repository.ts";
import type { Observed } from "../memory/observation.ts";
import { joinPath } from "../paths.ts";
import { digestOfFile } from "./file_state.ts";
import type { WorkPlace } from "./work_trees.ts";

/** After so long the files may not be those that it failed with, in milliseconds. */
const FRESH_MS = 600_000;

/**
 * Adds to a failure the digests of its files as they are now. Anything else is returned as it is, and so is a failure that
 * is too old, or whose branch is not checked out any more.
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
