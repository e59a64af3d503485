import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../errors.ts";
import { findQueueItems, type QueueItem } from "../store/queue.ts";

const NAMED_IDS = 5;

/**
 * The capture that a person names by its id or the beginning of it.
 * @throws {UserError} When there is none, or there are several.
 */
export function queueItemOf(db: DatabaseSync, text: string): QueueItem {
  const id = text.trim().toLowerCase();
  const found = findQueueItems(db, id, NAMED_IDS + 1);
  const exact = found.find((item) => item.id === id) ?? (found.length === 1 ? found[0] : undefined);
  if (exact !== undefined) return exact;
  if (found.length === 0) {
    throw new UserError(`Cannot find the capture "${text}"`, {
      why: "no capture has an id that begins like this",
      next: "conclaude queue list",
    });
  }
  const named = found.slice(0, NAMED_IDS).map((item) => item.id);
  throw new UserError(`Cannot tell which capture "${text}" is`, {
    why: `${
      found.length > NAMED_IDS ? `more than ${NAMED_IDS}` : found.length
    } ids begin like this: ${named.join(", ")}`,
    next: `conclaude queue show ${named[0]}`,
  });
}
