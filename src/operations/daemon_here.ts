import { parentOf } from "../base/paths.ts";
import { isLocked } from "../db/process_lock.ts";
import type { CliContext } from "./context.ts";
import type { Place } from "./open_store.ts";
import { daemonFiles } from "../system/daemon_files.ts";
import { realPath } from "../system/real_paths.ts";

/** The next step if work waits for a daemon and none runs. */
export const START_DAEMON = "conclaude daemon start";

/** Tells whether a daemon serves the database. */
export function isDaemonHere(
  { locations }: Pick<CliContext, "locations">,
  { database }: Pick<Place, "database">,
): boolean {
  const privateFolder = parentOf(locations.spoolFolders.at(-1)!);
  return isLocked(daemonFiles(realPath(database), privateFolder).lock);
}
