import { unfinishedReceipts } from "../../store/forgotten.ts";
import { drainLockPath, isLocked } from "../../store/process_lock.ts";
import { type Finding, warn } from "../check.ts";
import { commandAgain } from "../forget_again.ts";
import { askDatabase, type DoctorPlace } from "./place.ts";

/** So many are named. */
const MAX_NAMED = 5;

/** What was being forgotten when it was stopped, or could not be forgotten to the end: some of it may still be there. */
export function lookAtForgetting(place: DoctorPlace): Finding[] {
  const stopped = askDatabase(place, (db) => unfinishedReceipts(db)) ?? [];
  if (stopped.length === 0 || isLocked(drainLockPath(place.database))) return [];
  return stopped.slice(0, MAX_NAMED).map(({ id, chosen, createdAtMs, remains }) =>
    warn(
      `\`memory forget\` of ${new Date(createdAtMs).toISOString()} ${
        remains.length === 0 ? "was stopped before it was done" : "could not be done to the end"
      } (receipt ${id})${remains.length === 0 ? "" : `: ${remains.join("; ")}`}`,
      commandAgain(chosen),
    )
  );
}
