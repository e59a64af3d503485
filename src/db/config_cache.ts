/** Caches parsed configuration files, so that hooks parse no YAML. Without a usable database, hooks do without it. */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../base/errors.ts";
import { putRow, statement } from "./statement.ts";

/** Returns the stored configuration of a file; undefined when there is none of this content. */
export function readCachedConfig(db: DatabaseSync, path: string, hash: string): unknown {
  return quietly(() => {
    const row = statement(db)`
      SELECT parsed FROM config_cache WHERE config_path = ? AND content_hash = ?`.get(path, hash);
    return row === undefined ? undefined : JSON.parse(String(row["parsed"]));
  });
}

export function storeCachedConfig(
  db: DatabaseSync,
  { key, hash, parsed, atMs }: {
    readonly key: string;
    readonly hash: string;
    readonly parsed: unknown;
    readonly atMs: number;
  },
): void {
  const row = { configPath: key, contentHash: hash, parsed: JSON.stringify(parsed) };
  quietly(() => putRow(db, "config_cache", { ...row, updatedAtMs: atMs }));
}

/** Forgets all cached configurations, but not what the gates of a file answer when it cannot be read. */
export function forgetCachedConfigs(db: DatabaseSync): void {
  db.prepare("DELETE FROM config_cache WHERE config_path NOT GLOB ?").run(`${MARK}*`);
}

/** Begins the key of a row that remembers what the gates of a file answer when it cannot be read. */
const MARK = "strict:";

/** Stores what the gates of a file answer when it cannot be read. */
export function rememberWhenBlind(
  db: DatabaseSync,
  path: string,
  { answer, atMs }: { readonly answer: "allow" | "ask" | "deny"; readonly atMs: number },
): void {
  const key = MARK + path;
  if (answer !== "allow") return storeCachedConfig(db, { key, hash: "", parsed: answer, atMs });
  quietly(() => db.prepare("DELETE FROM config_cache WHERE config_path = ?").run(key));
}

/** Reads the `gates.whenBlind` that a file had when it was last read; null for `allow`, and where nothing is known. */
export function rememberedWhenBlind(db: DatabaseSync, path: string): "ask" | "deny" | null {
  const answer = readCachedConfig(db, MARK + path, "");
  return answer === "ask" || answer === "deny" ? answer : null;
}
