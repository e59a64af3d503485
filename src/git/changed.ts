/** Which files git would change by taking them back, or away: those that differ from what it takes them back to. */
import type { Environment } from "../environment.ts";
import type { Search } from "../guard/types.ts";
import { runTool } from "../process/tool.ts";
import { RealPaths } from "../project/real_paths.ts";
import { byRepository } from "./by_repository.ts";

const GIT_MS = 3_000;
const GIT = "git --literal-pathspecs --no-optional-locks -c core.fsmonitor=false".split(" ");

/** How files are taken back. */
export interface TakingBack extends Pick<Search, "takes"> {
  /** A commit; null for the index. */
  readonly takenFrom: string | null;
  /** True: what changed anywhere in the repository is asked for. */
  readonly isEverywhere?: boolean;
}

/**
 * Asks git, once for each repository, which files differ in folders; what git ignores or does not know does not, unless it
 * is taken away as well.
 *
 * @param folders Absolute, or files.
 * @returns Absolute, with all links followed; null where git cannot be asked.
 */
export async function askChanged(
  how: TakingBack,
  folders: readonly string[],
  environment: Environment,
): Promise<readonly string[] | null> {
  const paths = new RealPaths();
  const changed: string[] = [];
  // A folder may be the top of its repository: what lies in it does not.
  for (const [root, asked] of byRepository(folders.map((path) => `${paths.real(path)}/.`))) {
    const told = root === undefined
      ? null
      : await differing(root, how, { paths: asked, environment });
    if (told === null) return null;
    changed.push(...told);
  }
  return changed;
}

async function differing(
  root: string,
  { takenFrom, takes, isEverywhere = false }: TakingBack,
  { paths, environment }: {
    readonly paths: readonly string[];
    readonly environment: Environment;
  },
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
    [...GIT, ...asked, "--", ...isEverywhere ? [] : paths],
    { folder: root, timeoutMs: GIT_MS, environment },
  );
  if (output?.code !== 0) return null;
  // Before each name, what its state is.
  const skipped = takes === undefined ? 0 : 3;
  return output.stdout.split("\0").filter((line) => line !== "")
    .map((line) => `${root}/${line.slice(skipped)}`);
}
