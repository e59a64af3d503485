/** Digests under the database's own key, by which what was forgotten is known and told to nobody. */
import type { DatabaseSync } from "node:sqlite";
import { FORGET_KEY } from "./forgotten_names.ts";
import { statement } from "./statement.ts";

/** Digests a text under the database's own key. */
export type Digest = (text: string) => string;

/** Gives a name. @param key Of words one of `words_key.ts`. */
export type NameWords = (sessionId: string, key: string) => string;

/** What digests; null where nothing was ever named. */
export function knownDigest(db: DatabaseSync): Digest | null {
  const row = statement(db, "SELECT value FROM meta WHERE key = ?").get(FORGET_KEY);
  if (row === undefined) return null;
  const secret = String(row["value"]);
  // A drain seldom asks, and has no time to load it.
  const { createHmac } = process.getBuiltinModule("node:crypto");
  return (text) => createHmac("sha256", secret).update(text).digest("hex");
}

/** What gives names; null where no words were ever named. */
export function knownWordNames(db: DatabaseSync): NameWords | null {
  const digest = knownDigest(db);
  return digest === null ? null : namesBy(digest);
}

/** What gives names by a digest. */
export function namesBy(digest: Digest): NameWords {
  return (sessionId, key) => `word/${digest(`${sessionId} ${key}`)}`;
}
