/**
 * Puts observations of an export in. Each is known by its `uid`, and keeps its number where that is free; else it gets a
 * new number, and what refers to it follows. Two temporary tables hold the numbers of what has come, and the references
 * to what is still to come: an import may be long.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { statement } from "./statement.ts";

type Columns = Readonly<Record<string, SQLInputValue>>;

/** To be called once, before the first row. */
export function prepareObservations(db: DatabaseSync): void {
  db.exec(
    `DROP TABLE IF EXISTS temp.came_as;
     DROP TABLE IF EXISTS temp.to_resolve;
     DROP TABLE IF EXISTS temp.known_events;
     CREATE TEMP TABLE came_as (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
     CREATE TEMP TABLE to_resolve (target INTEGER NOT NULL, id INTEGER NOT NULL);
     CREATE INDEX temp.to_resolve_by_target ON to_resolve (target);`,
  );
}

/** Puts a new observation in. */
export function insertObservation(db: DatabaseSync, columns: Columns): void {
  const id = insertNew(db, columns);
  noteNumbers(db, columns, id);
  writeFiles(db, columns, id);
}

/** Replaces the observation with this number here, but for that number and its uid. */
export function replaceObservation(db: DatabaseSync, columns: Columns, id: number): void {
  const row = asHere(db, { ...columns, resolved_by: null });
  const names = Object.keys(row).filter((name) => name !== "uid");
  statement(
    db,
    `UPDATE observations
        SET ${[...names, "resolved_by"].map((name) => `${name} = ?`).join(", ")}
      WHERE id = ?`,
  ).run(...names.map((name) => row[name]!), null, id);
  noteNumbers(db, columns, id);
  statement(db, "DELETE FROM observation_files WHERE observation_id = ?").run(id);
  writeFiles(db, columns, id);
}

function insertNew(db: DatabaseSync, columns: Columns): number {
  const { id = null } = columns;
  const row = {
    id: typeof id === "number" && !isTaken(db, id) ? id : null,
    ...asHere(db, columns),
  };
  const names = Object.keys(row);
  const { lastInsertRowid } = statement(
    db,
    `INSERT INTO observations (${names.join(", ")})
     VALUES (${names.map(() => "?").join(", ")})`,
  ).run(...Object.values(row));
  return Number(lastInsertRowid);
}

/** The columns of its own table, with the numbers of this database; what mended it is told later. */
function asHere(db: DatabaseSync, columns: Columns): Columns {
  const { id: _id, observed_files: _files, resolved_by: _resolvedBy, facts, ...others } = columns;
  return facts === undefined ? others : { ...others, facts: factsHere(db, String(facts)) };
}

/** Notes which number an observation has here, for those that refer to it, and what mended it. */
export function noteNumbers(
  db: DatabaseSync,
  { id: old, resolved_by: target }: Columns,
  id: number,
): void {
  if (typeof old === "number") {
    statement(db, "INSERT OR IGNORE INTO temp.came_as (old, new) VALUES (?, ?)").run(old, id);
    resolve(db, old, id);
  }
  if (typeof target === "number") askToResolve(db, { id, target });
}

function writeFiles(db: DatabaseSync, { observed_files = "[]" }: Columns, id: number): void {
  const insert = statement(
    db,
    `INSERT OR IGNORE INTO observation_files (path, observation_id, digest)
     VALUES (?, ?, ?)`,
  );
  for (const { path, digest = null } of JSON.parse(String(observed_files))) {
    insert.run(String(path), id, digest);
  }
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
