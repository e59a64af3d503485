/** What `doctor --fix` does with a database some pages of which are damaged. */
import { messageOf } from "../../errors.ts";
import { bringBack } from "../bring_back.ts";
import { fail, type Finding } from "../check.ts";
import { DATABASE_FILES, freeName } from "../set_aside.ts";
import { isThere } from "../whole_file.ts";
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

/** How a database begins: what it is, how large its pages are, and how many there are. */
const HEADER = { bytes: 32, magic: "SQLite format 3\0", pageSizeAt: 16, pageCountAt: 28 };

/** The bytes that a database whose end is missing had; null for any other file. */
export function bytesBeforeCut(path: string): number | null {
  try {
    using file = Deno.openSync(path);
    const header = new Uint8Array(HEADER.bytes);
    if (file.readSync(header) !== HEADER.bytes) return null;
    if (!new TextDecoder().decode(header).startsWith(HEADER.magic)) return null;
    const view = new DataView(header.buffer);
    const pageSize = view.getUint16(HEADER.pageSizeAt);
    const bytes = view.getUint32(HEADER.pageCountAt) * (pageSize === 1 ? 65_536 : pageSize);
    return bytes > file.statSync().size ? bytes : null;
  } catch {
    return null;
  }
}

/**
 * The same as {@linkcode broughtBack} of a database whose end is missing. SQLite opens no such file, so a copy gets empty
 * pages in the place of what is missing.
 */
export async function broughtBackOfCut(
  place: RepairPlace,
  aside: string,
  bytes: number,
): Promise<string> {
  const filled = freeName(`${aside}-filled`);
  try {
    for (const ending of DATABASE_FILES) {
      if (isThere(aside + ending)) Deno.copyFileSync(aside + ending, filled + ending);
    }
    Deno.truncateSync(filled, bytes);
    return (await broughtBack(place, filled)).replaceAll(filled, aside);
  } finally {
    for (const ending of DATABASE_FILES) {
      if (isThere(filled + ending)) Deno.removeSync(filled + ending);
    }
  }
}
