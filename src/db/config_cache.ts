/** Keeps parsed configuration files, so that a hook does not parse YAML. A busy or damaged database has no cache, and stops no hook. */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../base/errors.ts";

/** The stored configuration of a file; undefined when there is none, or the file has other content now. */
export function readCachedConfig(db: DatabaseSync, path: string, hash: string): unknown {
  return readParsed(db, path, hash);
}

/** The configuration that was last stored for a file, whatever the file contains now; undefined when there is none. */
export function readLastConfig(db: DatabaseSync, path: string): unknown {
  return readParsed(db, path, null);
}

function readParsed(db: DatabaseSync, path: string, hash: string | null): unknown {
  return quietly(() => {
    const row = db.prepare(
      "SELECT parsed FROM config_cache WHERE config_path = ?1 AND (?2 IS NULL OR content_hash = ?2)",
    ).get(path, hash);
    return row === undefined ? undefined : JSON.parse(String(row["parsed"]));
  });
}

export function storeCachedConfig(
  db: DatabaseSync,
  entry: {
    readonly key: string;
    readonly hash: string;
    readonly parsed: unknown;
    readonly atMs: number;
  },
): void {
  quietly(() =>
    db.prepare(
      `INSERT INTO config_cache (config_path, content_hash, parsed, updated_at_ms)
       VALUES (?, ?, ?, ?)
       ON CONFLICT (config_path) DO UPDATE SET
         content_hash = excluded.content_hash, parsed = excluded.parsed, updated_at_ms = excluded.updated_at_ms`,
    ).run(entry.key, entry.hash, JSON.stringify(entry.parsed), entry.atMs)
  );
}

/** Begins the key of a row that says that rules are strict. Any version of the program may replace the row of the file. */
const STRICT_MARK = "strict:";

/** Stores whether the rules of a place are strict, for a time when its file cannot be read. */
export function rememberStrict(
  db: DatabaseSync,
  path: string,
  { isStrict, atMs }: { readonly isStrict: boolean; readonly atMs: number },
): void {
  const key = STRICT_MARK + path;
  if (isStrict) storeCachedConfig(db, { key, hash: "", parsed: true, atMs });
  else {
    quietly(() => db.prepare("DELETE FROM config_cache WHERE config_path = ?").run(key));
  }
}

/** Whether the last call of {@linkcode rememberStrict} said so. */
export function rememberedStrict(db: DatabaseSync, path: string): boolean {
  return readLastConfig(db, STRICT_MARK + path) !== undefined;
}
