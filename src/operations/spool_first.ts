import type { DatabaseSync } from "node:sqlite";
import { drainSpool, spooledFiles } from "../upkeep/transfer/drain_spool.ts";
import type { CliContext } from "./context.ts";
import { isThere } from "../upkeep/care/whole_file.ts";

/** Takes in what waits in the spool. @returns How many records the database could not take. */
export function takeInSpool(
  db: DatabaseSync,
  database: string,
  { locations }: Pick<CliContext, "locations">,
): number {
  const target = { database, folders: locations.spoolFolders };
  if (!isThere(database)) return 0;
  try {
    return drainSpool(db, target).left;
  } catch {
    return spooledFiles(target).length;
  }
}
