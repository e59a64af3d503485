import type { DatabaseSync } from "node:sqlite";
import { openDependencies } from "../work/store.ts";
import type { Task } from "../work/task.ts";
import type { CliContext } from "./context.ts";
import { isDaemonHere, START_DAEMON } from "./daemon_here.ts";
import type { Place } from "./open_store.ts";
import { shortTaskId } from "./task_view.ts";

/** Describes when a task will start, and who starts it: `handed to the scheduler, and waits for …`. */
export function handedOverText(
  context: Pick<CliContext, "locations">,
  { db, place }: { readonly db: DatabaseSync; readonly place: Pick<Place, "database"> },
  task: Pick<Task, "id">,
): string {
  const waitingFor = openDependencies(db, task.id).map(shortTaskId);
  const when = waitingFor.length === 0 ? "" : `, and waits for ${waitingFor.join(", ")}`;
  const who = isDaemonHere(context, place)
    ? "The daemon takes it when there is room."
    : `No daemon runs here: ${START_DAEMON}`;
  return `handed to the scheduler${when}. ${who}`;
}
