/** Forgets in the copies that this program has made of its database: backups, and what was set aside. */
import type { DatabaseSync } from "node:sqlite";
import { isDatabaseBusy } from "../../base/errors.ts";
import { baseName, joinPath, parentOf } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { openDatabase } from "../../db/database.ts";
import type { ForgetFilter } from "../../memory/store.ts";
import { namedIn, takeReceipts } from "./forget_receipts_table.ts";
import { identifyDatabase, openToLook } from "../../db/database_identity.ts";
import { rewriteRows } from "../care/rewrite_rows_table.ts";
import { type ForgetPlace, isFile } from "./forget_files.ts";
import { DATABASE_FILES, removeDatabase } from "../care/database_files.ts";
import { namesIn } from "../care/whole_file.ts";
import { statSync, utimeSync } from "../../system/files.ts";

/** What becomes of the copies, by their paths. */
export interface ForgottenCopies {
  /** Copies in which the same is forgotten. */
  readonly madeAnew: readonly string[];
  /** Copies that are damaged or have another schema: they are removed, since the program cannot look into them. */
  readonly removed: readonly string[];
}

/** How the name of a copy beside the database goes on after the database's own name. */
const BESIDE =
  /^\.(?:(?:damaged|export|before-reset|before-restore|restored|mending|schema)-[\w:.-]+|[\da-f-]{36}\.tmp)$/;
const COMPANION = /-(?:wal|shm|journal)$/;

/** The copies that this program has made of a database: its backups, and what lies beside it under its name. */
function ownCopies({ database, dataFolder }: ForgetPlace): string[] {
  const [folder, base] = [parentOf(database), baseName(database)];
  const beside = namesIn(folder)
    .filter((name) => name.startsWith(base) && BESIDE.test(name.slice(base.length)))
    .map((name) => joinPath(folder, name));
  const backups = joinPath(dataFolder, "backups");
  const inBackups = namesIn(backups).filter((name) => /\.db(?:$|[.-])/.test(name))
    .map((name) => joinPath(backups, name));
  return [...inBackups, ...beside].filter((path) => !COMPANION.test(path) && isFile(path));
}

/** Says what would become of the copies; nothing is changed. */
export function previewCopies(place: ForgetPlace): ForgottenCopies {
  const { ours = [], other = [] } = Object.groupBy(
    ownCopies(place),
    (path) => identifyDatabase(path).kind === "ours" ? "ours" : "other",
  );
  return { madeAnew: ours, removed: other };
}

/** Tells whether a path is one of such copies, or of the files beside it. */
export function copyTest(place: ForgetPlace): (path: string) => boolean {
  const copies = new Set(ownCopies(place));
  return (path) => copies.has(path) || copies.has(path.replace(COMPANION, ""));
}

/**
 * Forgets in every copy what the receipt in the database says.
 *
 * @param forget Takes what is chosen out of an open copy.
 * @returns Also what could not be done, with the way out, as `left`.
 */
export async function forgetInCopies(
  place: ForgetPlace,
  { receiptId, filter }: { readonly receiptId: string; readonly filter: ForgetFilter },
  forget: (copy: DatabaseSync, filter: ForgetFilter) => void,
): Promise<ForgottenCopies & { readonly left: readonly string[] }> {
  const done = { madeAnew: [] as string[], removed: [] as string[], left: [] as string[] };
  for (const path of ownCopies(place)) {
    try {
      if (identifyDatabase(path).kind !== "ours") throw new Error("nobody can tell what is in it");
      const { mtime } = statSync(path);
      using db = await openDatabase(path, place);
      using main = openToLook(place.database);
      takeReceipts(main, db);
      forget(db, filter.ids === null ? filter : { ...filter, ids: namedIn(db, receiptId) });
      main.close();
      db.close();
      if (!rewriteRows(path)) {
        done.left.push(heldCopy(path));
        continue;
      }
      // It keeps its date: it is still the backup of that day.
      if (mtime !== null) utimeSync(path, mtime, mtime);
      done.madeAnew.push(path);
    } catch (thrown) {
      if (isDatabaseBusy(thrown)) done.left.push(heldCopy(path));
      else {
        removeDatabase(path);
        done.removed.push(path);
      }
    }
  }
  return done;
}

function heldCopy(path: string): string {
  const files = DATABASE_FILES.map((ending) => quoteWord(path + ending)).join(" ");
  return `${path} may hold it, since another process is using it: \`rm -f ${files}\``;
}
