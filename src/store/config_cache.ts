/** Keeps parsed configuration files, so that a hook does not parse YAML. Its errors never stop a hook. */
import type { DatabaseSync } from "node:sqlite";

/** The stored configuration of a file; undefined when there is none, or the file has other content now. */
export function readCachedConfig(db: DatabaseSync, path: string, hash: string): unknown {
  return readParsed(db, path, hash);
}

/** The configuration that was last stored for a file, whatever the file contains now; undefined when there is none. */
export function readLastConfig(db: DatabaseSync, path: string): unknown {
  return readParsed(db, path, null);
}

function readParsed(db: DatabaseSync, path: string, hash: string | null): unknown {
  try {
    const row = db.prepare(
      "SELECT parsed FROM config_cache WHERE config_path = ?1 AND (?2 IS NULL OR content_hash = ?2)",
    ).get(path, hash);
    return row === undefined ? undefined : JSON.parse(String(row["parsed"]));
  } catch {
    // A damaged database has no cache. The write of the event will report the damage.
    return undefined;
  }
}

/** Begins the key of a row that says that rules are strict. Any version of the program may replace the row of the file itself. */
const STRICT_MARK = "strict:";

/** Stores whether the rules of a place are strict, for a time when its file cannot be read. */
export function rememberStrict(
  db: DatabaseSync,
  path: string,
  now: { readonly isStrict: boolean; readonly atMs: number },
): void {
  try {
    if (now.isStrict) {
      db.prepare(
        `INSERT INTO config_cache (config_path, content_hash, parsed, updated_at_ms)
         VALUES (?, '', 'true', ?)
         ON CONFLICT (config_path) DO NOTHING`,
      ).run(STRICT_MARK + path, now.atMs);
    } else {
      db.prepare("DELETE FROM config_cache WHERE config_path = ?").run(STRICT_MARK + path);
    }
  } catch {
    // The next hook that parses the file tries again.
  }
}

/** Whether the last call of {@linkcode rememberStrict} said so. */
export function rememberedStrict(db: DatabaseSync, path: string): boolean {
  try {
    return db.prepare("SELECT 1 FROM config_cache WHERE config_path = ?")
      .get(STRICT_MARK + path) !== undefined;
  } catch {
    return false;
  }
}

/** Stores a parsed configuration in place of an earlier one. */
export function storeCachedConfig(
  db: DatabaseSync,
  entry: {
    readonly key: string;
    readonly hash: string;
    readonly parsed: unknown;
    readonly atMs: number;
  },
): void {
  try {
    db.prepare(
      `INSERT INTO config_cache (config_path, content_hash, parsed, updated_at_ms)
       VALUES (?, ?, ?, ?)
       ON CONFLICT (config_path) DO UPDATE SET
         content_hash = excluded.content_hash, parsed = excluded.parsed, updated_at_ms = excluded.updated_at_ms`,
    ).run(entry.key, entry.hash, JSON.stringify(entry.parsed), entry.atMs);
  } catch {
    // The next hook parses the file again.
  }
}
