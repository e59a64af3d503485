import type { DatabaseSync } from "node:sqlite";

/** Whose files are meant: those in a folder, as a session found them. */
export interface SnapshotKey {
  readonly sessionId: string;
  /** The folder, absolute. */
  readonly root: string;
}

/** Keeps which files are there, in the place of what was known before. */
export function saveSnapshot(
  db: DatabaseSync,
  { sessionId, root }: SnapshotKey,
  taken: { readonly names: readonly string[]; readonly atMs: number },
): void {
  db.prepare(
    `INSERT INTO root_snapshots (session_id, root, names, created_at_ms)
     VALUES (?, ?, ?, ?)
     ON CONFLICT (session_id, root) DO UPDATE SET
       names = excluded.names,
       created_at_ms = excluded.created_at_ms`,
  ).run(sessionId, root, JSON.stringify(taken.names), taken.atMs);
}

/** The files that were there; null when nobody looked, or the row cannot be read. */
export function readSnapshot(
  db: DatabaseSync,
  { sessionId, root }: SnapshotKey,
): ReadonlySet<string> | null {
  const row = db.prepare(
    `SELECT names
       FROM root_snapshots
      WHERE session_id = ?
        AND root = ?`,
  ).get(sessionId, root);
  try {
    const names: unknown = JSON.parse(String(row?.["names"]));
    return Array.isArray(names) ? new Set(names.map(String)) : null;
  } catch {
    return null;
  }
}
