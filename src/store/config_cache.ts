import type { DatabaseSync } from "node:sqlite";

/**
 * The parsed configuration that was stored for a file, if its content is still the same.
 *
 * @returns `undefined` when there is none, it is of another content, or cannot be read.
 */
export function readCachedConfig(db: DatabaseSync, path: string, hash: string): unknown {
  try {
    const row = db.prepare(
      `SELECT parsed
         FROM config_cache
        WHERE config_path = ?
          AND content_hash = ?`,
    ).get(path, hash);
    return row === undefined ? undefined : JSON.parse(String(row["parsed"]));
  } catch {
    // A damaged database or entry is no cache; the write of the event will tell of the damage.
    return undefined;
  }
}

/**
 * The configuration that was stored last for a file, whatever its content was then, and whichever version stored it.
 *
 * @returns `undefined` when there is none, or it cannot be read.
 */
export function readLastConfig(db: DatabaseSync, path: string): unknown {
  try {
    const row = db.prepare(
      `SELECT parsed
         FROM config_cache
        WHERE config_path = ?`,
    ).get(path);
    return row === undefined ? undefined : JSON.parse(String(row["parsed"]));
  } catch {
    return undefined;
  }
}

/** The row that says whether rules are strict stands beside the one of the file, which any version may replace. */
const STRICT_MARK = "strict:";

/** Remembers whether the rules of a place are strict, for when its file cannot be read. A busy database goes without. */
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
    // The next one that parses it tries again.
  }
}

/** Whether {@linkcode rememberStrict} said so last. */
export function rememberedStrict(db: DatabaseSync, path: string): boolean {
  try {
    return db.prepare("SELECT 1 FROM config_cache WHERE config_path = ?")
      .get(STRICT_MARK + path) !== undefined;
  } catch {
    return false;
  }
}

/** Stores what was parsed; the entry of an earlier content is replaced. A database that is busy goes without. */
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
    // The next hook parses it again.
  }
}
