/** What `doctor --fix` does with a database some pages of which are damaged. */
import { messageOf } from "../../errors.ts";
import { baseName, joinPath, parentOf } from "../../paths.ts";
import { isDamage } from "../../store/export_salvage.ts";
import { bytesBeforeCut } from "../../store/file_header.ts";
import { bringBack } from "../bring_back.ts";
import { fail, type Finding } from "../check.ts";
import { readableCopy } from "../readable_copy.ts";
import { freeName, removeDatabase } from "../set_aside.ts";
import { isThere, namesIn } from "../whole_file.ts";
import { writeAnew } from "../write_anew.ts";
import type { RepairPlace } from "./place.ts";
import { exportFrom } from "./salvage.ts";

/** So long a repair waits for another process, where no configuration says otherwise. */
const REPAIR_BUSY_MS = 5000;

/** All rows can be read: the database is written anew without the pages that are damaged. */
export function damagedIndex({ database, nowMs, config }: RepairPlace, fault: string): Finding {
  return fail(
    `${database} is damaged, but only in its indexes or in pages that nothing needs (${fault}): ` +
      "no row is lost; `doctor --fix` writes it anew with all its rows",
    "conclaude doctor --fix",
    () => {
      const { aside, rows } = writeAnew(database, {
        nowMs,
        busyTimeoutMs: config?.busyTimeoutMs ?? REPAIR_BUSY_MS,
      });
      return `wrote the database anew with all its ${rows} rows, its indexes made of those; the ` +
        `damaged one lies in ${aside}, for whoever wants to look at it`;
    },
  );
}

/** What the name of the copy ends with that a damaged database is read from. */
const READ = "-read";

/** A rescue that was stopped: its copy is still there. What came into the new database already is left as it is there. */
export function lookAtRescue(place: RepairPlace): Finding[] {
  const { database } = place;
  const folder = parentOf(database);
  const begin = `${baseName(database)}.damaged-`;
  return namesIn(folder)
    .filter((name) => name.startsWith(begin) && name.endsWith(READ))
    .map((name) => {
      const copy = joinPath(folder, name);
      const aside = copy.slice(0, -READ.length);
      return fail(
        `bringing back what can be read of ${aside} was stopped before its end: rows of it are missing in ${database}`,
        "conclaude doctor --fix",
        async () => {
          removeDatabase(copy);
          return isThere(aside)
            ? `went on with ${aside}: ${await broughtBack(place, aside, bytesBeforeCut(aside))}`
            : `removed ${copy}, whose database is gone`;
        },
      );
    });
}

/**
 * Brings what can be read of a database that was set aside into the new one.
 *
 * @param bytes How long it was before its end was lost; null when it is whole. @returns What became of it, in words.
 */
export async function broughtBack(
  { database, nowMs, config }: RepairPlace,
  aside: string,
  bytes: number | null = null,
): Promise<string> {
  const copy = freeName(aside + READ);
  try {
    const { path, lostPages } = await readableCopy(aside, { copy, bytes });
    const { rows, lost, again } = await bringBack(path, database, {
      nowMs,
      busyTimeoutMs: config?.busyTimeoutMs ?? REPAIR_BUSY_MS,
      redactPatterns: config?.redactPatterns ?? [],
      lostPages,
    });
    return `${rows} rows that can be read of it are in the new one` +
      (lost === 0 ? "" : `, at least ${lost} cannot be read`) +
      (again === 0 ? "" : `, and ${again} captures are worked into memory once more`);
  } catch (thrown) {
    const why = messageOf(thrown);
    return isDamage(thrown)
      ? `nothing of it can be read: what tells of its tables is damaged as well (${why})`
      : `bringing back what can be read of it failed (${why}): \`${exportFrom(aside)}\``;
  } finally {
    removeDatabase(copy);
  }
}
