/** Records where the branches and working trees of a repository stand, so that a later look finds what has moved. */
import { joinPath } from "../../base/paths.ts";
import { fileSize, readText } from "../on_disk.ts";
import { askGit, type GitContext } from "./run_git.ts";
import { refsDates } from "./branches.ts";
import { branchIn, readRef, type Repository, worktreeDirs } from "./repository.ts";

export interface Heads {
  /** A text that changes when a branch moves; empty when git did not tell. */
  readonly stamp: string;
  /** The commits of the branches, by name. */
  readonly tips: Readonly<Record<string, string>>;
  /** The heads of the working trees, by git directory. */
  readonly trees: Readonly<Record<string, TreeHead>>;
}

export interface TreeHead {
  /** Null where `HEAD` is detached. */
  readonly branch: string | null;
  /** The id of the commit; empty before the first one. */
  readonly commit: string;
  /** The length of the reflog of `HEAD`. */
  readonly logBytes: number;
}

/** Reads where all branches and working trees stand. It starts git only when a branch has moved since `before`. */
export async function readHeads(
  repository: Pick<Repository, "commonDir">,
  before: Heads | null,
  context: GitContext,
): Promise<Heads> {
  const { commonDir } = repository;
  const gitDirs = [commonDir, ...worktreeDirs(repository)];
  const trees = Object.fromEntries(gitDirs.map((gitDir) => [gitDir, treeHead(gitDir, repository)]));
  const stamp = stampOf(commonDir, trees);
  if (stamp !== "" && before?.stamp === stamp) return { ...before, trees };
  const format = "--format=%(objectname) %(refname:lstrip=2)";
  const refs = await askGit(commonDir, ["for-each-ref", format, "refs/heads"], context);
  // Where git does not answer, the next look asks again.
  if (refs === null) return { stamp: "", tips: before?.tips ?? {}, trees };
  const tips = refs.split("\n").filter((line) => line !== "").map((line) => {
    const at = line.indexOf(" ");
    return [line.slice(at + 1), line.slice(0, at)] as const;
  });
  return { stamp, tips: Object.fromEntries(tips), trees };
}

function treeHead(gitDir: string, repository: Pick<Repository, "commonDir">): TreeHead {
  const branch = branchIn(gitDir);
  const commit = branch === null
    ? /^[\da-f]{40,64}$/.exec(readText(joinPath(gitDir, "HEAD"))?.trim() ?? "")?.[0]
    : readRef(repository, `heads/${branch}`);
  return { branch, commit: commit ?? "", logBytes: fileSize(joinPath(gitDir, "logs/HEAD")) };
}

/** Returns a text that changes when a branch moves; empty when too many folders hold branches. */
function stampOf(commonDir: string, trees: Heads["trees"]): string {
  const dates = refsDates(commonDir, ["refs/heads"]);
  const heads = Object.values(trees).map(({ branch, commit }) => [branch, commit]);
  return dates === null ? "" : JSON.stringify([dates, heads]);
}
