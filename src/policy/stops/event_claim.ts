/** Lets one process handle an event when several were started for it. */
import type { Environment } from "../../system/environment.ts";
import { lookAtProcesses, OWN_PID } from "../../system/process/process_identity.ts";
import { type Claimant, claimEvent, releaseEvent } from "./claims_table.ts";
import { type Remembering, withDatabase } from "./stop_blocks.ts";

export type Claim =
  /** Another process handles the event, or has handled it. */
  | { readonly kind: "twin" }
  /** The caller calls `release` once it has handled the event. */
  | { readonly kind: "own"; release(): void };

/** Claims an event by its name within the session. Without a database every process handles it. */
export async function claim(
  event: string,
  { db, sessionId, environment }: Pick<Remembering, "db" | "sessionId"> & {
    readonly environment: Environment;
  },
): Promise<Claim> {
  const beganAtMs = Math.floor(performance.timeOrigin + environment.beganMs);
  const claimant: Claimant = { sessionId, event, pid: OWN_PID, beganAtMs };
  const own: Claim = {
    kind: "own",
    release: () => void withDatabase({ db }, (db) => releaseEvent(db, claimant, Date.now())),
  };
  const gone = new Set<number>();
  for (;;) {
    const holder = withDatabase(
      { db },
      (db) => claimEvent(db, claimant, { gone, atMs: Date.now() }),
    );
    if (holder === undefined || holder.kind === "this process") return own;
    if (holder.kind === "done" || await isAlive(holder.pid)) return { kind: "twin" };
    gone.add(holder.pid);
  }
}

async function isAlive(pid: number): Promise<boolean> {
  return (await lookAtProcesses([pid])).get(pid)?.alive === true;
}
