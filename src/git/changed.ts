/** Which files git would change by taking them back, or away: those that differ from what it takes them back to. */
import type { Search } from "../guard/decide.ts";
import { runTool } from "../process/tool.ts";
import { byRepository } from "./by_repository.ts";

const GIT_MS = 3_000;

/** How files are taken back. */
export type TakingBack = { readonly takenFrom: string | null } & Pick<Search, "takes">;

/**
 * Asks git, once for each repository, which files differ; what git ignores or does not know does not, unless it is taken
 * away as well.
 *
 * @param how `takenFrom`: a commit; null for the index.
 * @param paths Absolute, with all links followed; they need not exist.
 * @returns All of them where git cannot be asked.
 */
export async function askChanged(
  how: TakingBack,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const changed = new Set<string>();
  for (const [root, asked] of byRepository(paths)) {
    const told = root === undefined ? null : await differing(root, how, asked);
    for (const path of told ?? asked) changed.add(path);
  }
  return changed;
}

async function differing(
  root: string,
  { takenFrom, takes }: TakingBack,
  paths: readonly string[],
): Promise<readonly string[] | null> {
  const commit = takenFrom === null ? [] : ["--end-of-options", takenFrom];
  const asked = takes === undefined
    ? [
      "diff",
      "--name-only",
      "-z",
      "--no-ext-diff",
      "--no-renames",
      "--ignore-submodules",
      ...commit,
    ]
    : [
      ...["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"],
      ...(takes === "ignored" ? ["--ignored"] : []),
    ];
  const output = await runTool(
    ["git", "--literal-pathspecs", "-c", "core.fsmonitor=false", ...asked, "--", ...paths],
    { folder: root, timeoutMs: GIT_MS },
  );
  if (output?.code !== 0) return null;
  // Before each name, what its state is.
  const skipped = takes === undefined ? 0 : 3;
  return output.stdout.split("\0").filter((line) => line !== "")
    .map((line) => `${root}/${line.slice(skipped)}`);
}
