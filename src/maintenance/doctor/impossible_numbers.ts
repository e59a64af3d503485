import { MAX_FAULTS } from "../../store/care.ts";
import { correctNumbers, numberFaults } from "../../store/impossible_numbers.ts";
import { fail, type Finding } from "../check.ts";
import { faultsText } from "../fault_text.ts";
import { askDatabase, type DoctorPlace, repairDatabase } from "./place.ts";

/** Numbers that a damaged page holds and that cannot be: whatever reads their rows fails. */
export function lookAtNumbers(place: DoctorPlace): Finding[] {
  const faults = askDatabase(place, (db) => numberFaults(db, { limit: MAX_FAULTS })) ?? [];
  if (faults.length === 0) return [];
  return [fail(
    `${faultsText(faults)}; what reads such a row fails`,
    "conclaude doctor --fix",
    () =>
      repairDatabase(place, (db) => {
        const corrected = correctNumbers(db);
        return `put a likely value in the place of ${corrected} ${
          corrected === 1 ? "number that cannot" : "numbers that cannot"
        } be`;
      }),
  )];
}
