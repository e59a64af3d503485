/** What a file was called before it was moved. */
import { joinPath } from "../paths.ts";
import { exists } from "../project/on_disk.ts";
import { runGit } from "./run_git.ts";

/** The whole history of a large repository takes longer than anybody wants to wait, in milliseconds. */
const TIMEOUT_MS = 2_000;
/** A file may be called like a pattern, and a repository must not have commands of its own run. */
const PLAINLY = [
  "--literal-pathspecs",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "log.showSignature=false",
];
const RENAMES = ["--find-renames", "--diff-filter=R", "--name-status", "-z"];

/**
 * The names that a file had, the last one first: those that git finds in its commits, and in what is staged. A name that
 * another file has now is none of it.
 *
 * @param file From the working tree's top folder. @param root That folder. @returns None where git cannot tell.
 */
export async function formerNames(file: string, root: string): Promise<readonly string[]> {
  const staged = namesBefore(file, await renames(["diff", "--cached", ...RENAMES], root));
  const last = staged.at(-1) ?? file;
  const log = ["log", "--follow", "--format=", ...RENAMES, "--", last];
  const names = [...staged, ...namesBefore(last, await renames(log, root))];
  return [...new Set(names)].filter((name) => name !== file && !exists(joinPath(root, name)));
}

/** Follows one file back through renames, the newest first; git tells those of a whole folder, too. */
function namesBefore(file: string, renames: readonly Rename[]): string[] {
  const names: string[] = [];
  for (const { from, to } of renames) if (to === (names.at(-1) ?? file)) names.push(from);
  return names;
}

interface Rename {
  readonly from: string;
  readonly to: string;
}

/** `R100 NUL old NUL new NUL`, as often as there are renames. */
async function renames(args: readonly string[], folder: string): Promise<Rename[]> {
  const { stdout } = await runGit([...PLAINLY, ...args], { folder, timeoutMs: TIMEOUT_MS });
  return [...stdout.matchAll(/R\d{1,3}\0([^\0]+)\0([^\0]+)\0/g)]
    .map(([, from, to]) => ({ from: from!, to: to! }));
}
