/** Tells the person once that the database began anew, because something had emptied its file. */
import { beganAnew } from "../upkeep/care/backup.ts";
import { quietly } from "../base/errors.ts";
import { claimNotice } from "../system/log.ts";
import type { HookWork } from "./handler.ts";

/** @param begunMs When the database began, in epoch milliseconds. */
export function tellBeginning(work: HookWork, begunMs: number): void {
  const { db, database, locations, atMs: nowMs, tell } = work;
  const about = { sessionId: "any", spoolFolders: locations.spoolFolders };
  // The notice is claimed first, since the search for earlier content opens every backup.
  if (db === null || !claimNotice(`began-anew-${begunMs}`, about)) return;
  const begun = quietly(() => beganAnew(db, { locations, database, nowMs }));
  if (begun) tell(`conclaude: ${begun.text}. Run \`${begun.next}\`.`);
}
