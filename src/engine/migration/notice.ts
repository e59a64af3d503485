/** Whether state of the older daemon lies here that nobody has decided about. */
import { readImportMark } from "../../store/import_marks.ts";
import { askDatabase } from "../../maintenance/doctor/place.ts";
import { findOldPlace, hasState, type OldPlace } from "./old_files.ts";

/** The older daemon's state in a folder or above it; null when there is none, or it was decided about. */
export function undecidedOldState(folder: string, database: string): OldPlace | null {
  const place = findOldPlace(folder);
  if (place === null || !hasState(place.folder)) return null;
  const mark = askDatabase({ database }, (db) => readImportMark(db, place.origin)) ?? null;
  return mark === null ? place : null;
}

/** What a person is told about it. */
export function oldStateNotice({ folder }: OldPlace): string {
  return `old state in ${folder}: run \`conclaude migrate\` to bring it over, ` +
    "or `conclaude migrate --fresh` to begin without it";
}
