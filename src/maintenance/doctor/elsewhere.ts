import { joinPath, parentOf } from "../../paths.ts";
import { quoteWord } from "../../settings/hooks.ts";
import { identifyDatabase } from "../../store/identity.ts";
import type { DoctorPlace } from "./place.ts";
import { nearestFolder, whyUnwritable } from "./writable.ts";

const NAMES = ["conclaude.db", "conclaude-2.db", "conclaude-3.db"];

/** What may lie where a hook is to write. */
const USABLE: ReadonlySet<string> = new Set(["missing", "empty", "older", "ours"]);

/** The command that lets another database count: one of ours, or a new one, in a folder that can be written. */
export function useAnotherDatabase({ locations, database }: DoctorPlace): string {
  const folders = [locations.dataFolder, ...locations.spoolFolders.map(parentOf)];
  const folder = folders.find((path) => whyUnwritable(nearestFolder(path)) === null) ??
    locations.dataFolder;
  const paths = NAMES.map((name) => joinPath(folder, name)).filter((path) => path !== database);
  const path = paths.find((path) => USABLE.has(identifyDatabase(path).kind)) ?? paths.at(-1)!;
  // A flag outranks the environment.
  return locations.databaseFrom === "flag"
    ? `conclaude --db ${quoteWord(path)} doctor`
    : `export CONCLAUDE_DB_PATH=${quoteWord(path)}`;
}
