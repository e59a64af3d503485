import { undecidedCoven } from "../../engine/coven.ts";
import { type Finding, warn } from "../check.ts";
import type { DoctorPlace } from "./place.ts";

/** State of the older daemon that was neither brought over nor left behind. */
export function lookAtOldState({ projectDir, database }: DoctorPlace): Finding[] {
  const place = undecidedCoven(projectDir, database);
  if (place === null) return [];
  return [warn(
    `old state in ${place.folder} was not brought over (\`conclaude migrate --fresh\` begins without it)`,
    "conclaude migrate",
  )];
}
