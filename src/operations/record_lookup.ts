/** Finds the one record that a person names by the beginning of its id. */
import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../base/errors.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import { findObservations, lastObservation, type Observation } from "../memory/store.ts";
import { findQueueItems, type QueueItem } from "../db/queue.ts";

const NAMED_IDS = 5;

/** The one of several that were found. @throws {UserError} When there are several; it names the first five. */
export function onlyNamed<Found>(
  { noun, text, show }: { readonly noun: string; readonly text: string; readonly show: string },
  found: readonly Found[],
  nameOf: (one: Found) => string,
): Found {
  if (found.length === 1) return found[0]!;
  const named = found.slice(0, NAMED_IDS).map(nameOf).join(", ");
  throw new UserError(`Cannot tell which ${noun} "${text}" is`, {
    why: `several ids begin like this: ${named}${found.length > NAMED_IDS ? ", …" : ""}`,
    next: `conclaude ${show}`,
  });
}

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

/** The capture whose id begins like this. @throws {UserError} When that is not one. */
export function queueItemOf(db: DatabaseSync, text: string): QueueItem {
  const id = text.trim().toLowerCase();
  const found = findQueueItems(db, id, NAMED_IDS + 1);
  const [first] = found;
  if (first === undefined) {
    throw new UserError(`Cannot find the capture "${text}"`, {
      why: "no capture has an id that begins like this",
      next: "conclaude queue list",
    });
  }
  const named = { noun: "capture", text, show: `queue show ${first.id}` };
  return found.find((item) => item.id === id) ?? onlyNamed(named, found, (item) => item.id);
}
