/** Finds the one observation that a person names. */
import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../base/errors.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import { findObservations, lastObservation, type Observation } from "../memory/store.ts";
import { NAMED_IDS, onlyNamed } from "./session_lookup.ts";

/** The observation of this number or beginning of a `uid`. @throws {UserError} When that is not one. */
export function observationNamed(db: DatabaseSync, text: string): Observation {
  const asked = text.trim();
  const found = findObservations(db, asked, NAMED_IDS + 1);
  const [first] = found;
  if (first === undefined) {
    throw new UserError(`Cannot find the observation "${text}"`, whyNone(db, asked));
  }
  const named = { noun: "observation", text, show: `memory show ${first.id}` };
  return found.find(({ uid }) => uid === asked) ??
    onlyNamed(named, found, ({ id, uid }) => `${uid} (#${id})`);
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
