import type { DatabaseSync } from "node:sqlite";
import type { Task } from "../work/task.ts";
import { parentOf } from "../base/paths.ts";
import { isLocked } from "../db/process_lock.ts";
import { openDependencies } from "../work/store.ts";
import type { CliContext } from "./context.ts";
import { nextHere } from "./next_command.ts";
import type { Place } from "./open_store.ts";
import { shortTaskId } from "./task_view.ts";
import { daemonFiles } from "../system/daemon_files.ts";
import { realPath } from "../system/real_paths.ts";

/** What a person does when there is something for a daemon to do and none runs. */
export function startDaemon({ globals }: Pick<CliContext, "globals">): string {
  return nextHere("conclaude daemon start", globals);
}

/** Whether a daemon serves the database. */
export function isDaemonHere(
  { locations }: Pick<CliContext, "locations">,
  { database }: Pick<Place, "database">,
): boolean {
  const privateFolder = parentOf(locations.spoolFolders.at(-1)!);
  return isLocked(daemonFiles(realPath(database), privateFolder).lock);
}

/** What becomes of a task that was handed over: `handed to the scheduler, and …`. */
export function handedOver(
  context: Pick<CliContext, "locations" | "globals">,
  { db, place }: { readonly db: DatabaseSync; readonly place: Pick<Place, "database"> },
  task: Pick<Task, "id">,
): string {
  const waitingFor = openDependencies(db, task.id).map(shortTaskId);
  const when = waitingFor.length === 0 ? "" : `, and waits for ${waitingFor.join(", ")}`;
  const who = isDaemonHere(context, place)
    ? "The daemon takes it when there is room."
    : `No daemon runs here: ${startDaemon(context)}`;
  return `handed to the scheduler${when}. ${who}`;
}
