import { count } from "../../counts.ts";
import { clearUnreadable, countUnreadable } from "../../store/facts_column.ts";
import { type Finding, warn } from "../check.ts";
import { askDatabase, type DoctorPlace, repairDatabase } from "./place.ts";

/** Observations that a damaged page has left without facts or files that can be read: they are told without those. */
export function lookAtFacts(place: DoctorPlace): Finding[] {
  const damaged = askDatabase(place, countUnreadable) ?? 0;
  if (damaged === 0) return [];
  return [warn(
    `the facts or files of ${
      count(damaged, "observation")
    } are damaged and cannot be read; the texts are told without them`,
    "conclaude doctor --fix",
    () =>
      repairDatabase(
        place,
        (db) => `took out what cannot be read of ${count(clearUnreadable(db), "observation")}`,
      ),
  )];
}
