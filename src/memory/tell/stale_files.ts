/** Tells which observations name files that have changed since, and which changes were put back. */
import type { DatabaseSync } from "node:sqlite";
import { goneBranches } from "../../system/git/branches.ts";
import type { ObservationKind } from "../observe/observation.ts";
import type { Observation } from "../drain/observations_table.ts";
import type { Stale } from "./context_text.ts";
import type { ContextPlace } from "./told_rows.ts";
import { isAbsolutePath, joinPath } from "../../base/paths.ts";
import { contentBefore, digestsOf } from "./memory_context_table.ts";
import { digestOf } from "../../base/fnv.ts";
import { readText } from "../../system/on_disk.ts";
import { isNotFound, readTextFileSync, statSync } from "../../system/files.ts";

/** Kinds whose files are compared on every branch, and kinds whose files are compared only on their own branch. */
const OF_FILES: ReadonlySet<ObservationKind> = new Set(["note", "fix", "edit"]);
const OF_BRANCH_FILES: ReadonlySet<ObservationKind> = new Set(["failure", "test"]);

type FactOfFiles = Pick<Observation, "id" | "kind" | "branch" | "files" | "updatedAtMs">;

/** Adds to each observation whether one of its files changed or is gone. With a null `root` it checks nothing. */
export function withStale<Fact extends FactOfFiles>(
  db: DatabaseSync,
  facts: readonly Fact[],
  { root, branch, project }: Pick<ContextPlace, "root" | "branch" | "project">,
): (Fact & { readonly stale: Stale | null })[] {
  const isCompared = (one: Fact) =>
    one.files.length > 0 &&
    (OF_FILES.has(one.kind) || OF_BRANCH_FILES.has(one.kind) && one.branch === branch);
  const compared = root === null ? [] : facts.filter(isCompared);
  if (compared.length === 0) return facts.map((one) => ({ ...one, stale: null }));
  const isGone = goneBranches({ commonDir: project, branch });
  const digests = digestsOf(db, compared.map(({ id }) => id));
  const staleOf = (one: Fact): Stale | null => {
    const isElsewhere = one.branch !== null && one.branch !== branch && !isGone(one.branch);
    const states = (digests.get(one.id) ?? []).flatMap(({ path, digest }) => {
      const state = fileSince(fileOf(path, root!), digest, one.updatedAtMs);
      return state === "gone" && isElsewhere && !isAbsolutePath(path) ? [] : state ?? [];
    });
    // A missing file counts more than a changed one.
    return states.includes("gone") ? "gone" : states[0] ?? null;
  };
  return facts.map((one) => ({ ...one, stale: compared.includes(one) ? staleOf(one) : null }));
}

/** Returns the file of a path. Paths outside of the project are absolute. */
function fileOf(path: string, root: string): string {
  return isAbsolutePath(path) ? path : joinPath(root, path);
}

/** Returns the ids of edits and fixes that were put back, so that every file has its earlier content again. */
export function putBackAmong(
  db: DatabaseSync,
  changes: readonly { readonly id: number; readonly facts: { readonly by?: readonly number[] } }[],
  root: string | null,
): ReadonlySet<number> {
  if (root === null || changes.length === 0) return new Set();
  const editsOf = (change: typeof changes[number]) => change.facts.by ?? [change.id];
  const edits = contentBefore(db, changes.flatMap(editsOf));
  const now = new Map<string, string | null>();
  const isAsBefore = ({ path, before }: typeof edits[number]) => {
    const file = fileOf(path, root);
    if (!now.has(file)) now.set(file, digestOfFile(file));
    return before !== null && now.get(file) === before;
  };
  const isPutBack = (change: typeof changes[number]) => {
    const own = edits.filter(({ id }) => editsOf(change).includes(id));
    // The first edit of a file holds the content before all edits.
    const first = own.filter((one) => own.find(({ path }) => path === one.path) === one);
    return first.length > 0 && first.every(isAsBefore);
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
function fileSince(path: string, digest: string, atMs: number): Stale | null {
  try {
    const { mtime, size } = statSync(path);
    if ((mtime?.getTime() ?? Infinity) <= atMs) return null;
    const isSame = size <= MAX_BYTES && digestOf(readTextFileSync(path)) === digest;
    return isSame ? null : "changed";
  } catch (thrown) {
    return isNotFound(thrown) ? "gone" : null;
  }
}
