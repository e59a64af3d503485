import type { Argument } from "./word.ts";

/** Options of git itself, before its verb, that take the next word as their value. */
const VALUED: ReadonlySet<string> = new Set([
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--exec-path",
  "--super-prefix",
  "--config-env",
]);

/** git's arguments from the verb on, and the folder that `-C` names. */
export function withoutGitOptions(
  rest: readonly Argument[],
): { readonly words: readonly Argument[]; readonly folder: Argument | null } {
  let at = 0;
  let folder: Argument | null = null;
  while (rest[at]?.text.startsWith("-")) {
    if (rest[at]!.text === "-C") folder = rest[at + 1] ?? null;
    at += VALUED.has(rest[at]!.text) ? 2 : 1;
  }
  return { words: rest.slice(at), folder };
}
