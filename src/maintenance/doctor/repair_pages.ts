/** What `doctor --fix` does with a database some pages of which are damaged. */
import { count } from "../../counts.ts";
import { messageOf } from "../../errors.ts";
import { baseName, joinPath, parentOf } from "../../paths.ts";
import { canReachRows, isDamage } from "../../store/export_salvage.ts";
import { openToLook } from "../../store/identity.ts";
import { bytesBeforeCut } from "../../store/file_header.ts";
import { bringBack } from "../bring_back.ts";
import { newestBackup } from "../backup.ts";
import { fail, type Finding, type Repaired } from "../check.ts";
import { quoteWord } from "../../settings/hooks.ts";
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
    `${database} is damaged, but only in its indexes or in pages that can be made anew (${fault}): ` +
      "no row is lost; `doctor --fix` writes it anew with all its rows",
    "conclaude doctor --fix",
    () => {
      const { aside, rows } = writeAnew(database, {
        nowMs,
        busyTimeoutMs: config?.busyTimeoutMs ?? REPAIR_BUSY_MS,
      });
      return `wrote the database anew with all its ${
        count(rows, "row")
      }, its indexes made of those; the ` +
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
            ? await broughtBack(place, {
              aside,
              bytes: bytesBeforeCut(aside),
              done: `went on with ${aside}`,
            })
            : `removed ${copy}, whose database is gone`;
        },
      );
    });
}

/** A database that was set aside. */
export interface SetAside {
  readonly aside: string;
  /** How long it was before its end was lost; null when it is whole. */
  readonly bytes: number | null;
  /** What was done with it so far, in words. */
  readonly done: string;
}

/** Brings what can be read of a database that was set aside into the new one. */
export async function broughtBack(
  place: RepairPlace,
  { aside, bytes, done }: SetAside,
): Promise<string | Repaired> {
  const { database, nowMs, config } = place;
  const copy = freeName(aside + READ);
  try {
    const { path, lostRows } = await readableCopy(aside, { copy, bytes });
    if (!hasTables(path)) return nothingBack(place, { aside, done, why: NO_TABLES });
    const { rows, withoutPayload, lost, again, isKeyLost } = await bringBack(path, database, {
      nowMs,
      busyTimeoutMs: config?.busyTimeoutMs ?? REPAIR_BUSY_MS,
      redactPatterns: config?.redactPatterns ?? [],
      lostRows,
    });
    if (rows + withoutPayload === 0 && lost > 0) {
      return nothingBack(place, {
        aside,
        done,
        why: `at least ${count(lost, "row")} cannot be read`,
      });
    }
    return `${done}; ${
      count(rows, "row that can be read of it is", "rows that can be read of it are")
    } in the new one` +
      (withoutPayload === 0
        ? ""
        : `, with ${
          count(withoutPayload, "capture")
        } whose payload is damaged and lies there as it is`) +
      (lost === 0 ? "" : `, at least ${lost} cannot be read`) +
      (again === 0
        ? ""
        : `, and ${count(again, "capture is", "captures are")} worked into memory once more`) +
      (isKeyLost ? "; the key of what was forgotten is lost" : "");
  } catch (thrown) {
    const why = messageOf(thrown);
    return isDamage(thrown) ? nothingBack(place, { aside, done, why: `${NO_TABLES} (${why})` }) : {
      done,
      undone: fail(
        `bringing back what can be read of ${aside} failed: ${why}`,
        exportFrom(aside),
      ),
    };
  } finally {
    removeDatabase(copy);
  }
}

const NO_TABLES = "what tells of its tables is damaged";

/** What is said of a database none of whose rows is in the new one. */
export function nothingBack(
  { locations }: RepairPlace,
  { aside, done, why }: Pick<SetAside, "aside" | "done"> & { readonly why: string },
): Repaired {
  const backup = newestBackup(locations.dataFolder);
  return {
    done,
    undone: fail(
      `nothing of ${aside}, where the damaged database lies, could be brought back: ${why}` +
        (backup === null ? "; there is no backup" : "; the newest backup may hold what was in it"),
      backup === null ? `ls -l ${quoteWord(aside)}` : `conclaude db restore ${quoteWord(backup)}`,
    ),
  };
}

function hasTables(path: string): boolean {
  const db = openToLook(path);
  try {
    return canReachRows(db);
  } finally {
    db.close();
  }
}
