/** What is in the database: rows that refer to lost ones, the search index, what was not forgotten to the end. */
import { count } from "../../counts.ts";
import { foreignKeyFaults } from "../../store/care.ts";
import { correctReferences } from "../../store/dangling_rows.ts";
import { receiptsWithoutKey, unfinishedReceipts } from "../../store/forget_receipts.ts";
import { identifyDatabase } from "../../store/identity.ts";
import { countIndexed, indexFaultsAt, rebuildIndex } from "../../store/memory_index.ts";
import { drainLockPath, isLocked } from "../../store/process_lock.ts";
import { fail, faultsText, type Finding, ok, warn } from "../check.ts";
import { commandAgain } from "../forget_again.ts";
import { askDatabase, type DoctorPlace, repairDatabase } from "./place.ts";

/** Rows that name what is lost: they would be taken for those of whatever gets its number next. */
export function lookAtReferences(place: DoctorPlace): Finding[] {
  const faults = askDatabase(place, foreignKeyFaults) ?? [];
  if (faults.length === 0) return [];
  return [fail(
    faultsText(faults),
    "conclaude doctor --fix",
    () =>
      repairDatabase(place, (db) => {
        const { freed, removed } = correctReferences(db);
        return `removed ${count(removed, "row that was", "rows that were")} a part of lost ones` +
          (freed === 0
            ? ""
            : `, and let ${count(freed, "other name", "others name")} them no more`);
      }),
  )];
}

/** With more observations only `--fix` and `db check` compare every word: hooks wait for that, a second for so many. */
const MAX_COMPARED = 20_000;

const NOT_COMPARED =
  "no fault found; whether it has every word of so many observations `conclaude db check` looks";

/** What tells of the place that the database is in, not of its index. */
const UNREADABLE = /readonly|read-only|disk I\/O error|disk is full|unable to open|locked|busy/i;

/** Whether the search index tells what the observations tell. */
export function lookAtIndex({ database, config, comparesAll = false }: DoctorPlace): Finding[] {
  if (database === ":memory:" || identifyDatabase(database).kind !== "ours") return [];
  let fault: string | undefined;
  try {
    [fault] = indexFaultsAt(database, { maxRows: comparesAll ? Infinity : MAX_COMPARED });
  } catch {
    // The check of the database itself tells of that.
    return [];
  }
  if (fault === undefined) {
    const isCompared = comparesAll ||
      (askDatabase({ database }, countIndexed) ?? 0) <= MAX_COMPARED;
    return [ok(isCompared ? "no fault found" : NOT_COMPARED)];
  }
  if (UNREADABLE.test(fault)) {
    return [warn(`the search index cannot be looked at: ${fault}`, "conclaude doctor")];
  }
  return [fail(
    `the search index is damaged (${fault}); no observation is lost by that, but searches may not find them`,
    "conclaude doctor --fix",
    async () => {
      await repairDatabase({ database, config }, rebuildIndex);
      return "made the search index anew from the observations";
    },
  )];
}

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
