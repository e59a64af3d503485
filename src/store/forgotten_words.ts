/**
 * Names of words that were forgotten. Prompts and messages get a random id from a hook and another one from a
 * transcript, so they are known by what they say: as a digest under a key of the database's own, that tells nobody the
 * words.
 */
import type { DatabaseSync } from "node:sqlite";
import { randomBytes } from "node:crypto";
import {
  keysOfCapture,
  keysOfObservation,
  titleKeysOf,
  titleKeysOfCapture,
} from "../memory/capture_keys.ts";
import { type Digest, knownDigest, namesBy, type NameWords } from "./forgotten_digest.ts";
import { FORGET_KEY } from "./forgotten_names.ts";
import { setLostNamesApart } from "./lost_forget_key.ts";
import { statement } from "./statement.ts";

/** What digests; the key is made at the first call. To be called in a transaction. */
export function keyedDigest(db: DatabaseSync): Digest {
  const made = randomBytes(32).toString("hex");
  const { changes } = statement(db, "INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)")
    .run(FORGET_KEY, made);
  if (changes > 0) setLostNamesApart(db);
  return knownDigest(db)!;
}

/** What gives names. To be called in a transaction. */
export function wordNames(db: DatabaseSync): NameWords {
  return namesBy(keyedDigest(db));
}

/** The names of the words in a capture, and of titles made of them. */
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
