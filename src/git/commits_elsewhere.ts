/** Commits that a branch has and `HEAD` has not: what `git log` does not show here. */
import type { Environment } from "../environment.ts";
import { joinPath } from "../paths.ts";
import { runTool } from "../process/run.ts";
import { gitFolders, type Repository } from "./repository.ts";

/** More of them are not listed. */
const MAX_COMMITS = 2_000;
/** More folders of branches are not looked at. */
const MAX_FOLDERS = 200;

/**
 * The commits that some branch has, here or of a remote, and `HEAD` has not, as whole ids. One git process.
 *
 * @param options `timeoutMs`: git is not waited for longer. @returns Null where it did not answer in time, or could not.
 */
export async function commitsElsewhere(
  root: string,
  { timeoutMs, environment }: { readonly timeoutMs: number; readonly environment: Environment },
): Promise<readonly string[] | null> {
  const output = await runTool(
    ["git", "rev-list", `--max-count=${MAX_COMMITS}`, "--branches", "--remotes", "--not", "HEAD"],
    { folder: root, timeoutMs, environment, isAlone: true },
  );
  return output === null || output.code !== 0
    ? null
    : output.stdout.split("\n").filter((line) => line !== "");
}

/**
 * What tells whether `HEAD` or a branch has moved: the same as long as none has. Git's files are looked at, git is not started.
 *
 * @returns Null where these do not tell.
 */
export function refsState(
  { root, commonDir }: Pick<Repository, "root" | "commonDir">,
): string | null {
  try {
    const gitDir = gitFolders({ root, commonDir }).at(-1)!;
    const head = Deno.readTextFileSync(joinPath(gitDir, "HEAD")).trim();
    const files = [joinPath(commonDir, "packed-refs"), joinPath(commonDir, "reftable/tables.list")];
    const folders = [joinPath(commonDir, "refs/heads"), joinPath(commonDir, "refs/remotes")];
    for (const folder of folders) {
      if (folders.length > MAX_FOLDERS) return null;
      for (const { name, isDirectory } of entriesIn(folder)) {
        if (isDirectory) folders.push(joinPath(folder, name));
      }
    }
    // Git renames a new file into the place of a branch's old one, which dates the folder.
    return [head, ...[...files, ...folders].map(changedAtMs)].join(" ");
  } catch {
    return null;
  }
}

function entriesIn(folder: string): Deno.DirEntry[] {
  try {
    return Array.from(Deno.readDirSync(folder));
  } catch {
    return [];
  }
}

function changedAtMs(path: string): number {
  try {
    return Deno.statSync(path).mtime?.getTime() ?? 0;
  } catch {
    return 0;
  }
}
