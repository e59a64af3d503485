/** Finds the one observation that a person names. */
import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../base/errors.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import { findObservations, lastObservation, type Observation } from "../memory/store.ts";
import { NAMED_IDS, onlyNamed } from "./session_lookup.ts";

/** Returns the observation with this number or beginning of its `uid`. @throws {UserError} If not exactly one fits. */
export function observationNamed(db: DatabaseSync, text: string): Observation {
  const trimmed = text.trim();
  const found = findObservations(db, trimmed, NAMED_IDS + 1);
  const [first] = found;
  if (first === undefined) {
    throw new UserError(`Cannot find the observation "${text}"`, {
      why: "no observation has this number, and no uid begins like this",
      next: lastObservation(db) === 0
        ? "conclaude status"
        : `conclaude memory search ${quoteWord(trimmed)}`,
    });
  }
  const named = { noun: "observation", text, show: `memory show ${first.id}` };
  return found.find(({ uid }) => uid === trimmed) ??
    onlyNamed(named, found, ({ id, uid }) => `${uid} (#${id})`);
}
