/** Asks git about files: which are ignored, which would change by a checkout or clean, and their former names. */
import type { Environment } from "../environment.ts";
import { joinPath, parentOf } from "../../base/paths.ts";
import { runTool } from "../process/run_program.ts";
import { RealPaths } from "../real_paths.ts";
import { findRepository, lookUpwards } from "./repository.ts";
import { exists } from "../on_disk.ts";
import { askGit, runGit } from "./run_git.ts";

export interface IgnorePattern {
  readonly pattern: string;
  /** The file that holds the pattern, relative to the working tree when inside of it, and the line: `.gitignore:3`. */
  readonly where: string;
}

export interface IgnoreAnswer {
  /** By path; only ignored files are in it. */
  readonly ignored: ReadonlyMap<string, IgnorePattern>;
  /** Files for which git gave no answer: git is missing, refuses, or takes too long. */
  readonly unknown: readonly string[];
}

const GIT_MS = 3_000;

/** `.gitignore:3:*.log`, a tab, and the path; only colons before the tab where nothing matches. */
const LINE = /^(.+?:\d+):(.*)\t/;

/** Asks git, once for each repository, which files are ignored. @param paths Absolute, with all links followed. */
export async function askIgnored(
  paths: readonly string[],
  environment: Environment,
): Promise<IgnoreAnswer> {
  const ignored = new Map<string, IgnorePattern>();
  const unknown: string[] = [];
  for (const [root, files] of byRepository(paths)) {
    if (root === undefined) continue;
    // Git needs seconds to look up thousands of paths in the index, so it looks up only those that match a pattern.
    const matching = await checkIgnored(root, files, { options: ["--no-index"], environment });
    const candidates = matching?.map(([path]) => path) ?? [];
    const confirmed = candidates.length === 0
      ? matching
      : await checkIgnored(root, candidates, { options: [], environment });
    if (confirmed === null) unknown.push(...matching === null ? files : candidates);
    for (const [path, pattern] of confirmed ?? []) ignored.set(path, pattern);
  }
  return { ignored, unknown };
}

async function checkIgnored(
  root: string,
  paths: readonly string[],
  { options, environment }: Readonly<{ options: readonly string[]; environment: Environment }>,
): Promise<readonly (readonly [string, IgnorePattern])[] | null> {
  // Git prints a line for each path in the same order, so no path has to be unquoted.
  const command = ["git", "check-ignore", "--verbose", "--non-matching", ...options];
  const words = [...command, "--", ...paths];
  const output = await runTool(words, { folder: root, timeoutMs: GIT_MS, environment });
  // 1 means that none is ignored.
  if (output === null || output.code > 1) return null;
  const lines = output.stdout.split("\n");
  return paths.flatMap((path, i) => {
    const [, where, pattern] = LINE.exec(lines[i] ?? "") ?? [];
    // Git also names a pattern that un-ignores the file (`!`).
    return where === undefined || pattern === undefined || pattern.startsWith("!")
      ? []
      : [[path, { pattern, where }] as const];
  });
}

/** Groups files by the top of their working tree; `undefined` outside of every repository. */
export function byRepository(paths: readonly string[]): Map<string | undefined, string[]> {
  const roots = new Map<string, string | undefined>();
  for (const folder of new Set(paths.map(parentOf))) {
    roots.set(folder, findRepository(lookUpwards(folder))?.root);
  }
  return Map.groupBy(paths, (path) => roots.get(parentOf(path)));
}

interface Restoring {
  /** What the command also removes: untracked files, or untracked and ignored ones. */
  readonly alsoRemoves?: "untracked" | "ignored";
  /** The commit from which files are restored; null for the index. */
  readonly restoredFrom: string | null;
  /** Whether changes anywhere in the repository count, not only those in the given folders. */
  readonly isEverywhere?: boolean;
}

/**
 * Asks git, once for each repository, which files of some folders a command would take back; null when git fails.
 * Untracked and ignored files count only when the command removes them.
 */
export async function askChanged(
  how: Restoring,
  folders: readonly string[],
  environment: Environment,
): Promise<readonly string[] | null> {
  const paths = new RealPaths();
  const changed: string[] = [];
  // The dot keeps the path inside of a folder that is the top of a repository.
  for (const [root, places] of byRepository(folders.map((path) => `${paths.real(path)}/.`))) {
    const found = root === undefined
      ? null
      : await differing(root, how, { paths: places, environment });
    if (found === null) return null;
    changed.push(...found);
  }
  return changed;
}

async function differing(
  root: string,
  { restoredFrom, alsoRemoves, isEverywhere = false }: Restoring,
  { paths, environment }: { readonly paths: readonly string[]; readonly environment: Environment },
): Promise<readonly string[] | null> {
  const commit = restoredFrom === null ? [] : ["--end-of-options", restoredFrom];
  const args = alsoRemoves === undefined
    ? [
      ...["diff", "--name-only", "-z", "--no-ext-diff", "--no-renames", "--ignore-submodules"],
      ...commit,
    ]
    : [
      ...["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"],
      ...(alsoRemoves === "ignored" ? ["--ignored"] : []),
    ];
  const output = await askGit(root, [...args, "--", ...isEverywhere ? [] : paths], { environment });
  if (output === null) return null;
  // `git status` prints the state before the name.
  const skipped = alsoRemoves === undefined ? 0 : 3;
  return output.split("\0").filter((line) => line !== "")
    .map((line) => `${root}/${line.slice(skipped)}`);
}

/** Time for reading the history of a large repository, in milliseconds. */
const TIMEOUT_MS = 2_000;
/** File names are taken literally, and the repository's configuration starts no commands. */
const PLAINLY = "--literal-pathspecs -c core.fsmonitor=false -c log.showSignature=false".split(" ");
const RENAMES = ["--find-renames", "--diff-filter=R", "--name-status", "-z"];

/** Returns the former names of a file, the last one first, from git's commits and the index. */
export async function formerNames(file: string, root: string): Promise<readonly string[]> {
  const staged = namesBefore(file, await renames(["diff", "--cached", ...RENAMES], root));
  const last = staged.at(-1) ?? file;
  const log = ["log", "--follow", "--format=", ...RENAMES, "--", last];
  const names = [...staged, ...namesBefore(last, await renames(log, root))];
  return [...new Set(names)].filter((name) => name !== file && !exists(joinPath(root, name)));
}

/** Follows one file back through renames, the newest first. Git also lists renames of other files. */
function namesBefore(file: string, renames: readonly Rename[]): string[] {
  const names: string[] = [];
  for (const { from, to } of renames) if (to === (names.at(-1) ?? file)) names.push(from);
  return names;
}

type Rename = Readonly<{ from: string; to: string }>;

/** Reads the renames that git prints, each as `R100 NUL old NUL new NUL`. */
async function renames(args: readonly string[], folder: string): Promise<Rename[]> {
  const { stdout } = await runGit([...PLAINLY, ...args], { folder, timeoutMs: TIMEOUT_MS });
  return [...stdout.matchAll(/R\d{1,3}\0([^\0]+)\0([^\0]+)\0/g)]
    .map(([, from, to]) => ({ from: from!, to: to! }));
}
