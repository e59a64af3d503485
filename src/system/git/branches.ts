/** Reads from git's own files which branches a repository has, and asks git for the commits outside of `HEAD`. */
import { joinPath } from "../../base/paths.ts";
import { listFolder, namesIn, readText } from "../on_disk.ts";
import { changedAtMs, gitFolders, type Repository } from "./repository.ts";
import { askGit, type GitContext } from "./run_git.ts";

/** A repository with more folders of branches than this is not read. */
const MAX_FOLDERS = 500;
const MAX_COMMITS = 2_000;

/** Returns a function that tells whether a branch no longer exists; false when git's files cannot be read. */
export function goneBranches(
  { commonDir, branch }: { readonly commonDir: string; readonly branch: string | null },
): (other: string | null) => boolean {
  let names: ReadonlySet<string> | null | undefined;
  return (other) => {
    if (other === null || other === branch) return false;
    if (names === undefined) names = branchNames({ commonDir });
    return names !== null && !names.has(other);
  };
}

/** Returns the names of all branches; null when the files do not name them (reftables, too many folders, no branch). */
export function branchNames({ commonDir }: Pick<Repository, "commonDir">): Set<string> | null {
  const files = namesIn(commonDir) ?? [];
  if (files.includes("reftable") || !files.includes("refs")) return null;
  const refs = refsBelow(joinPath(commonDir, "refs/heads"));
  const packed = files.includes("packed-refs") ? readText(joinPath(commonDir, "packed-refs")) : "";
  if (refs === null || packed === null) return null;
  const names = new Set(refs.files);
  for (const [, name] of packed.matchAll(/ refs\/heads\/(\S+)$/gm)) names.add(name!);
  return names.size === 0 ? null : names;
}

/** Returns the folders and files below a folder of references, as relative paths; null for too many folders. */
function refsBelow(
  top: string,
): { readonly folders: readonly string[]; readonly files: readonly string[] } | null {
  const folders = [""];
  const files: string[] = [];
  for (const folder of folders) {
    if (folders.length > MAX_FOLDERS) return null;
    for (const { name, isDirectory } of listFolder(joinPath(top, folder)) ?? []) {
      if (isDirectory) folders.push(`${folder}${name}/`);
      else files.push(folder + name);
    }
  }
  return { folders, files };
}

/** Returns the commits that some branch has and `HEAD` has not; null where git did not answer within `timeoutMs`. */
export async function commitsElsewhere(
  root: string,
  context: GitContext,
): Promise<readonly string[] | null> {
  const where = ["--branches", "--remotes", "--not", "HEAD"];
  const commits = await askGit(root, ["rev-list", `--max-count=${MAX_COMMITS}`, ...where], context);
  return commits?.split("\n").filter((line) => line !== "") ?? null;
}

/** Returns a text that changes whenever `HEAD` or a branch moves; null where git's files do not tell. */
export function refsState(
  { root, commonDir }: Pick<Repository, "root" | "commonDir">,
): string | null {
  const head = readText(joinPath(gitFolders({ root, commonDir }).at(-1)!, "HEAD"));
  const dates = refsDates(commonDir, ["refs/heads", "refs/remotes"]);
  return head === null || dates === null ? null : [head.trim(), ...dates].join(" ");
}

/**
 * Returns when the references below some folders last changed, in epoch milliseconds; null for too many folders. Git
 * renames a new file into the place of the old one, which changes the date of the folder.
 */
export function refsDates(commonDir: string, tops: readonly string[]): number[] | null {
  const places = ["packed-refs", "reftable/tables.list"];
  for (const top of tops) {
    const refs = refsBelow(joinPath(commonDir, top));
    if (refs === null) return null;
    places.push(...refs.folders.map((folder) => `${top}/${folder}`));
  }
  return places.map((place) => changedAtMs(joinPath(commonDir, place)) ?? 0);
}
