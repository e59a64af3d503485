/** Tells which observations name files that have changed since, and which changes were put back. */
import type { DatabaseSync } from "node:sqlite";
import { goneBranches } from "../../system/git/branches.ts";
import type { ObservationKind } from "../observe/observation.ts";
import type { Stale } from "./context_text.ts";
import { isAbsolutePath, joinPath } from "../../base/paths.ts";
import { contentBefore, digestsOf } from "./memory_context_table.ts";
import { digestOf } from "../../base/fnv.ts";
import { readText } from "../../system/on_disk.ts";
import { isNotFound, readTextFileSync, statSync } from "../../system/files.ts";

/** Kinds whose files are compared on every branch, and kinds whose files are compared only on their own branch. */
const OF_FILES: ReadonlySet<ObservationKind> = new Set(["note", "fix", "edit"]);
const OF_BRANCH_FILES: ReadonlySet<ObservationKind> = new Set(["failure", "test"]);

interface FactOfFiles {
  readonly id: number;
  readonly kind: ObservationKind;
  readonly branch: string | null;
  readonly files: readonly string[];
  /** When the observation was last seen, in epoch milliseconds. */
  readonly updatedAtMs: number;
}

/** Adds to each observation whether one of its files changed or is gone. With a null `root` it checks nothing. */
export function withStale<Fact extends FactOfFiles>(
  db: DatabaseSync,
  facts: readonly Fact[],
  here: Here,
): (Fact & { readonly stale: Stale | null })[] {
  const stale = staleAmong(db, facts, here);
  return facts.map((one) => ({ ...one, stale: stale.get(one.id) ?? null }));
}

interface Here {
  readonly root: string | null;
  readonly branch: string | null;
  readonly project: string;
}

function staleAmong(
  db: DatabaseSync,
  facts: readonly FactOfFiles[],
  here: Here,
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
      // Paths of files outside of the project are absolute.
      const file = isAbsolutePath(path) ? path : joinPath(root, path);
      const state = fileSince(file, digest, updatedAtMs);
      if (state === "gone" && !isAbsolutePath(path) && isElsewhere(branch)) continue;
      // A missing file counts more than a changed one.
      if (state !== null && stale.get(id) !== "gone") stale.set(id, state);
    }
  }
  return stale;
}

/** Returns the ids of edits and fixes that were put back, so that every file has its earlier content again. */
export function putBackAmong(
  db: DatabaseSync,
  changes: readonly { readonly id: number; readonly facts: { readonly by?: readonly number[] } }[],
  root: string | null,
): ReadonlySet<number> {
  if (root === null || changes.length === 0) return new Set();
  const editsOf = (change: typeof changes[number]) => change.facts.by ?? [change.id];
  const edits = new Map(contentBefore(db, changes.flatMap(editsOf)).map((edit) => [edit.id, edit]));
  const now = new Map<string, string | null>();
  const isAsBefore = (path: string, before: string) => {
    const file = isAbsolutePath(path) ? path : joinPath(root, path);
    if (!now.has(file)) now.set(file, digestOfFile(file));
    return now.get(file) === before;
  };
  const isPutBack = (change: typeof changes[number]) => {
    // The first edit of a file holds the content before all edits.
    const first = new Map<string, string | null>();
    for (const id of editsOf(change).toSorted((one, other) => one - other)) {
      const edit = edits.get(id);
      if (edit !== undefined && !first.has(edit.path)) first.set(edit.path, edit.before);
    }
    return first.size > 0 &&
      [...first].every(([path, before]) => before !== null && isAsBefore(path, before));
  };
  return new Set(changes.filter(isPutBack).map(({ id }) => id));
}

/** The size of the largest file that is read, in bytes. */
const MAX_BYTES = 65_536;

/** Returns the digest of a file's present content; null for a file that is too large or cannot be read. */
export function digestOfFile(path: string): string | null {
  const content = readText(path, MAX_BYTES);
  return content === null ? null : digestOf(content);
}

/**
 * Returns whether a file changed or is gone since it was observed; null when it has not changed. A file with a later
 * date is compared by its content, since a formatter may have written the file without changing it.
 */
function fileSince(path: string, digest: string, atMs: number): "changed" | "gone" | null {
  try {
    const { mtime, size } = statSync(path);
    if ((mtime?.getTime() ?? Infinity) <= atMs) return null;
    const isSame = size <= MAX_BYTES && digestOf(readTextFileSync(path)) === digest;
    return isSame ? null : "changed";
  } catch (thrown) {
    return isNotFound(thrown) ? "gone" : null;
  }
}
