/** The files that a pattern of the shell stands for. */
import { joinPath } from "../paths.ts";
import { exists } from "./exists.ts";

/** Files that one pattern is looked up as, at most. */
const MAX_MATCHES = 1_000;

/** The paths that a pattern stands for now, and whether these are all. */
export function expandPattern(
  path: string,
): { readonly paths: readonly string[]; readonly isAll: boolean } {
  let paths = ["/"];
  let isAll = true;
  let isFound = false;
  for (const segment of path.split("/").filter((part) => part !== "")) {
    const isPattern = /[*?[]/.test(segment);
    isFound ||= isPattern;
    // Behind a pattern a name stands for what is there, no less than the pattern.
    const found = paths.flatMap((folder) =>
      isPattern
        ? namesLike(folder, segment)
        : [joinPath(folder, segment)].filter((one) => !isFound || exists(one))
    );
    isAll &&= found.length <= MAX_MATCHES;
    paths = found.slice(0, MAX_MATCHES);
  }
  return { paths, isAll };
}

function namesLike(folder: string, segment: string): string[] {
  const pattern = segment.replace(/[.+^${}()|\\]/g, "\\$&").replaceAll("*", ".*").replaceAll(
    "?",
    ".",
  );
  try {
    const regex = new RegExp(`^${pattern.replaceAll("[!", "[^")}$`, "s");
    return Array.from(Deno.readDirSync(folder), ({ name }) => name)
      .filter((name) => regex.test(name) && (segment.startsWith(".") || !name.startsWith(".")))
      .map((name) => joinPath(folder, name));
  } catch {
    return [];
  }
}
