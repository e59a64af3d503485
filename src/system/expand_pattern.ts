/** Finds the files to which a shell expands a pattern. */
import { joinPath } from "../base/paths.ts";
import { readWildcard } from "../base/wildcard.ts";
import { entriesOf, exists } from "./on_disk.ts";

/** How many entries of folders may still be visited; below 0 once there were more. */
interface Visits {
  left: number;
}

const MAX_MATCHES = 1_000;

/** Returns the paths that match a pattern now, and whether these are all. */
export function expandPattern(
  path: string,
  visits: Visits,
): { readonly paths: readonly string[]; readonly isAll: boolean } {
  let paths = ["/"];
  let isAll = true;
  let sawPattern = false;
  for (const segment of path.split("/").filter((part) => part !== "")) {
    const isPattern = /[*?[]/.test(segment);
    sawPattern ||= isPattern;
    // After the first pattern, only existing names count.
    const found = paths.flatMap((folder) =>
      isPattern
        ? namesLike(folder, segment, visits)
        : [joinPath(folder, segment)].filter((one) => !sawPattern || exists(one))
    );
    isAll &&= found.length <= MAX_MATCHES && visits.left >= 0;
    paths = found.slice(0, MAX_MATCHES);
  }
  return { paths, isAll };
}

function namesLike(folder: string, segment: string, visits: Visits): string[] {
  const found: string[] = [];
  if (visits.left < 0) return found;
  const entries = entriesOf(folder);
  if (entries === null) {
    visits.left = -1;
    return found;
  }
  const matches = readWildcard(segment);
  for (const { name } of entries) {
    if (--visits.left < 0) break;
    const isMatch = matches?.(name) && (segment.startsWith(".") || !name.startsWith("."));
    if (isMatch) found.push(joinPath(folder, name));
  }
  return found;
}
