/** The files that a pattern of the shell stands for. */
import { joinPath } from "../paths.ts";
import type { Search } from "../guard/decide.ts";
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
  const rest = path.slice(from === "/" ? 1 : from.length + 1).split("/");
  const pattern = rest.map((segment, i) => {
    const isLast = i === rest.length - 1;
    const folders = segment === "**" ? "(?:[^/.][^/]*/)*" : "";
    const name = (/^[*?[]/.test(segment) ? "(?!\\.)" : "") + sourceOf(segment, "[^/]");
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

function sourceOf(segment: string, any: string): string {
  return segment.replace(/[.+^${}()|\\]/g, "\\$&").replaceAll("*", `${any}*`)
    .replaceAll("?", any).replaceAll("[!", "[^");
}

function namesLike(folder: string, segment: string): string[] {
  try {
    const regex = new RegExp(`^${sourceOf(segment, ".")}$`, "s");
    return Array.from(Deno.readDirSync(folder), ({ name }) => name)
      .filter((name) => regex.test(name) && (segment.startsWith(".") || !name.startsWith(".")))
      .map((name) => joinPath(folder, name));
  } catch {
    return [];
  }
}
