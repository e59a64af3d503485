/** What git says of files: which it ignores, and which differ from what it would take them back to. */
import type { Environment } from "../environment.ts";
import { runTool } from "../process/tool.ts";
import { parentOf } from "../paths.ts";
import { findRepository, lookUpwards } from "./repository.ts";
import { RealPaths } from "../project/real_paths.ts";

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

/** Files by the top of the working tree in which they lie; `undefined` for those outside of every repository. */
export function byRepository(paths: readonly string[]): Map<string | undefined, string[]> {
  const roots = new Map<string, string | undefined>();
  for (const folder of new Set(paths.map(parentOf))) {
    roots.set(folder, findRepository(lookUpwards(folder))?.root);
  }
  return Map.groupBy(paths, (path) => roots.get(parentOf(path)));
}

const GIT = "git --literal-pathspecs --no-optional-locks -c core.fsmonitor=false".split(" ");

/** How files are taken back. */
export interface TakingBack {
  /** Files that git does not know go away as well, or those that it ignores, too. */
  readonly takes?: "untracked" | "ignored";
  /** A commit; null for the index. */
  readonly takenFrom: string | null;
  /** True: what changed anywhere in the repository is asked for. */
  readonly isEverywhere?: boolean;
}

/**
 * Asks git, once for each repository, which files differ in folders; what git ignores or does not know does not, unless it
 * is taken away as well.
 *
 * @param folders Absolute, or files.
 * @returns Absolute, with all links followed; null where git cannot be asked.
 */
export async function askChanged(
  how: TakingBack,
  folders: readonly string[],
  environment: Environment,
): Promise<readonly string[] | null> {
  const paths = new RealPaths();
  const changed: string[] = [];
  // A folder may be the top of its repository: what lies in it does not.
  for (const [root, asked] of byRepository(folders.map((path) => `${paths.real(path)}/.`))) {
    const told = root === undefined
      ? null
      : await differing(root, how, { paths: asked, environment });
    if (told === null) return null;
    changed.push(...told);
  }
  return changed;
}

async function differing(
  root: string,
  { takenFrom, takes, isEverywhere = false }: TakingBack,
  { paths, environment }: {
    readonly paths: readonly string[];
    readonly environment: Environment;
  },
): Promise<readonly string[] | null> {
  const commit = takenFrom === null ? [] : ["--end-of-options", takenFrom];
  const asked = takes === undefined
    ? [
      "diff",
      "--name-only",
      "-z",
      "--no-ext-diff",
      "--no-renames",
      "--ignore-submodules",
      ...commit,
    ]
    : [
      ...["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"],
      ...(takes === "ignored" ? ["--ignored"] : []),
    ];
  const output = await runTool(
    [...GIT, ...asked, "--", ...isEverywhere ? [] : paths],
    { folder: root, timeoutMs: GIT_MS, environment },
  );
  if (output?.code !== 0) return null;
  // Before each name, what its state is.
  const skipped = takes === undefined ? 0 : 3;
  return output.stdout.split("\0").filter((line) => line !== "")
    .map((line) => `${root}/${line.slice(skipped)}`);
}
