import { count } from "../../counts.ts";
import { foreignKeyFaults } from "../../store/care.ts";
import { correctReferences } from "../../store/dangling_rows.ts";
import { fail, type Finding } from "../check.ts";
import { faultsText } from "../fault_text.ts";
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
