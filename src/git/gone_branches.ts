/** Which branches are gone: merged and deleted, or given up. */
import { joinPath } from "../paths.ts";
import type { Repository } from "./repository.ts";

/**
 * Tells of a branch of a repository whether it is gone. Git's files are looked at with the first question; where they do
 * not tell, none is.
 *
 * @param branch What is checked out: it is there, also before its first commit.
 */
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

const MAX_FOLDERS = 200;

/**
 * The names of all branches. It lists folders and asks for nothing that may be missing: an error costs more than all of
 * this.
 *
 * @returns Null where they cannot be told: kept in another way, unreadable, too many, or none.
 */
export function branchNames({ commonDir }: Pick<Repository, "commonDir">): Set<string> | null {
  try {
    const files = Array.from(Deno.readDirSync(commonDir), ({ name }) => name);
    if (files.includes("reftable") || !files.includes("refs")) return null;
    const names = new Set<string>();
    const folders = [""];
    for (const folder of folders) {
      if (folders.length > MAX_FOLDERS) return null;
      for (const { name, isDirectory } of Deno.readDirSync(`${commonDir}/refs/heads/${folder}`)) {
        if (isDirectory) folders.push(`${folder}${name}/`);
        else names.add(folder + name);
      }
    }
    if (files.includes("packed-refs")) {
      const packed = Deno.readTextFileSync(joinPath(commonDir, "packed-refs"));
      for (const [, name] of packed.matchAll(/ refs\/heads\/(\S+)$/gm)) names.add(name!);
    }
    return names.size === 0 ? null : names;
  } catch {
    return null;
  }
}
