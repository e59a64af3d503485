import { identifyDatabase } from "../../store/identity.ts";
import { indexFaultsAt, rebuildIndex } from "../../store/memory_index.ts";
import { fail, type Finding, ok, warn } from "../check.ts";
import { type DoctorPlace, repairDatabase } from "./place.ts";

/** With more observations only `db check` compares every word: hooks wait for that. */
const MAX_COMPARED = 2000;

/** What tells of the place that the database is in, not of its index. */
const UNREADABLE = /readonly|read-only|disk I\/O error|disk is full|unable to open|locked|busy/i;

/** Whether the search index tells what the observations tell. */
export function lookAtIndex({ database, config }: DoctorPlace): Finding[] {
  if (database === ":memory:" || identifyDatabase(database).kind !== "ours") return [];
  let fault: string | undefined;
  try {
    [fault] = indexFaultsAt(database, { maxRows: MAX_COMPARED });
  } catch {
    // The check of the database itself tells of that.
    return [];
  }
  if (fault === undefined) return [ok("no fault found")];
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
