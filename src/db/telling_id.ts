import type { DatabaseSync } from "node:sqlite";
import { shortSessionId } from "../base/ids.ts";

/**
 * The beginning of a session's id that tells it from every other session: 8 characters, and more where another one
 * begins the same.
 *
 * @param db Null where nothing can be asked.
 */
export function tellingId(db: DatabaseSync | null, sessionId: string): string {
  const short = shortSessionId(sessionId);
  const whole = sessionId.replaceAll("-", "");
  const others = db === null ? [] : alike(db, short, sessionId);
  const shared = others.map((other) => {
    let at = 0;
    while (at < whole.length && other[at] === whole[at]) at++;
    return at;
  });
  return whole.slice(0, Math.max(short.length, ...shared.map((length) => length + 1)));
}

/** Other ids, without dashes, that begin the same; none when the database does not answer. */
function alike(db: DatabaseSync, short: string, except: string): string[] {
  try {
    return db.prepare(
      `SELECT session_id AS sessionId
         FROM sessions
        WHERE short_id = ?
          AND session_id <> ?`,
    ).all(short, except).map(({ sessionId }) => String(sessionId).replaceAll("-", ""));
  } catch {
    return [];
  }
}
