/** What a file was called before it was moved. */
import { joinPath } from "../paths.ts";
import { exists } from "../project/exists.ts";
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
  const staged = await renames(["diff", "--cached", ...RENAMES], root);
  const before = staged.find(({ to }) => to === file)?.from ?? file;
  const log = ["log", "--follow", "--format=", ...RENAMES, "--", before];
  const committed = await renames(log, root);
  const names = [...staged.filter(({ to }) => to === file), ...committed].map(({ from }) => from);
  return [...new Set(names)].filter((name) => name !== file && !exists(joinPath(root, name)));
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
