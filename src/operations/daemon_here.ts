import { parentOf } from "../base/paths.ts";
import { isLocked } from "../db/process_lock.ts";
import type { CliContext } from "./context.ts";
import type { Place } from "./open_store.ts";
import { type DaemonFiles, daemonFiles } from "../system/daemon_files.ts";
import { realPath } from "../system/real_paths.ts";

export const START_DAEMON = "conclaude daemon start";

export function daemonFilesOf(
  { locations }: Pick<CliContext, "locations">,
  { database }: Pick<Place, "database">,
): DaemonFiles {
  return daemonFiles(realPath(database), parentOf(locations.spoolFolders.at(-1)!));
}

export function isDaemonHere(
  context: Pick<CliContext, "locations">,
  place: Pick<Place, "database">,
): boolean {
  return isLocked(daemonFilesOf(context, place).lock);
}
