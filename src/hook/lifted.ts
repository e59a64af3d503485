import { keepingOf } from "../gate/keeping.ts";
import { liftText } from "../guard/lift.ts";
import { shortSessionId } from "../ids.ts";
import { isPaused } from "../store/pauses.ts";
import type { HookWork } from "./handler.ts";

/** Whether a person has lifted the guards for this session. */
export function isLifted({ db, sessionId, atMs }: HookWork): boolean {
  try {
    return db !== null && isPaused(db, { sessionId, subject: "guards", atMs });
  } catch {
    return false;
  }
}

/** How a person lifts the guards for this session, once the event is saved. */
export function wayOut({ spareDb, config, sessionId }: HookWork): string {
  return liftText(keepingOf(spareDb(), config), shortSessionId(sessionId));
}
