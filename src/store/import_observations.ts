/**
 * Observations of an export. They are known by their `uid`; their numbers, by which they refer to each other, are kept
 * where they are free. Where another observation has the number already the one that comes gets a new one, and what
 * refers to it follows. Numbers of what has come, and references to what is still to come, are in temporary tables: an
 * import may be long.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { statement } from "./statement.ts";

type Columns = Readonly<Record<string, SQLInputValue>>;

/** To be called once, before the first row. */
export function prepareObservations(db: DatabaseSync): void {
  db.exec(
    `DROP TABLE IF EXISTS temp.came_as;
     DROP TABLE IF EXISTS temp.to_resolve;
     CREATE TEMP TABLE came_as (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
     CREATE TEMP TABLE to_resolve (target INTEGER NOT NULL, id INTEGER NOT NULL);
     CREATE INDEX temp.to_resolve_by_target ON to_resolve (target);`,
  );
}

/** Puts an observation in, with its files, its number and those that it refers to as they are here. */
export function insertObservation(db: DatabaseSync, columns: Columns): "new" | "known" {
  const { id: told = null, observed_files = "[]", resolved_by: resolvedBy = null } = columns;
  const old = typeof told === "number" ? told : null;
  const known = findKnown(db, columns);
  const id = known ?? insertNew(db, columns, old);
  if (old !== null) {
    statement(db, "INSERT OR IGNORE INTO temp.came_as (old, new) VALUES (?, ?)").run(old, id);
    resolve(db, old, id);
  }
  if (typeof resolvedBy === "number") askToResolve(db, { id, target: resolvedBy });
  if (known !== undefined) return "known";
  for (const file of JSON.parse(String(observed_files))) {
    statement(
      db,
      `INSERT OR IGNORE INTO observation_files (path, observation_id, digest)
       VALUES (?, ?, ?)`,
    ).run(String(file.path), id, file.digest ?? null);
  }
  return "new";
}

/** The same by its uid, or what counts its repeats in its session. */
function findKnown(db: DatabaseSync, columns: Columns): number | undefined {
  const { uid = null, same_as: sameAs = null, session_id: sessionId = null } = columns;
  const row = statement(db, "SELECT id FROM observations WHERE uid = ?").get(uid) ??
    (sameAs === null ? undefined : statement(
      db,
      `SELECT id
         FROM observations
        WHERE same_as = ?
          AND session_id = ?`,
    ).get(sameAs, sessionId));
  return row === undefined ? undefined : Number(row["id"]);
}

function insertNew(db: DatabaseSync, columns: Columns, old: number | null): number {
  const { id: _id, observed_files: _files, resolved_by: _resolvedBy, facts, ...others } = columns;
  const isFree = old !== null && !isTaken(db, old);
  const row: Columns = {
    id: isFree ? old : null,
    ...others,
    ...(facts === undefined ? {} : { facts: factsHere(db, String(facts)) }),
  };
  const names = Object.keys(row);
  const { lastInsertRowid } = statement(
    db,
    `INSERT INTO observations (${names.join(", ")})
     VALUES (${names.map(() => "?").join(", ")})`,
  ).run(...Object.values(row));
  return Number(lastInsertRowid);
}

/** What mended a failure comes behind it: it is named when it has come, so that no number of another one is. */
function askToResolve(
  db: DatabaseSync,
  { id, target }: { readonly id: number; readonly target: number },
): void {
  const row = statement(db, "SELECT new FROM temp.came_as WHERE old = ?").get(target);
  if (row === undefined) {
    statement(db, "INSERT INTO temp.to_resolve (target, id) VALUES (?, ?)").run(target, id);
  } else setResolvedBy(db, id, Number(row["new"]));
}

function resolve(db: DatabaseSync, old: number, id: number): void {
  const waiting = statement(db, "SELECT id FROM temp.to_resolve WHERE target = ?").all(old);
  if (waiting.length === 0) return;
  for (const row of waiting) setResolvedBy(db, Number(row["id"]), id);
  statement(db, "DELETE FROM temp.to_resolve WHERE target = ?").run(old);
}

/** An import that was broken off may have left it open; what is said here already stays. */
function setResolvedBy(db: DatabaseSync, id: number, by: number): void {
  statement(
    db,
    `UPDATE observations
        SET resolved_by = ?2
      WHERE id = ?1
        AND resolved_by IS NULL`,
  ).run(id, by);
}

/**
 * References to what did not come are kept where their number is nobody's, and stays so; where it is somebody's, what was
 * mended stays mended, by none. To be called once, at the end.
 */
export function endObservations(db: DatabaseSync): void {
  const waiting = db.prepare("SELECT target, id FROM temp.to_resolve").all();
  for (const { target, id } of waiting) {
    setResolvedBy(db, Number(id), Number(takenOver(db, Number(target)) ?? 0));
  }
  db.exec("DROP TABLE temp.came_as; DROP TABLE temp.to_resolve");
}

/** A number of an observation as it is here; null when it is of none that came and another one has it. */
export function takenOver(db: DatabaseSync, old: SQLInputValue): SQLInputValue {
  if (typeof old !== "number") return old;
  const row = statement(db, "SELECT new FROM temp.came_as WHERE old = ?").get(old);
  if (row !== undefined) return Number(row["new"]);
  if (isTaken(db, old)) return null;
  reserveNumber(db, old);
  return old;
}

/** What a fix mended, and what was done for it, came before it. */
function factsHere(db: DatabaseSync, text: string): string {
  const facts = JSON.parse(text);
  if (typeof facts !== "object" || facts === null) return text;
  const { mended, by } = facts;
  if (mended === undefined && by === undefined) return text;
  const numbers: unknown[] = Array.isArray(by) ? by : [];
  return JSON.stringify({
    ...facts,
    ...(typeof mended === "number" ? { mended: takenOver(db, mended) ?? undefined } : {}),
    ...(Array.isArray(by)
      ? { by: numbers.map((id) => takenOver(db, Number(id))).filter((id) => id !== null) }
      : {}),
  });
}

function isTaken(db: DatabaseSync, id: number): boolean {
  return statement(db, "SELECT 1 FROM observations WHERE id = ?").get(id) !== undefined;
}

/** A number that something refers to is never given to another observation. */
export function reserveNumber(db: DatabaseSync, id: number): void {
  const { changes } = statement(
    db,
    `UPDATE sqlite_sequence
        SET seq = max(seq, ?)
      WHERE name = 'observations'`,
  ).run(id);
  if (changes > 0) return;
  statement(db, "INSERT INTO sqlite_sequence (name, seq) VALUES ('observations', ?)").run(id);
}
