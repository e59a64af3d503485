import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../errors.ts";
import { findObservations } from "../store/memory_look.ts";
import type { Observation } from "../store/observations.ts";

/** How many ids are named when several begin the same. */
const NAMED_IDS = 5;

/**
 * The observation that a person names, by its number or the beginning of its `uid`.
 *
 * @throws {UserError} When there is none, or when several begin like this.
 */
export function observationNamed(db: DatabaseSync, text: string): Observation {
  const found = findObservations(db, text.trim(), NAMED_IDS + 1);
  if (found.length === 1) return found[0]!;
  if (found.length === 0) {
    throw new UserError(`Cannot find the observation "${text}"`, {
      why: "no observation has this number, or a uid that begins like this",
      next: "conclaude memory search --help",
    });
  }
  const exact = found.find(({ uid }) => uid === text.trim());
  if (exact !== undefined) return exact;
  throw new UserError(`Cannot tell which observation "${text}" is`, {
    why: `several uids begin like this: ${
      found.slice(0, NAMED_IDS).map(({ id, uid }) => `${uid} (#${id})`).join(", ")
    }`,
    next: `conclaude memory show ${found[0]!.id}`,
  });
}
