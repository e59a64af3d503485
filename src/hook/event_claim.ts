/** Lets one process handle an event when several were started for it. */
import type { Environment } from "../system/environment.ts";
import { lookAtProcesses, OWN_PID } from "../system/process/process_identity.ts";
import { type Claimant, claimEvent, releaseEvent } from "../db/event_claims.ts";
import { type Remembering, withDatabase } from "../policy/stops/stop_blocks.ts";

/**
 * Claims an event by its name within the session. Without a database every process handles the event.
 * @returns A function to call once the event is handled; null where another process handles or has handled it.
 */
export async function claim(
  event: string,
  { db, sessionId, environment }: Pick<Remembering, "db" | "sessionId"> & {
    readonly environment: Environment;
  },
): Promise<(() => void) | null> {
  const beganAtMs = Math.floor(performance.timeOrigin + environment.beganMs);
  const claimant: Claimant = { sessionId, event, pid: OWN_PID, beganAtMs };
  const gone = new Set<number>();
  for (;;) {
    const now = { gone, atMs: Date.now() };
    const holder = withDatabase({ db }, (db) => claimEvent(db, claimant, now));
    if (holder === undefined || holder === OWN_PID) {
      return () => void withDatabase({ db }, (db) => releaseEvent(db, claimant, Date.now()));
    }
    if (holder === 0 || (await lookAtProcesses([holder])).get(holder)?.alive) return null;
    gone.add(holder);
  }
}
