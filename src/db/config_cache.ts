/** Keeps parsed configuration files, so that hooks parse no YAML. With a busy or damaged database, hooks run without the cache. */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../base/errors.ts";

/**
 * The stored configuration of a file; undefined when there is none.
 *
 * @param hash Of the file's content: a configuration of other content does not count. Null takes the last one.
 */
export function readCachedConfig(db: DatabaseSync, path: string, hash: string | null): unknown {
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

/** Lets every configuration be read anew; which rules were strict stays known. */
export function forgetCachedConfigs(db: DatabaseSync): void {
  db.prepare("DELETE FROM config_cache WHERE config_path NOT GLOB ?").run(`${STRICT_MARK}*`);
}

/** Begins the key of the row that marks rules as strict. It is a row of its own, because other versions replace the file's row. */
const STRICT_MARK = "strict:";

/** Stores whether the rules of a file are strict, for when the file cannot be read. */
export function rememberStrict(
  db: DatabaseSync,
  path: string,
  { isStrict, atMs }: { readonly isStrict: boolean; readonly atMs: number },
): void {
  const key = STRICT_MARK + path;
  if (isStrict) return storeCachedConfig(db, { key, hash: "", parsed: true, atMs });
  quietly(() => db.prepare("DELETE FROM config_cache WHERE config_path = ?").run(key));
}

/** Whether the rules of a file were strict when they were last read. */
export function rememberedStrict(db: DatabaseSync, path: string): boolean {
  return readCachedConfig(db, STRICT_MARK + path, null) !== undefined;
}
