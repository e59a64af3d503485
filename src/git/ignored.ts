/** Which files git ignores: git itself is asked, since what counts is spread over many files and rules. */
import type { Environment } from "../environment.ts";
import { runTool } from "../process/tool.ts";
import { byRepository } from "./by_repository.ts";

/** What makes git ignore a file. */
export interface IgnorePattern {
  readonly pattern: string;
  /** The file that it stands in, from the top of the working tree where it lies there, and the line: `.gitignore:3`. */
  readonly where: string;
}

/** What git says of some files. */
export interface IgnoreAnswer {
  /** By path; what is not ignored, or lies outside of every repository, is not there. */
  readonly ignored: ReadonlyMap<string, IgnorePattern>;
  /** Files about which git could not be asked: it is not there, refuses, or takes too long. */
  readonly unknown: readonly string[];
}

const GIT_MS = 3_000;

/** `.gitignore:3:*.log`, a tab, and the path; before the tab only colons where nothing matches. */
const LINE = /^(.+?:\d+):(.*)\t/;

/**
 * Asks git about files, once for each repository that they lie in. A file that git tracks is not ignored, whatever
 * matches it.
 *
 * @param paths Absolute, with all links followed; they need not exist.
 */
export async function askIgnored(
  paths: readonly string[],
  environment: Environment,
): Promise<IgnoreAnswer> {
  const ignored = new Map<string, IgnorePattern>();
  const unknown: string[] = [];
  for (const [root, asked] of byRepository(paths)) {
    if (root === undefined) continue;
    // To look for each path in the index takes seconds for thousands: only what a pattern means is looked for.
    const meant = await askGit(root, asked, { options: ["--no-index"], environment });
    const named = meant?.map(([path]) => path) ?? [];
    const said = named.length === 0
      ? meant
      : await askGit(root, named, { options: [], environment });
    if (said === null) unknown.push(...meant === null ? asked : named);
    for (const [path, pattern] of said ?? []) ignored.set(path, pattern);
  }
  return { ignored, unknown };
}

async function askGit(
  root: string,
  paths: readonly string[],
  { options, environment }: {
    readonly options: readonly string[];
    readonly environment: Environment;
  },
): Promise<readonly (readonly [string, IgnorePattern])[] | null> {
  // Without a match too: so there is a line for each path, in their order, and none has to be unquoted.
  const asking = ["git", "check-ignore", "--verbose", "--non-matching", ...options];
  const words = [...asking, "--", ...paths];
  const output = await runTool(words, { folder: root, timeoutMs: GIT_MS, environment });
  // 1: none of them is.
  if (output === null || output.code > 1) return null;
  const lines = output.stdout.split("\n");
  return paths.flatMap((path, i) => {
    const [, where, pattern] = LINE.exec(lines[i] ?? "") ?? [];
    // The last pattern that matches is named also where it takes the file back in.
    return where === undefined || pattern === undefined || pattern.startsWith("!")
      ? []
      : [[path, { pattern, where }] as const];
  });
}
