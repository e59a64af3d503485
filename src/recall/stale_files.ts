/** Which facts speak of files that are not as they were. */
import type { DatabaseSync } from "node:sqlite";
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
 * Facts one of whose files is not as it was: its content is another one, or it is gone.
 *
 * @param here `root`: the folder that paths are told from; null where nobody can look.
 */
export function staleAmong(
  db: DatabaseSync,
  facts: readonly FactOfFiles[],
  here: { readonly root: string | null; readonly branch: string | null },
): ReadonlyMap<number, Stale> {
  const stale = new Map<number, Stale>();
  const { root } = here;
  if (root === null) return stale;
  const withFiles = facts.filter(({ kind, branch, files }) =>
    files.length > 0 && (OF_FILES.has(kind) || OF_BRANCH_FILES.has(kind) && branch === here.branch)
  );
  if (withFiles.length === 0) return stale;
  const digests = digestsOf(db, withFiles.map(({ id }) => id));
  for (const { id, updatedAtMs } of withFiles) {
    for (const [path, digest] of digests.get(id) ?? []) {
      // What lies elsewhere is told whole.
      const file = isAbsolutePath(path) ? path : joinPath(root, path);
      const state = fileSince(file, digest, updatedAtMs);
      // That it is not there any more says the most.
      if (state !== null && stale.get(id) !== "gone") stale.set(id, state);
    }
  }
  return stale;
}
