/** The files that a pattern of the shell stands for. */
import { withStars } from "../guard/shell/wildcard.ts";
import { joinPath } from "../paths.ts";
import type { Search } from "../guard/types.ts";
import { exists } from "./exists.ts";
import type { Allowance } from "./files.ts";
import { entriesOf } from "./folder_entries.ts";

/** Files that one pattern is looked up as, at most. */
const MAX_MATCHES = 1_000;

/**
 * The paths that a pattern stands for now, and whether these are all.
 *
 * @param visits How many entries of folders more may be looked at.
 */
export function expandPattern(
  path: string,
  visits: Allowance,
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
        ? namesLike(folder, segment, visits)
        : [joinPath(folder, segment)].filter((one) => !isFound || exists(one))
    );
    isAll &&= found.length <= MAX_MATCHES && visits.left >= 0;
    paths = found.slice(0, MAX_MATCHES);
  }
  return { paths, isAll };
}

/**
 * What a pattern stands for as well where `**` means folders of any depth: where the search begins, and what it means. Only
 * the running shell knows whether it does; null for a pattern without.
 */
export function deepSearch(
  path: string,
  effect: string,
): { readonly from: string; readonly search: Search } | null {
  if (!/\/\*\*(?:\/|$)/.test(path)) return null;
  const from = path.slice(0, path.slice(0, path.search(/[*?[]/)).lastIndexOf("/")) || "/";
  const segments = path.slice(from === "/" ? 1 : from.length + 1).split("/")
    .filter((segment, i, all) => segment !== "**" || all[i + 1] !== "**");
  // Behind so many of them anything may stand.
  const at = segments.flatMap((segment, i) => segment === "**" ? [i] : [])[MAX_DEEP];
  const rest = at === undefined ? segments : segments.slice(0, at + 1);
  const pattern = rest.map((segment, i) => {
    const isLast = i === rest.length - 1;
    const folders = segment === "**" ? "(?:[^/.][^/]*/)*" : "";
    const name = (/^[*?[]/.test(segment) ? "(?!\\.)" : "") + sourceOf(segment, "[^/]", `${i}`);
    return isLast ? folders + name : folders || `${name}/`;
  });
  try {
    const regex = new RegExp(`^${pattern.join("")}$`, "s");
    return {
      from,
      search: {
        takesFolders: effect === "remove" ? "yes" : "no",
        judge: ({ path }) => ({
          isMeant: regex.test(path) ? "maybe" : "no",
          goesOn: !/(?:^|\/)\./.test(path),
        }),
      },
    };
  } catch {
    return null;
  }
}

/** Places of `**` in one pattern that are tried one by one. */
const MAX_DEEP = 3;

function sourceOf(segment: string, any: string, id = ""): string {
  const source = segment.replace(/[.+^${}()|\\]/g, "\\$&").replaceAll("?", any)
    .replaceAll("[!", "[^");
  return withStars(source.split("*"), any, id);
}

function namesLike(folder: string, segment: string, visits: Allowance): string[] {
  const found: string[] = [];
  if (visits.left < 0) return found;
  const entries = entriesOf(folder);
  if (entries === null) {
    visits.left = -1;
    return found;
  }
  try {
    const regex = new RegExp(`^${sourceOf(segment, ".")}$`, "s");
    for (const { name } of entries) {
      if (--visits.left < 0) break;
      const isMeant = regex.test(name) && (segment.startsWith(".") || !name.startsWith("."));
      if (isMeant) found.push(joinPath(folder, name));
    }
  } catch {
    // The segment is no valid pattern: the shell takes it as it is.
  }
  return found;
}
