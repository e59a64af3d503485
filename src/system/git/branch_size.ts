/** Measures how much a branch has changed: lines added and removed since it left its base. */
import type { Environment } from "../environment.ts";
import { joinPath } from "../../base/paths.ts";
import { runTool } from "../process/run_program.ts";
import { hasJustBegun } from "./reflogs.ts";
import type { Repository } from "./repository.ts";

type MeasuredLines = number | null | "unknown" | "no base";

/** The time for all calls of git together, in milliseconds; a hook has ten seconds. */
const MAX_GIT_MS = 4_000;
const DEFAULT_BRANCH = "refs/remotes/origin/HEAD";
/** The usual bases, the preferred one first. */
const BASES = [
  DEFAULT_BRANCH,
  "refs/remotes/origin/main",
  "refs/remotes/origin/master",
  "refs/heads/main",
  "refs/heads/master",
];
/** Branches that are a base themselves, besides the default branch. */
const TRUNKS: ReadonlySet<string> = new Set(["main", "master"]);
/** How many branches at most are compared as a possible base. */
const MAX_NEAR = 20;
/** Limits for untracked files: a larger file does not count, nor do files beyond this number. */
const MAX_FILE_BYTES = 4_194_304;
const MAX_FILES = 1_000;
/** A file with a NUL in its first bytes counts as binary. */
const BINARY_LOOK_BYTES = 8_000;

/**
 * Counts the lines that were added and removed since the branch left its base, with uncommitted and untracked files.
 * Ignored and binary files do not count.
 *
 * The base is the nearest branch `feature/…` or `fix/…` that the branch contains, else the first that exists of: the
 * default branch of `origin`, `origin/main`, `origin/master`, `main`, `master`. Where two branches stand at the same
 * commit, a branch that was just made has the other one as its base.
 * @returns Null on `main`, `master` and the default branch; `"no base"` where there is nothing to compare with;
 * `"unknown"` when git fails.
 */
export async function measureBranch(
  { root, commonDir }: Pick<Repository, "root" | "commonDir">,
  branch: string,
  environment: Environment,
): Promise<MeasuredLines> {
  if (TRUNKS.has(branch)) return null;
  try {
    return await countChanges(gitWithin(root, environment), { root, commonDir }, branch);
  } catch (thrown) {
    if (thrown instanceof GitFault) return "unknown";
    throw thrown;
  }
}

async function countChanges(
  git: Git,
  { root, commonDir }: Pick<Repository, "root" | "commonDir">,
  branch: string,
): Promise<MeasuredLines> {
  // Without a commit the branch has not begun.
  if (await git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}") === null) return 0;
  const [usual] = await basesThere(git);
  if (usual?.target === `refs/remotes/origin/${branch}`) return null;
  const base = await nearestBranch(git, { commonDir }, branch) ?? usual?.ref;
  if (base === undefined) return "no base";
  const start = await git.ask("merge-base", base, "HEAD");
  // Two branches without a common commit cannot be compared.
  if (start === null) return "no base";
  const changed = await git.tell("diff", "--numstat", "--no-renames", start.trim(), "--");
  const untracked = await git.tell("ls-files", "--others", "--exclude-standard", "-z");
  return countNumstat(changed) +
    countFiles(root, untracked.split("\0").filter((name) => name !== ""));
}

/** Thrown when git did not start, did not end in time, or failed. */
class GitFault extends Error {}

/** The exit status with which git answers no. */
const NO = 1;

/** Asks git: `ask()` returns null when git answers no, and `tell()` throws. @throws {GitFault} */
type Git = ReturnType<typeof gitWithin>;

function gitWithin(folder: string, environment: Environment) {
  const untilMs = performance.now() + MAX_GIT_MS;
  const ask = async (...args: string[]) => {
    const timeoutMs = Math.ceil(untilMs - performance.now());
    if (timeoutMs <= 0) throw new GitFault();
    const done = await runTool(["git", "--no-pager", ...args], { folder, timeoutMs, environment });
    if (done === null || done.code > NO) throw new GitFault();
    return done.code === NO ? null : done.stdout;
  };
  return {
    ask,
    async tell(...args: string[]) {
      const output = await ask(...args);
      if (output === null) throw new GitFault();
      return output;
    },
  };
}

/** Returns the nearest branch that this one contains. Of two branches at the same commit, either may be the base. */
async function nearestBranch(
  git: Git,
  repository: Pick<Repository, "commonDir">,
  branch: string,
): Promise<string | null> {
  const listed = await git.tell(
    "for-each-ref",
    "--merged=HEAD",
    "--format=%(refname)",
    "refs/heads/feature",
    "refs/heads/fix",
  );
  const refs = listed.split("\n")
    .filter((ref) => ref !== "" && ref !== `refs/heads/${branch}`).slice(0, MAX_NEAR);
  const isNew = hasJustBegun(repository, branch) === true;
  const isBuiltUpon = (other: string) => isNew && hasJustBegun(repository, other) === false;
  let nearest: { readonly ref: string; readonly commits: number } | null = null;
  for (const ref of refs) {
    const commits = Number(await git.tell("rev-list", "--count", `${ref}..HEAD`));
    if (commits === 0 && isBuiltUpon(ref.slice("refs/heads/".length))) return ref;
    if (commits > 0 && (nearest === null || commits < nearest.commits)) nearest = { ref, commits };
  }
  return nearest?.ref ?? null;
}

/** Returns the usual bases that exist; `target` is what a symbolic reference points to, else empty. */
async function basesThere(git: Git): Promise<{ readonly ref: string; readonly target: string }[]> {
  const listed = await git.tell("for-each-ref", "--format=%(refname) %(symref)", ...BASES);
  const targets = new Map(listed.split("\n").map((line) => line.split(" ") as [string, string]));
  return BASES.flatMap((ref) => {
    const target = targets.get(ref);
    return target === undefined ? [] : [{ ref, target }];
  });
}

/** Sums up lines such as `12<tab>3<tab>name`; a binary file has `-` instead of numbers. */
function countNumstat(text: string): number {
  return text.split("\n").reduce((sum, line) => {
    const [added = "", removed = ""] = line.split("\t");
    return sum + (Number.parseInt(added) || 0) + (Number.parseInt(removed) || 0);
  }, 0);
}

function countFiles(root: string, names: readonly string[]): number {
  return names.slice(0, MAX_FILES)
    .reduce((sum, name) => sum + countLines(joinPath(root, name)), 0);
}

function countLines(path: string): number {
  try {
    const { isFile, size } = Deno.lstatSync(path);
    if (!isFile || size === 0 || size > MAX_FILE_BYTES) return 0;
    const bytes = Deno.readFileSync(path);
    if (bytes.subarray(0, BINARY_LOOK_BYTES).includes(0)) return 0;
    const breaks = bytes.reduce((count, byte) => byte === 10 ? count + 1 : count, 0);
    return bytes.at(-1) === 10 ? breaks : breaks + 1;
  } catch {
    return 0;
  }
}
