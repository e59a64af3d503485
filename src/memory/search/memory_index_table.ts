/** Checks and rebuilds the search index, which can always be made again from the observations. */
import { count } from "../../base/counts.ts";
import type { DatabaseSync } from "node:sqlite";
import { isDatabaseBusy, messageOf } from "../../base/errors.ts";
import { hasLog } from "../../db/database.ts";
import { transaction } from "../../db/transaction.ts";
import { openToLook } from "../../db/database_identity.ts";
import { statement, writeMeta } from "../../db/statement.ts";
import { connect } from "../../db/connect.ts";
import memory from "../../../migrations/0016_memory.sql" with { type: "text" };
import indexedTogether from "../../../migrations/0020_indexed_together.sql" with { type: "text" };

/** The version of FTS5's layout for an index with `secure-delete`. */
const FORMAT = 5;

/** How long a check waits for another process, in milliseconds. */
const CHECK_BUSY_MS = 1000;

/** Returns the faults of the index, compared with all observations. Writers wait: about a second for 20,000. */
export function checkIndex(db: DatabaseSync): string[] {
  try {
    db.exec("INSERT INTO memory_index (memory_index, rank) VALUES ('integrity-check', 1)");
    return indexFaults(db);
  } catch (thrown) {
    if (isDatabaseBusy(thrown)) throw thrown;
    return [messageOf(thrown)];
  }
}

/** Returns the faults that show without comparing the words of the index with the observations. */
export function indexFaults(db: DatabaseSync): string[] {
  try {
    const gone = missingOf(db, INDEX_DEFINITIONS.keys());
    if (gone.length > 0) return [`${gone.join(", ")} ${gone.length === 1 ? "is" : "are"} missing`];
    const rows = db.prepare("PRAGMA integrity_check(memory_index)").all();
    const faults = rows.map((row) => String(Object.values(row)[0])).filter((text) => text !== "ok");
    const { missing, extra, lost } = statement(db)`
      SELECT (SELECT count(*) FROM observations WHERE id NOT IN (SELECT id FROM memory_index_docsize)) AS missing,
             (SELECT count(*) FROM memory_index_docsize WHERE id NOT IN (SELECT id FROM observations)) AS extra,
             ${HAS_LOST_PAGES} AS lost`.get() as unknown as Readonly<
      Record<"missing" | "extra" | "lost", number>
    >;
    return [
      ...faults,
      ...lost === 1 ? [LOST] : [],
      ...missing > 0 ? [`${count(missing, "observation is", "observations are")} not in it`] : [],
      ...extra > 0
        ? [`${extra} of its entries ${extra === 1 ? "belongs" : "belong"} to no observation`]
        : [],
    ];
  } catch (thrown) {
    if (isDatabaseBusy(thrown)) throw thrown;
    return [messageOf(thrown)];
  }
}

const LOST = "its pages cannot be found";

/** Returns which tables and triggers are missing in a database. */
function missingOf(db: DatabaseSync, names: Iterable<string>): string[] {
  const rows = statement(db)`
    SELECT name FROM sqlite_schema WHERE type IN ('table', 'trigger')`.all();
  return [...new Set(names).difference(new Set(rows.map(({ name }) => String(name))))];
}

/** SQL: whether the list of pages is lost. SQLite then finds nothing, and reports no fault. */
const HAS_LOST_PAGES = `EXISTS (SELECT 1 FROM memory_index_docsize)
              AND EXISTS (SELECT 1 FROM memory_index_data WHERE id > 10)
              AND NOT EXISTS (SELECT 1 FROM memory_index_idx)`;

/** Checks the index for faults that SQLite does not report. A search calls this when it does not find a word. */
export function requireWholeIndex(db: DatabaseSync): void {
  const { lacks, lost } = statement(db)`
    SELECT coalesce((SELECT max(id) FROM observations) > (SELECT coalesce(max(id), 0) FROM memory_index_docsize), 0) AS lacks,
           ${HAS_LOST_PAGES} AS lost`.get() as unknown as {
    readonly lacks: number;
    readonly lost: number;
  };
  if (lacks === 1) throw new IndexDamage("the newest observations are not in it");
  if (lost === 1) throw new IndexDamage(LOST);
}

/** Returns all faults of the index of a database file. @param options `maxRows`: with more, words are not compared. */
export function indexFaultsAt(path: string, { maxRows = Infinity } = {}): string[] {
  // While this reader is open, closing the writer does not move the log into the database.
  using look = openToLook(path);
  const seen = indexFaults(look);
  if (seen.length > 0 || countIndexed(look) > maxRows) return seen;
  if (!hasLog(path)) {
    look.exec("PRAGMA query_only = OFF");
    return withoutWriting(look);
  }
  using writer = connect(path, { timeout: CHECK_BUSY_MS });
  return withoutWriting(writer);
}

export function countIndexed(db: DatabaseSync): number {
  return Number(db.prepare("SELECT count(*) AS n FROM memory_index_docsize").get()?.["n"]);
}

/** Checks the index. Faults that come only from a read-only file do not count. */
function withoutWriting(db: DatabaseSync): string[] {
  return checkIndex(db).filter((fault) => !/readonly/i.test(fault));
}

/** Makes the tables and triggers of the index anew, and fills it from the observations. */
export function rebuildIndex(db: DatabaseSync): void {
  // SQLite protects the inner tables of an index. Without that, an index without its configuration can be repaired.
  setDefensive(db, false);
  try {
    transaction(db, () => remakeTables(db));
  } finally {
    setDefensive(db, true);
  }
}

