/** Which files git would change by taking them back: those that differ from what it takes them back to. */
import { parentOf } from "../paths.ts";
import { runTool } from "../process/tool.ts";
import { lookUpwards } from "../project/look.ts";
import { findRepository } from "./repository.ts";

const GIT_MS = 3_000;

/**
 * Asks git, once for each repository, which files differ; what git ignores or does not know does not.
 *
 * @param source A commit; null for the index.
 * @param paths Absolute, with all links followed; they need not exist.
 * @returns All of them where git cannot be asked.
 */
export async function askChanged(
  source: string | null,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const roots = new Map<string, string | undefined>();
  for (const folder of new Set(paths.map(parentOf))) {
    roots.set(folder, findRepository(lookUpwards(folder))?.root);
  }
  const changed = new Set<string>();
  for (const [root, asked] of Map.groupBy(paths, (path) => roots.get(parentOf(path)))) {
    const told = root === undefined ? null : await differing(root, source, asked);
    for (const path of told ?? asked) changed.add(path);
  }
  return changed;
}

async function differing(
  root: string,
  source: string | null,
  paths: readonly string[],
): Promise<readonly string[] | null> {
  const commit = source === null ? [] : ["--end-of-options", source];
  const output = await runTool(
    [
      ...["git", "--literal-pathspecs", "-c", "core.fsmonitor=false", "diff", "--name-only", "-z"],
      ...["--no-ext-diff", "--no-renames", "--ignore-submodules", ...commit, "--", ...paths],
    ],
    { folder: root, timeoutMs: GIT_MS },
  );
  if (output?.code !== 0) return null;
  return output.stdout.split("\0").filter((name) => name !== "").map((name) => `${root}/${name}`);
}
