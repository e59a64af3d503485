/** Lists the branches of a repository from git's files, without starting git. */
import { joinPath } from "../paths.ts";
import type { Repository } from "./repository.ts";

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
