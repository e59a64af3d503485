/** Which branches are gone: merged and deleted, or given up. */
import { branchNames } from "./branches.ts";

/**
 * Tells of a branch of a repository whether it is gone. Git's files are looked at with the first question; where they do
 * not tell, none is.
 *
 * @param branch What is checked out: it is there, also before its first commit.
 */
export function goneBranches(
  { commonDir, branch }: { readonly commonDir: string; readonly branch: string | null },
): (other: string | null) => boolean {
  let names: ReadonlySet<string> | null | undefined;
  return (other) => {
    if (other === null || other === branch) return false;
    if (names === undefined) names = branchNames({ commonDir });
    return names !== null && !names.has(other);
  };
}
