/** Moves records from the spool into the database, with the writers of all rooms. */
import type { DatabaseSync } from "node:sqlite";
import { type DrainTarget, type RecordWriters, saveSpooled, spooledFiles } from "../db/spool.ts";
import { applyChanges } from "../policy/store.ts";
import { isMissing } from "../system/on_disk.ts";
import { withoutForgotten } from "../upkeep/store.ts";
import { applySessionChanges } from "../work/store.ts";

const WRITERS: RecordWriters = {
  changes: applyChanges,
  told: applySessionChanges,
  withoutForgotten,
};

/** Moves the waiting records into the database. @throws {Error} SQLite's error if it cannot write. */
export function drainSpool(db: DatabaseSync, target: DrainTarget) {
  return saveSpooled(db, target, WRITERS);
}

/** Tries to move the waiting records into the database before a verb reads it. @returns How many still wait. */
export function takeInSpool(db: DatabaseSync, target: DrainTarget): number {
  if (isMissing(target.database)) return 0;
  try {
    return drainSpool(db, target).left;
  } catch {
    return spooledFiles(target).length;
  }
}
