import type { DatabaseSync } from "node:sqlite";
import { normalizeSessionId } from "../ids.ts";
import { findSessions } from "../store/sessions.ts";
import { sessionOf } from "./session_lookup.ts";

/**
 * The full id of the session that a person names. One that no hook has written is taken as it is: captures and counters
 * may come before their session, or have none.
 *
 * @throws {UserError} When several sessions share the short id.
 */
export function sessionIdOf(db: DatabaseSync, text: string): string {
  const id = normalizeSessionId(text) ?? "";
  return findSessions(db, id).length === 0 ? id : sessionOf(db, id).sessionId;
}

/** {@linkcode sessionIdOf} for a flag that may be absent; null then. */
export function sessionFilterOf(db: DatabaseSync, text: string | undefined): string | null {
  return text === undefined ? null : sessionIdOf(db, text);
}
