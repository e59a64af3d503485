/**
 * Stores the text of each policy file as it is in force until a person accepts a change, and the folders that a person
 * trusts although others may write there.
 */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../base/errors.ts";
import { statSync } from "../system/files.ts";

const MAX_KEPT_CHARS = 262_144;

/** The problem of a file that was in force and is gone. */
export const REMOVED = "it was removed";

/** Returns the text of a file as it is in force; undefined when none is kept. */
export function keptText(db: DatabaseSync, path: string): string | undefined {
  const row = db.prepare("SELECT content FROM kept_files WHERE path = ?").get(path);
  return row === undefined ? undefined : String(row["content"]);
}

export function keptAmong(db: DatabaseSync, paths: readonly string[]): string[] {
  const places = paths.map(() => "?").join(", ");
  return db.prepare(`SELECT path FROM kept_files WHERE path IN (${places})`).all(...paths)
    .map((row) => String(row["path"]));
}

/** Keeps the text of a file that is in force from now on; forgets the file when its text is null or too long. */
export function keepFile(
  db: DatabaseSync,
  path: string,
  { text, atMs }: { readonly text: string | null; readonly atMs: number },
): void {
  if (text === null || text.length > MAX_KEPT_CHARS) {
    db.prepare("DELETE FROM kept_files WHERE path = ?").run(path);
    return;
  }
  db.prepare(
    `INSERT INTO kept_files (path, content, kept_at_ms)
     VALUES (?, ?, ?)
     ON CONFLICT (path) DO UPDATE SET
       content = excluded.content,
       kept_at_ms = excluded.kept_at_ms
      WHERE content <> excluded.content`,
  ).run(path, text, atMs);
}

/** Forgets the versions of all files in a folder and below it. */
export function forgetBelow(db: DatabaseSync, folder: string): void {
  db.prepare("DELETE FROM kept_files WHERE substr(path, 1, length(?1) + 1) = ?1 || '/'").run(
    folder,
  );
}

interface BegunSession {
  readonly claudePid: number | null;
  /** Whether the session is active now, not at the moment that was asked for. */
  readonly isActive: number;
  readonly beganAtMs: number;
  readonly seenAtMs: number;
}

/** Returns the sessions of a project that had begun by a moment and not ended; those of all projects for null. */
export function sessionsAt(
  db: DatabaseSync,
  { folder, repository }: { readonly folder: string | null; readonly repository: string | null },
  atMs: number,
): readonly BegunSession[] {
  return db.prepare(
    `SELECT claude_pid AS claudePid, status = 'active' AS isActive, started_at_ms AS beganAtMs,
            updated_at_ms AS seenAtMs
       FROM sessions
      WHERE started_at_ms <= ?2
        AND (status = 'active' OR ended_at_ms >= ?2)
        AND (?1 IS NULL OR repository = ?3 OR project_dir = ?1 OR
             substr(project_dir, 1, length(?1) + 1) = ?1 || '/')`,
  ).all(folder, atMs, repository) as unknown as readonly BegunSession[];
}

/** How long a read waits for another process, in milliseconds. */
const LOOK_BUSY_MS = 500;

/** Returns the folders that a person trusts, by path, from a database that is not open yet; none when it cannot be read. */
export function trustedFolders(database: string): string[] {
  const read = () => {
    if (!statSync(database).isFile) return [];
    // `node:sqlite` is loaded only here, since few files are ever distrusted.
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    // A read-only connection would leave empty files beside a database without a log.
    const readOnly = quietly(() => statSync(`${database}-wal`).size > 0) === true;
    using db = new DatabaseSync(database, { timeout: LOOK_BUSY_MS, readOnly });
    return db.prepare("SELECT path FROM trusted_folders ORDER BY path").all();
  };
  return (quietly(read) ?? []).map(({ path }) => String(path));
}

/** Trusts a folder. @param path Absolute, all links followed. @returns Whether it was not trusted before. */
export function addTrusted(
  db: DatabaseSync,
  { path, addedAtMs }: { readonly path: string; readonly addedAtMs: number },
): boolean {
  const add = db.prepare("INSERT OR IGNORE INTO trusted_folders (path, added_at_ms) VALUES (?, ?)");
  return add.run(path, addedAtMs).changes > 0;
}

/** Removes a folder. @returns Whether it was trusted before. */
export function removeTrusted(db: DatabaseSync, path: string): boolean {
  return db.prepare("DELETE FROM trusted_folders WHERE path = ?").run(path).changes > 0;
}
