import { identifyDatabase } from "../../store/identity.ts";
import { countIndexed, indexFaultsAt, rebuildIndex } from "../../store/memory_index.ts";
import { fail, type Finding, ok, warn } from "../check.ts";
import { askDatabase, type DoctorPlace, repairDatabase } from "./place.ts";

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
