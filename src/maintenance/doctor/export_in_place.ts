/** An export of this program that lies where the database should be. */
import { quoteWord } from "../../settings/hooks.ts";
import { EXPORT_BEGIN } from "../export.ts";
import { fail, type Finding } from "../check.ts";
import { setAside } from "../set_aside.ts";
import { useAnotherDatabase } from "./elsewhere.ts";
import type { RepairPlace } from "./place.ts";

/**
 * What is said of it; null where it is none.
 *
 * @param isOurs Whether its name is one that may be set aside.
 */
export function exportInPlace(place: RepairPlace, isOurs: boolean): Finding | null {
  const { database, nowMs } = place;
  if (!beginsAsExport(database)) return null;
  if (!isOurs) {
    return fail(
      `${database} is an export of conclaude, no database; \`conclaude import\` takes it into one`,
      useAnotherDatabase(place),
    );
  }
  const file = `${database}.jsonl`;
  return fail(
    `${database} is an export of conclaude, no database; \`doctor --fix\` sets it aside under a dated name, and ` +
      "`conclaude import` takes it back",
    `mv -n ${quoteWord(database)} ${quoteWord(file)} && conclaude import ${quoteWord(file)}`,
    () => {
      const aside = setAside(database, { reason: "export", nowMs });
      return `set the export aside: ${aside}; \`conclaude import ${
        quoteWord(aside)
      }\` takes it back`;
    },
  );
}

function beginsAsExport(path: string): boolean {
  try {
    using file = Deno.openSync(path);
    const begin = new Uint8Array(EXPORT_BEGIN.length);
    file.readSync(begin);
    return new TextDecoder().decode(begin) === EXPORT_BEGIN;
  } catch {
    return false;
  }
}
