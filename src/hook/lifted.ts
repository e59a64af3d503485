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
