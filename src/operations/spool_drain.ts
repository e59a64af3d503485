/** Moves waiting records from the spool into the database, with the writers of all rooms. */
import type { DatabaseSync } from "node:sqlite";
import {
  type DrainReport,
  type DrainTarget,
  type RecordWriters,
  saveSpooled,
  spooledFiles,
} from "../db/spool.ts";
import { applyChanges } from "../policy/store.ts";
import { isMissing } from "../system/on_disk.ts";
import { withoutForgotten } from "../upkeep/store.ts";
import { applySessionChanges } from "../work/store.ts";

const WRITERS: RecordWriters = {
  changes: applyChanges,
  told: applySessionChanges,
  withoutForgotten,
};

/** Moves waiting records into the database. @throws {Error} What SQLite says when it cannot write. */
export function drainSpool(db: DatabaseSync, target: DrainTarget): DrainReport {
  return saveSpooled(db, target, WRITERS);
}

/**
 * Takes in what waits in the spool, before a verb reads the database.
 *
 * @returns How many records the database could not take; 0 where there is no database yet.
 */
export function takeInSpool(db: DatabaseSync, target: DrainTarget): number {
  if (isMissing(target.database)) return 0;
  try {
    return drainSpool(db, target).left;
  } catch {
    return spooledFiles(target).length;
  }
}
