/** Tells the person once that the database began anew in a file which something had cut to nothing. */
import { beganAnew } from "../upkeep/care/backup.ts";
import { quietly } from "../base/errors.ts";
import { claimNotice } from "../system/log.ts";
import type { HookWork } from "./handler.ts";

export function tellBeginning({ db, database, locations, atMs: nowMs, tell }: HookWork): void {
  const begun = db && quietly(() => beganAnew(db, { locations, database, nowMs }));
  if (!begun) return;
  const about = { sessionId: "any", spoolFolders: locations.spoolFolders };
  if (!claimNotice(`began-anew-${begun.atMs}`, about)) return;
  tell(`conclaude: ${begun.text}. Run \`${begun.next}\`.`);
}
