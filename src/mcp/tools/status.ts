import { headed, plain } from "../../capture/plain.ts";
import { messageOf } from "../../errors.ts";
import { openFailureIds } from "../../recall/open_now.ts";
import { observationLine } from "../../recall/view.ts";
import { integrityFaults } from "../../store/care.ts";
import { projectMemory } from "../../store/memory_look.ts";
import { memoryHealth } from "../../store/memory_health.ts";
import { readObservations } from "../../store/observations.ts";
import type { Call } from "../call.ts";

const MAX_OPEN = 5;
/** A bigger database is not read whole for this: 64 MB take a quarter of a second. */
const MAX_CHECKED_BYTES = 64_000_000;

/** `status`: what memory holds of this project, and whether the database is well. */
export function status({ db, database, project, nowMs }: Call): string {
  const memory = projectMemory(db, project.key);
  const open = openFailureIds(db, project.key);
  const { waiting, givenUp: count } = memoryHealth(db, nowMs);
  const { lastSummary } = memory;
  const givenUp = count === 0 ? "" : `, ${count} were given up (conclaude queue list)`;
  return [
    headed(`Status of ${project.folder}`),
    `observations of this project: ${memory.observations}`,
    `captures not worked in yet: ${waiting}${givenUp}`,
    `open failures: ${open.length}`,
    ...readObservations(db, open.slice(0, MAX_OPEN)).map((one) =>
      `  ${observationLine(one, nowMs)}`
    ),
    `last session: ${lastSummary === null ? "none yet" : observationLine(lastSummary, nowMs)}`,
    `database: ${plain(database)}, ${healthOf({ db, database })}`,
  ].join("\n");
}

function healthOf({ db, database }: Pick<Call, "db" | "database">): string {
  try {
    if (Deno.statSync(database).size > MAX_CHECKED_BYTES) {
      return "readable; `conclaude doctor` looks at it whole";
    }
    const [fault] = integrityFaults(db, "quick");
    return fault === undefined ? "well" : `damaged: ${plain(fault)}; run \`conclaude doctor\``;
  } catch (thrown) {
    return `not readable: ${plain(messageOf(thrown))}; run \`conclaude doctor\``;
  }
}
