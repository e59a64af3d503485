import { join } from "node:path";

/** The paths of all files below a folder, by name. */
export function walk(folder: string): string[] {
  return [...Deno.readDirSync(folder)]
    .sort((one, other) => one.name < other.name ? -1 : 1)
    .flatMap(({ name, isDirectory }) => {
      const path = join(folder, name);
      return isDirectory ? walk(path) : [path];
    });
}
