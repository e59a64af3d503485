import { parentOf } from "../../paths.ts";
import { quoteWord } from "../../settings/hooks.ts";
import { emptyBeginning } from "../../store/beginning.ts";
import { daysMs } from "../../time.ts";
import { newestBackup } from "../backup.ts";
import { type Finding, warn } from "../check.ts";
import { askDatabase, type DatabasePlace } from "./place.ts";

/** So long it is told; what was not missed by then is not missed. */
const TOLD_DAYS = 14;

/** That a database began anew because something had cut the one before to nothing. */
export function lookAtBeginning(place: DatabasePlace): Finding[] {
  const { database, nowMs } = place;
  const begun = askDatabase(place, emptyBeginning) ?? null;
  if (begun === null || begun.atMs < nowMs - daysMs(TOLD_DAYS)) return [];
  const backup = backupBefore(place, begun.atMs);
  if (!begun.wasUsed && backup === null) return [];
  return [warn(
    `${database} began anew at ${
      new Date(begun.atMs).toISOString()
    }: its file was empty, and it was not before, so ` +
      "something had cut it to nothing; what it held is gone" +
      (backup === null ? "" : ", but for what the newest backup holds"),
    backup === null
      ? `ls -l ${quoteWord(parentOf(database))}`
      : `conclaude db restore ${quoteWord(backup)}`,
  )];
}

/** The newest backup, if it is of the database that was there before; null when there is none. */
function backupBefore({ database, locations }: DatabasePlace, atMs: number): string | null {
  const backup = database === locations.database ? newestBackup(locations.dataFolder) : null;
  if (backup === null) return null;
  try {
    return (Deno.statSync(backup).mtime?.getTime() ?? 0) < atMs ? backup : null;
  } catch {
    return null;
  }
}
