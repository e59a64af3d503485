import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../errors.ts";
import { shortSessionId } from "../ids.ts";
import { findSessions, type SessionRow } from "../store/sessions.ts";

/**
 * The session that a person names, by its full or its short id.
 *
 * @throws {UserError} When there is none, or when several share the short id.
 */
export function sessionOf(db: DatabaseSync, id: string): SessionRow {
  const found = findSessions(db, id.trim());
  if (found.length === 1) return found[0]!;
  if (found.length === 0) {
    throw new UserError(`Cannot find the session "${id}"`, {
      why: "no session has this full or short id",
      next: "run `conclaude session list` to see the ids",
    });
  }
  throw new UserError(`Cannot tell which session "${id}" is`, {
    why: `${found.length} sessions share the short id ${shortSessionId(id)}`,
    next: `use a full id: ${found.map(({ sessionId }) => sessionId).join(", ")}`,
  });
}
