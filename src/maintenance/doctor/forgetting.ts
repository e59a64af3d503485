import { unfinishedReceipts } from "../../store/forgotten.ts";
import { receiptsWithoutKey } from "../../store/lost_forget_key.ts";
import { drainLockPath, isLocked } from "../../store/process_lock.ts";
import { type Finding, warn } from "../check.ts";
import { commandAgain } from "../forget_again.ts";
import { askDatabase, type DoctorPlace } from "./place.ts";

/** So many are named. */
const MAX_NAMED = 5;

/** What was being forgotten when it was stopped, or could not be forgotten to the end: some of it may still be there. */
export function lookAtForgetting(place: DoctorPlace): Finding[] {
  return [...unfinished(place), ...withoutKey(place)];
}

function unfinished(place: DoctorPlace): Finding[] {
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

/** Damage has taken the key: what comes in once more is not known by its words. */
function withoutKey(place: DoctorPlace): Finding[] {
  const receipts = askDatabase(place, receiptsWithoutKey) ?? [];
  const [newest] = receipts;
  if (newest === undefined) return [];
  const named = receipts.slice(0, MAX_NAMED).map(({ id }) => id).join(", ");
  const more = receipts.length > MAX_NAMED ? ` and ${receipts.length - MAX_NAMED} more` : "";
  return [warn(
    "the key is lost by which prompts, messages and names were known that were forgotten: an import or a backfill may " +
      `bring them back; look after each of them with the receipts ${named}${more}, and forget what came back`,
    `conclaude memory verify ${newest.id}`,
  )];
}
