import type { DatabaseSync } from "node:sqlite";

/**
 * The lines that a branch has changed in one working tree; null where there is nothing to compare it with, `"unknown"`
 * when git did not tell: it is not asked for every tool use what it cannot answer.
 */
export interface BranchSize {
  readonly worktree: string;
  readonly branch: string;
  readonly lines: number | null | "unknown";
}

/** How `"unknown"` is stored. */
const UNKNOWN_LINES = -1;

/** A branch's size as last measured, if that is not older than `sinceMs`; null inside where it has none. */
export function readBranchSize(
  db: DatabaseSync,
  { worktree, branch }: { readonly worktree: string; readonly branch: string },
  sinceMs: number,
): Pick<BranchSize, "lines"> | undefined {
  const row = db.prepare(
    `SELECT lines
       FROM branch_sizes
      WHERE worktree = ?
        AND branch = ?
        AND measured_at_ms > ?`,
  ).get(worktree, branch, sinceMs) as { readonly lines: number | null } | undefined;
  return row?.lines === UNKNOWN_LINES ? { lines: "unknown" } : row;
}

/** Writes a size down; an earlier one is replaced. */
export function saveBranchSize(
  db: DatabaseSync,
  size: BranchSize,
  atMs: number,
): void {
  db.prepare(
    `INSERT INTO branch_sizes (worktree, branch, lines, measured_at_ms)
     VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT (worktree, branch) DO UPDATE SET lines = ?3, measured_at_ms = ?4`,
  ).run(size.worktree, size.branch, size.lines === "unknown" ? UNKNOWN_LINES : size.lines, atMs);
}
