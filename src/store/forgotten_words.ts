/**
 * Names of words that were forgotten. Prompts and messages get a random id from a hook and another one from a
 * transcript, so they are known by what they say: as a digest under a key of the database's own, that tells nobody the
 * words.
 */
import type { DatabaseSync } from "node:sqlite";
import { createHmac, randomBytes } from "node:crypto";
import {
  keysOfCapture,
  keysOfObservation,
  titleKeysOf,
  titleKeysOfCapture,
} from "../memory/words_key.ts";
import { FORGET_KEY } from "./forgotten_names.ts";
import { setLostNamesApart } from "./lost_forget_key.ts";
import { payloadText, type StoredPayload } from "./payloads.ts";
import { statement } from "./statement.ts";

/** Digests a text under the database's own key. */
export type Digest = (text: string) => string;

/** Gives the name of words. @param key One of `words_key.ts`. */
export type NameWords = (sessionId: string, key: string) => string;

/** What digests; the key is made at the first call. To be called in a transaction. */
export function keyedDigest(db: DatabaseSync): Digest {
  const made = randomBytes(32).toString("hex");
  const { changes } = statement(db, "INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)")
    .run(FORGET_KEY, made);
  if (changes > 0) setLostNamesApart(db);
  return knownDigest(db)!;
}

/** What digests; null where nothing was ever named. */
export function knownDigest(db: DatabaseSync): Digest | null {
  const row = statement(db, "SELECT value FROM meta WHERE key = ?").get(FORGET_KEY);
  if (row === undefined) return null;
  const secret = String(row["value"]);
  return (text) => createHmac("sha256", secret).update(text).digest("hex");
}

/** What gives names. To be called in a transaction. */
export function wordNames(db: DatabaseSync): NameWords {
  return namesBy(keyedDigest(db));
}

/** What gives names; null where no words were ever named. */
export function knownWordNames(db: DatabaseSync): NameWords | null {
  const digest = knownDigest(db);
  return digest === null ? null : namesBy(digest);
}

function namesBy(digest: Digest): NameWords {
  return (sessionId, key) => `word/${digest(`${sessionId} ${key}`)}`;
}

/** The names of the words in captures, and of titles made of them. */
export function namesOfCaptures(
  name: NameWords,
  rows: readonly (StoredPayload & { readonly sessionId: string; readonly toolName: string })[],
): string[] {
  return rows.flatMap((row) => {
    try {
      return namesOfCapture(name, { ...row, payload: payloadText(row) });
    } catch {
      // What cannot be read any more nobody can compare.
      return [];
    }
  });
}

/** The same of one, its payload read. */
export function namesOfCapture(
  name: NameWords,
  { sessionId, toolName, payload }: {
    readonly sessionId: string;
    readonly toolName: string;
    readonly payload: string;
  },
): string[] {
  return [...keysOfCapture(toolName, payload), ...titleKeysOfCapture(toolName, payload)]
    .map((key) => name(sessionId, key));
}

/** The names of the words in observations, and of titles made of them. */
export function namesOfObservations(
  name: NameWords,
  rows: readonly Readonly<Record<string, unknown>>[],
): string[] {
  return rows.flatMap((row) => {
    const kind = String(row["kind"]);
    const text = String(row["text"]);
    const titles = kind === "prompt" ? titleKeysOf(text) : [];
    return [...keysOfObservation(kind, text), ...titles].map((key) =>
      name(String(row["sessionId"]), key)
    );
  });
}
