import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../errors.ts";
import { quoteWord } from "../settings/hooks.ts";
import { findObservations } from "../store/memory_look.ts";
import { lastObservation } from "../store/memory_search.ts";
import type { Observation } from "../store/observations.ts";

const NAMED_IDS = 5;

/**
 * The observation that a person names by its number or the beginning of its `uid`.
 * @throws {UserError} When there is none, or there are several.
 */
export function observationNamed(db: DatabaseSync, text: string): Observation {
  const found = findObservations(db, text.trim(), NAMED_IDS + 1);
  if (found.length === 1) return found[0]!;
  if (found.length === 0) {
    throw new UserError(`Cannot find the observation "${text}"`, whyNone(db, text.trim()));
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

/** Why a text names nothing, and what may have been meant. */
function whyNone(db: DatabaseSync, text: string): { readonly why: string; readonly next: string } {
  const newest = lastObservation(db);
  if (newest === 0) return { why: "nothing is remembered yet", next: "conclaude status" };
  if (!/^#?[-+]?[\d.,]+$/.test(text)) {
    return {
      why: "it is no number, and no uid begins like this",
      next: `conclaude memory search ${quoteWord(text)}`,
    };
  }
  const number = /^#?\d+$/.test(text) ? Number(text.replace("#", "")) : NaN;
  const why = !(number >= 1)
    ? "the numbers of observations are whole, from 1 on"
    : number > newest
    ? `no observation has this number yet: the newest is #${newest}`
    : "no observation has this number any more: what had it was written anew, or removed";
  return { why, next: `conclaude memory timeline ${newest}` };
}
