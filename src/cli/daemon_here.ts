import { hasDaemon } from "../daemon/client.ts";
import { parentOf } from "../paths.ts";
import type { CliContext } from "./context.ts";
import { nextHere } from "./next_command.ts";
import type { Place } from "./store.ts";

/** What a person does when there is something for a daemon to do and none runs. */
export function startDaemon({ globals }: Pick<CliContext, "globals">): string {
  return nextHere("conclaude daemon start", globals);
}

/** Whether a daemon works on the database; what is written down for it is done at once then. */
export function isDaemonHere(
  { locations }: Pick<CliContext, "locations">,
  { database }: Pick<Place, "database">,
): boolean {
  return hasDaemon(database, parentOf(locations.spoolFolders.at(-1)!));
}
