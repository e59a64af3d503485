import { joinPath, parentOf } from "../../paths.ts";
import { quoteWord } from "../../settings/hooks.ts";
import { identifyDatabase } from "../../store/identity.ts";
import type { DatabasePlace } from "./place.ts";
import { nearestFolder, whyUnwritable } from "./writable.ts";

const NAMES = ["conclaude.db", "conclaude-2.db", "conclaude-3.db"];

/** What may lie where a hook is to write. */
const USABLE: ReadonlySet<string> = new Set(["missing", "empty", "older", "ours"]);

/** What lets another database count: the command where a place is known, else what the person has to choose. */
export function useAnotherDatabase(place: Pick<DatabasePlace, "locations" | "database">): string {
  const isFlag = place.locations.databaseFrom === "flag";
  return anotherDatabase(place) ??
    `${
      isFlag ? "Use `--db FILE`" : "Set CONCLAUDE_DB_PATH"
    } to name a file in a folder that this user can write to`;
}

/** The command for one of ours, or a new one, in a folder that can be written; null when we know of no such folder. */
export function anotherDatabase(
  { locations, database }: Pick<DatabasePlace, "locations" | "database">,
): string | null {
  const folders = [locations.dataFolder, ...locations.spoolFolders.map(parentOf)];
  const folder = folders.find((path) => whyUnwritable(nearestFolder(path)) === null);
  if (folder === undefined) return null;
  const paths = NAMES.map((name) => joinPath(folder, name)).filter((path) => path !== database);
  const path = paths.find((path) => USABLE.has(identifyDatabase(path).kind)) ?? paths.at(-1)!;
  // A flag outranks the environment.
  return locations.databaseFrom === "flag"
    ? `conclaude --db ${quoteWord(path)} doctor`
    : `export CONCLAUDE_DB_PATH=${quoteWord(path)}`;
}
