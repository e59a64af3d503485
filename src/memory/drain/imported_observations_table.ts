/**
 * Writes observations from an export. An observation is identified by its `uid`, and keeps its number when that number
 * is free. Otherwise it gets a new number, and rows that refer to the old number are changed to the new one.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { statement } from "../../db/statement.ts";

type Columns = Readonly<Record<string, SQLInputValue>>;

/** Maps the numbers that observations had in the export to their numbers in this database. */
type Numbers = ReadonlyMap<unknown, number>;

/**
 * Writes an observation, with its files. {@linkcode resolveImported} writes `resolved_by` later.
 * @param here The older version that is replaced. @returns The observation's number in this database.
 */
export function writeImported(
  db: DatabaseSync,
  { id: old, observed_files: files = "[]", facts, ...columns }: Columns,
  { here, numbers }: { readonly here: Columns | undefined; readonly numbers: Numbers },
): number {
  const isFree = here === undefined && typeof old === "number" &&
    statement(db, "SELECT 1 FROM observations WHERE id = ?").get(old) === undefined;
  const row: Columns = {
    ...columns,
    id: isFree ? old : null,
    ...facts === undefined ? {} : { facts: factsHere(String(facts), numbers) },
    ...here === undefined ? {} : { uid: here["uid"]! },
    resolved_by: null,
  };
  const names = Object.keys(row);
  const settings = names.filter((name) => name !== "id").map((name) =>
    `${name} = excluded.${name}`
  );
  const written = statement(
    db,
    `INSERT INTO observations (${names.join(", ")})
     VALUES (${names.map(() => "?").join(", ")})
     ${here === undefined ? "" : `ON CONFLICT (uid) DO UPDATE SET ${settings.join(", ")}`}
     RETURNING id`,
  ).get(...Object.values(row));
  const id = Number(written!["id"]);
  if (here !== undefined) {
    statement(db, "DELETE FROM observation_files WHERE observation_id = ?").run(id);
  }
  if (files === "[]") return id;
  statement(db)`
    INSERT OR IGNORE INTO observation_files (path, observation_id, digest)
    SELECT value ->> 'path', ?2, value ->> 'digest'
      FROM json_each(?1)`.run(files, id);
  return id;
}

/** Translates the numbers in a fix's facts. They name the failure and the changes, which were all written before. */
function factsHere(text: string, numbers: Numbers): string {
  const facts = JSON.parse(text);
  const { mended, by } = facts;
  if (mended === undefined && by === undefined) return text;
  return JSON.stringify({
    ...facts,
    mended: numbers.get(mended),
    ...Array.isArray(by) ? { by: by.flatMap((id) => numbers.get(id) ?? []) } : {},
  });
}

/** Notes which fix closed each failure, 0 for a missing one. @param fixes From a failure's id here to its fix's old id. */
export function resolveImported(
  db: DatabaseSync,
  fixes: ReadonlyMap<number, number>,
  numbers: Numbers,
): void {
  const sql =
    "UPDATE observations SET resolved_by = ? WHERE id = ? AND coalesce(resolved_by, 0) = 0";
  for (const [id, fix] of fixes) statement(db, sql).run(numbers.get(fix) ?? 0, id);
}
