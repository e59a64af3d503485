/** The files that lie directly in a project's folder. */
import type { Environment } from "../environment.ts";
import { runTool } from "../process/tool.ts";

/** More names are not kept: a folder with so many is nobody's project. */
const MAX_NAMES = 5000;
const GIT_TIMEOUT_MS = 3000;

/**
 * The names of the files (and links) in a folder; not its folders, and no name with a leading dot.
 *
 * @returns Sorted; null when the folder cannot be read, or holds too many.
 */
export function filesInRoot(root: string): string[] | null {
  const names: string[] = [];
  try {
    for (const { name, isDirectory } of Deno.readDirSync(root)) {
      if (isDirectory || name.startsWith(".")) continue;
      if (names.push(name) > MAX_NAMES) return null;
    }
  } catch {
    return null;
  }
  return names.sort();
}

/**
 * Those of the names that git has not committed on what is checked out; all of them where there is no repository, or no
 * git.
 */
export async function notCommitted(
  root: string,
  names: readonly string[],
  environment: Environment,
): Promise<string[]> {
  const words = ["git", "--literal-pathspecs", "ls-tree", "--name-only", "-z", "HEAD", "--"];
  const asked = await runTool([...words, ...names], {
    folder: root,
    timeoutMs: GIT_TIMEOUT_MS,
    environment,
  });
  const committed = new Set(asked?.code === 0 ? asked.stdout.split("\0") : []);
  return names.filter((name) => !committed.has(name));
}

/** Those of the names that git does not ignore; all of them where there is no repository, or no git. */
export async function notIgnored(
  root: string,
  names: readonly string[],
  environment: Environment,
): Promise<string[]> {
  const words = ["git", "-c", "core.quotePath=false", "check-ignore", "--", ...names];
  const asked = await runTool(words, { folder: root, timeoutMs: GIT_TIMEOUT_MS, environment });
  const ignored = new Set(asked?.code === 0 ? asked.stdout.split("\n") : []);
  return names.filter((name) => !ignored.has(name));
}
