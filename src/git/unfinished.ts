/** What in a working tree would be lost, or merged though nobody has decided it. */
import { joinPath } from "../paths.ts";
import { exists } from "../project/exists.ts";
import { isFolder } from "../project/files.ts";
import { runGit } from "./run_git.ts";

/** Folders that git keeps while it puts commits on top of others, and what that is called. */
const UNDER_WAY: Readonly<Record<string, string>> = {
  "rebase-merge": "a rebase",
  "rebase-apply": "a rebase, or git am,",
};

/** Files with conflicts that nobody has resolved: git has their versions side by side. */
export async function unresolvedFiles(folder: string): Promise<readonly string[]> {
  const { stdout } = await runGit(["ls-files", "--unmerged", "-z"], { folder });
  const names = stdout.split("\0").filter((line) => line !== "")
    .map((line) => line.slice(line.indexOf("\t") + 1));
  return [...new Set(names)];
}

/** What somebody has begun with git and not ended, in words; null when nothing. */
export async function unfinishedIn(folder: string): Promise<string | null> {
  const files = await unresolvedFiles(folder);
  if (files.length > 0) {
    return `conflicts in ${files.join(", ")} are not resolved in ${folder}`;
  }
  for (const [name, what] of Object.entries(UNDER_WAY)) {
    const { stdout } = await runGit(["rev-parse", "--path-format=absolute", "--git-path", name], {
      folder,
    });
    if (exists(stdout.trim())) return `${what} is under way in ${folder}`;
  }
  return null;
}

/**
 * Repositories inside of a working tree that are to be committed: git keeps the number of a commit of theirs, and none of
 * their files. Submodules are none: what they hold lies with the repository around them.
 *
 * @param target What is there already.
 */
export async function nestedRepositories(
  folder: string,
  target: string,
): Promise<readonly string[]> {
  const { stdout } = await runGit(["diff", "--cached", "--raw", "-z", "--no-renames", target], {
    folder,
  });
  const parts = stdout.split("\0");
  const nested: string[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [, mode] = parts[i]!.split(" ");
    const git = joinPath(folder, `${parts[i + 1]}/.git`);
    if (mode === "160000" && isFolder(git)) nested.push(parts[i + 1]!);
  }
  return nested;
}
