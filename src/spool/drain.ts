import type { DatabaseSync } from "node:sqlite";
import { joinPath, parentOf } from "../paths.ts";
import { fileNamesIn } from "../project/on_disk.ts";
import { isPrivateFolder, readFile, removeQuietly, renameQuietly } from "../project/write_file.ts";
import { type Appliers, type HookRecord, saveRecords } from "../store/captures.ts";
import { withoutForgotten } from "../store/forgotten_names.ts";
import { applyChanges } from "../store/requirements.ts";
import { applySessionChanges } from "../store/session_agents.ts";
import { SPOOL_FORMAT, type SpooledRecord, spoolSuffix, suffixesOf } from "./spool.ts";

/** Records that go into the database in one transaction. */
const BATCH_RECORDS = 50;

/** The ending of files that hold no record. */
const DAMAGED_SUFFIX = ".damaged";

const APPLIERS: Appliers = { changes: applyChanges, told: applySessionChanges };

export interface DrainReport {
  readonly saved: number;
  /** Records that were in the database already: an earlier drain was stopped before its clean-up. */
  readonly known: number;
  /** Files that were set aside, since they hold no record that can be saved. */
  readonly damaged: readonly string[];
  /** Files that still wait, because the time was over. */
  readonly left: number;
}

export interface DrainTarget {
  readonly database: string;
  readonly folders: readonly string[];
  /** When to stop, in milliseconds since the process started (`performance.now()`). */
  readonly untilMs?: number;
}

/**
 * The spool files that wait for one database, oldest first, over all folders.
 *
 * @returns Empty when there is no folder; files of a folder that another user made are not trusted and not listed, and
 * what is no file (a link, a pipe) is not: a record is always one.
 */
export function spooledFiles(target: Pick<DrainTarget, "database" | "folders">): string[] {
  const found: { readonly name: string; readonly path: string }[] = [];
  for (const folder of target.folders) {
    try {
      if (!isPrivateFolder(parentOf(folder)) || !isPrivateFolder(folder)) continue;
      const names = fileNamesIn(folder);
      const suffixes = suffixesOf(target.database, { folder, names });
      for (const name of names) {
        const isMeant = suffixes.some((suffix) => name.endsWith(suffix));
        if (isMeant) found.push({ name, path: joinPath(folder, name) });
      }
    } catch {
      // No such folder: nothing waits there.
    }
  }
  return found.sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0).map(({ path }) =>
    path
  );
}

/**
 * Moves waiting records into the database, oldest first, each exactly once: a record is removed from the spool only
 * after its commit, and the database ignores an id that it has.
 *
 * @throws {Error} What SQLite says when the database cannot take them; they stay in the spool.
 */
export function drainSpool(db: DatabaseSync, target: DrainTarget): DrainReport {
  const files = spooledFiles(target);
  const damaged: string[] = [];
  let saved = 0;
  let known = 0;
  let done = 0;
  while (done < files.length && performance.now() < (target.untilMs ?? Infinity)) {
    const batch: { readonly path: string; readonly record: HookRecord }[] = [];
    for (const path of files.slice(done, done + BATCH_RECORDS)) {
      const record = readSpooled(path);
      // A newer program will take its own records in.
      if (record === "gone" || record === "newer") continue;
      if (record === "damaged") damaged.push(setAside(path));
      else batch.push({ path, record });
    }
    done += BATCH_RECORDS;
    const fresh = saveBatch(db, batch, damaged);
    saved += fresh.saved;
    known += fresh.known;
  }
  return { saved, known, damaged, left: Math.max(0, files.length - done) };
}

function saveBatch(
  db: DatabaseSync,
  batch: readonly { readonly path: string; readonly record: HookRecord }[],
  damaged: string[],
): { readonly saved: number; readonly known: number } {
  try {
    const records = batch.map(({ record }) => record);
    // What was forgotten while its record waited stays away.
    const saved = saveRecords(db, () => withoutForgotten(db, records), APPLIERS);
    for (const { path } of batch) removeQuietly(path);
    return { saved, known: batch.length - saved };
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown;
    if (batch.length === 1) {
      damaged.push(setAside(batch[0]!.path));
      return { saved: 0, known: 0 };
    }
    // One record of the batch does not fit the tables: taking them one at a time finds it.
    const each = batch.map((entry) => saveBatch(db, [entry], damaged));
    return {
      saved: each.reduce((sum, { saved }) => sum + saved, 0),
      known: each.reduce((sum, { known }) => sum + known, 0),
    };
  }
}

/** True when the record is to blame (a constraint, a type), false when the database is (locked, full, damaged). */
function isRefusal(thrown: unknown): boolean {
  return thrown instanceof TypeError ||
    /constraint|datatype mismatch|cannot store/i.test(String(thrown));
}

function readSpooled(path: string): HookRecord | "gone" | "newer" | "damaged" {
  try {
    const file = readFile(path);
    if (file === null) return "gone";
    const entry = JSON.parse(new TextDecoder().decode(file.bytes)) as SpooledRecord;
    if (entry.format > SPOOL_FORMAT) return "newer";
    return entry.format >= 1 && path.endsWith(spoolSuffix(entry.database)) &&
        typeof entry.record.id === "string"
      ? entry.record
      : "damaged";
  } catch {
    return "damaged";
  }
}

function setAside(path: string): string {
  const aside = path + DAMAGED_SUFFIX;
  renameQuietly(path, aside);
  return aside;
}
