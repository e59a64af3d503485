/** Which facts speak of files that are not as they were. */
import type { DatabaseSync } from "node:sqlite";
import { goneBranches } from "../git/gone_branches.ts";
import type { ObservationKind } from "../memory/observation.ts";
import type { Stale } from "../memory/stale.ts";
import { isAbsolutePath, joinPath } from "../paths.ts";
import { digestsOf } from "../store/memory_context.ts";
import { fileSince } from "./file_state.ts";

/** Kinds that say how a file is, and those that say so of its branch alone. */
const OF_FILES: ReadonlySet<ObservationKind> = new Set(["note", "fix", "edit"]);
const OF_BRANCH_FILES: ReadonlySet<ObservationKind> = new Set(["failure", "test"]);

/** A fact as far as it matters to its files. */
interface FactOfFiles {
  readonly id: number;
  readonly kind: ObservationKind;
  readonly branch: string | null;
  readonly files: readonly string[];
  /** When it was observed last, epoch milliseconds; an earlier moment only takes a longer look. */
  readonly updatedAtMs: number;
}

/**
 * Facts one of whose files is not as it was: its content is another one, or it is gone. What another branch has, and this
 * one never had, is not gone as long as that branch is there.
 *
 * @param here `root`: the folder that paths are told from; null where nobody can look. `project`: its common git directory.
 */
export function staleAmong(
  db: DatabaseSync,
  facts: readonly FactOfFiles[],
  here: {
    readonly root: string | null;
    readonly branch: string | null;
    readonly project: string;
  },
): ReadonlyMap<number, Stale> {
  const stale = new Map<number, Stale>();
  const { root } = here;
  if (root === null) return stale;
  const withFiles = facts.filter(({ kind, branch, files }) =>
    files.length > 0 && (OF_FILES.has(kind) || OF_BRANCH_FILES.has(kind) && branch === here.branch)
  );
  if (withFiles.length === 0) return stale;
  const isGone = goneBranches({ commonDir: here.project, branch: here.branch });
  const isElsewhere = (branch: string | null) =>
    branch !== null && branch !== here.branch && !isGone(branch);
  const digests = digestsOf(db, withFiles.map(({ id }) => id));
  for (const { id, branch, updatedAtMs } of withFiles) {
    for (const [path, digest] of digests.get(id) ?? []) {
      // What lies elsewhere is told whole.
      const file = isAbsolutePath(path) ? path : joinPath(root, path);
      const state = fileSince(file, digest, updatedAtMs);
      if (state === "gone" && !isAbsolutePath(path) && isElsewhere(branch)) continue;
      // That it is not there any more says the most.
      if (state !== null && stale.get(id) !== "gone") stale.set(id, state);
    }
  }
  return stale;
}