function remakeTables(db: DatabaseSync): void {
  if (missingOf(db, ["memory_index"]).length === 0) {
    db.exec("CREATE TABLE IF NOT EXISTS memory_index_config (k PRIMARY KEY, v) WITHOUT ROWID");
    db.exec(`INSERT OR REPLACE INTO memory_index_config VALUES ('version', ${FORMAT})`);
    db.exec("DROP TABLE memory_index");
  }
  for (const name of INNER_TABLES) db.exec(`DROP TABLE IF EXISTS ${name}`);
  for (const name of INDEX_DEFINITIONS.keys()) {
    if (name !== "memory_index") db.exec(`DROP TRIGGER IF EXISTS ${name}`);
  }
  for (const sql of INDEX_DEFINITIONS.values()) db.exec(sql);
  db.exec("INSERT INTO memory_index (memory_index, rank) VALUES ('secure-delete', 1)");
  db.exec("INSERT INTO memory_index (memory_index) VALUES ('rebuild')");
}

function setDefensive(db: DatabaseSync, active: boolean): void {
  const set: unknown = Reflect.get(db, "enableDefensive");
  if (typeof set === "function") set.call(db, active);
}

/** Returns the message about a rebuild. @param why What is wrong with the index. */
export function rebuildText(why: string): string {
  return `The search index is damaged (${why}): making it anew of the observations, none of which is lost.`;
}

/** Runs `work`; when the index turns out to be damaged, rebuilds it and runs `work` once more. */
export function withIndex<Result>(
  db: DatabaseSync,
  work: () => Result,
  onRebuild: (why: string) => void = () => {},
): Result {
  try {
    return work();
  } catch (thrown) {
    if (db.isTransaction || !isIndexDamageOf(db, thrown)) throw thrown;
    onRebuild(messageOf(thrown));
    rebuildIndex(db);
    return work();
  }
}

/** Queries the index. @throws {Error} When it cannot be used at all, or one of its tables is missing. */
export function requireIndex(db: DatabaseSync): void {
  const [gone] = missingOf(db, TABLES);
  if (gone !== undefined) throw new IndexDamage(`no such table: ${gone}`);
  db.prepare("SELECT 1 FROM memory_index WHERE memory_index MATCH 'a' LIMIT 1").get();
}

/** Rebuilds the index if it cannot be used at all. Called before work that writes observations in many transactions. */
export function ensureIndex(db: DatabaseSync): void {
  withIndex(db, () => requireIndex(db));
}

/** The SQL of the index and its triggers after all migrations, by name. */
export const INDEX_DEFINITIONS: ReadonlyMap<string, string> = new Map(
  Array.from(
    `${memory}\n${indexedTogether}`.matchAll(
      /^CREATE (?:VIRTUAL TABLE|TRIGGER) (\w+)[^]*?^(?:\)|END);$/gm,
    ),
    ([sql, name]) => [name!, sql],
  ),
);

/**
 * Runs `work` in one write transaction, and indexes its new observations at the end; until then `work` does not find them
 * in the index. Rolls back and rethrows when it throws.
 */
export function indexTogether<Result>(db: DatabaseSync, work: () => Result): Result {
  return transaction(db, () => {
    const { until } = statement(db, "SELECT coalesce(max(id), 0) AS until FROM observations")
      .get() as { readonly until: number };
    writeMeta(db, "indexed_until", String(until));
    const result = work();
    statement(db, "DELETE FROM meta WHERE key = 'indexed_until'").run();
    statement(db)`
      INSERT INTO memory_index (rowid, title, text, terms)
      SELECT id, title, text, terms
        FROM observations
       WHERE id > ?
       ORDER BY id`.run(until);
    return result;
  });
}

/** SQLite's codes for a damaged database, and for a virtual table whose inner tables contradict each other. */
const CORRUPT = 11;
const CORRUPT_VTAB = 267;

/** The inner tables of the index, and all of its tables. */
const INNER_TABLES = ["data", "idx", "docsize", "config"].map((name) => `memory_index_${name}`);
const TABLES = ["memory_index", ...INNER_TABLES];

/** A fault of the index that SQLite does not notice. */
class IndexDamage extends Error {
  override readonly name = "IndexDamage";
}

/** Tells whether an error of a search or a change means that the index is damaged, and not the database. */
export function isIndexDamage(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown instanceof IndexDamage) return true;
  const code: unknown = Reflect.get(thrown, "errcode");
  return code === CORRUPT_VTAB ||
    /fts5: (?:corrupt|missing row)|fts5: error creating|invalid fts5 file format|vtable constructor failed: memory_index|no such table: (?:main\.)?memory_index/i
      .test(thrown.message) ||
    (code === undefined && /disk image is malformed/i.test(thrown.message));
}

/** {@linkcode isIndexDamage} with the database: SQLite reports a missing inner table as a damaged database. */
export function isIndexDamageOf(db: DatabaseSync, thrown: unknown): boolean {
  if (isIndexDamage(thrown)) return true;
  if (!(thrown instanceof Error) || Reflect.get(thrown, "errcode") !== CORRUPT) return false;
  try {
    return missingOf(db, TABLES).length > 0;
  } catch {
    return false;
  }
}
