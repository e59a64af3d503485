import type { DatabaseSync } from "node:sqlite";

/**
 * The lines that a branch has changed in one working tree; null for one from which others come, `"no base"` where there
 * is none to compare it with, `"unknown"` when git did not tell: it is not asked for every tool use what it cannot
 * answer.
 */
export interface BranchSize {
  readonly worktree: string;
  readonly branch: string;
  readonly lines: number | null | Untold;
}

type Untold = "unknown" | "no base";

/** How it is stored that there are no lines. */
const STORED: Readonly<Record<Untold, number>> = { unknown: -1, "no base": -2 };

/** A branch's size as last measured, if that is not older than `sinceMs`. */
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
  const untold = (Object.keys(STORED) as Untold[]).find((name) => STORED[name] === row?.lines);
  return untold === undefined ? row : { lines: untold };
}

/** Writes a size down; an earlier one is replaced. */
export function saveBranchSize(
  db: DatabaseSync,
  { worktree, branch, lines }: BranchSize,
  atMs: number,
): void {
  db.prepare(
    `INSERT INTO branch_sizes (worktree, branch, lines, measured_at_ms)
     VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT (worktree, branch) DO UPDATE SET lines = ?3, measured_at_ms = ?4`,
  ).run(worktree, branch, typeof lines === "string" ? STORED[lines] : lines, atMs);
}
