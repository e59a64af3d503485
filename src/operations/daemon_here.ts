import { parentOf } from "../base/paths.ts";
import { isLocked } from "../db/process_lock.ts";
import type { CliContext } from "./context.ts";
import type { Place } from "./open_store.ts";
import { daemonFiles } from "../system/daemon_files.ts";
import { realPath } from "../system/real_paths.ts";

/** What a person does when there is something for a daemon to do and none runs. */
export const START_DAEMON = "conclaude daemon start";

/** Whether a daemon serves the database. */
export function isDaemonHere(
  { locations }: Pick<CliContext, "locations">,
  { database }: Pick<Place, "database">,
): boolean {
  const privateFolder = parentOf(locations.spoolFolders.at(-1)!);
  return isLocked(daemonFiles(realPath(database), privateFolder).lock);
}
