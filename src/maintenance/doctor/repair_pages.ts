/** What `doctor --fix` does with a database some pages of which are damaged. */
import { messageOf } from "../../errors.ts";
import { bringBack } from "../bring_back.ts";
import { fail, type Finding } from "../check.ts";
import { writeAnew } from "../write_anew.ts";
import type { RepairPlace } from "./place.ts";
import { exportFrom } from "./salvage.ts";

/** So long a repair waits for another process, where no configuration says otherwise. */
const REPAIR_BUSY_MS = 5000;

/** All rows can be read: the database is written anew without the pages that are damaged. */
export function damagedIndex({ database, nowMs, config }: RepairPlace, fault: string): Finding {
  return fail(
    `${database} is damaged, but only in pages of the search index or in ones that nothing needs (${fault}): ` +
      "no row is lost; `doctor --fix` writes it anew with all its rows",
    "conclaude doctor --fix",
    () => {
      const { aside, rows } = writeAnew(database, {
        nowMs,
        busyTimeoutMs: config?.busyTimeoutMs ?? REPAIR_BUSY_MS,
      });
      return `wrote the database anew with all its ${rows} rows, the search index made of the observations; the ` +
        `damaged one lies in ${aside}, for whoever wants to look at it`;
    },
  );
}

/** Brings what can be read of a database that was set aside into the new one. @returns What became of it, in words. */
export async function broughtBack(
  { database, nowMs, config }: RepairPlace,
  aside: string,
): Promise<string> {
  try {
    const { rows, lost } = await bringBack(aside, database, {
      nowMs,
      busyTimeoutMs: config?.busyTimeoutMs ?? REPAIR_BUSY_MS,
      redactPatterns: config?.redactPatterns ?? [],
    });
    return `${rows} rows that can be read of it are in the new one` +
      (lost === 0 ? "" : `, at least ${lost} cannot be read`);
  } catch (thrown) {
    return `bringing back what can be read of it failed (${messageOf(thrown)}): \`${
      exportFrom(aside)
    }\``;
  }
}
