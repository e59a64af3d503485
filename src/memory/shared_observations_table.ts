/** Reads and writes observations as a team's machines exchange them: with uids in place of row numbers. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { among, statement } from "../db/statement.ts";
import { writeImported } from "./drain/imported_observations_table.ts";
import { indexedTerms } from "./search/terms.ts";

/** An observation as JSON, without fields that only this machine can use. */
export type SharedObservation = Readonly<Record<string, SQLInputValue>>;

/** Kinds of observations that others can use. The triggers of the outbox name the same kinds. */
export const SHARED_KINDS = ["note", "decision", "fix", "failure", "commit", "summary", "prompt"];

const OWN =
  "uid, session_id, branch, kind, outcome, title, text, files, repeats, created_at_ms, updated_at_ms";
const COLUMNS = OWN.split(", ");

/** The most rows that are read at once, since all of them would take much memory. */
const LISTED_AT_ONCE = 1_000;

/** Lists the observations of a project that can be shared, oldest first. */
export function* listSharedObservations(
  db: DatabaseSync,
  project: string,
): Generator<{ readonly kind: string; readonly uid: string }> {
  for (let after = 0, rows; rows === undefined || rows.length === LISTED_AT_ONCE;) {
    rows = statement(db)`
      SELECT id, kind, uid
        FROM observations
       WHERE project = ?1
         AND kind IN (SELECT value FROM json_each(?2))
         AND id > ?3
       ORDER BY id
       LIMIT ${LISTED_AT_ONCE}`.all(project, JSON.stringify(SHARED_KINDS), after);
    for (const { kind, uid } of rows) yield { kind: String(kind), uid: String(uid) };
    after = Number(rows.at(-1)?.["id"]);
  }
}

/** Reads an observation by its uid; null when it is not in this database. */
export function readSharedObservation(db: DatabaseSync, uid: string): SharedObservation | null {
  const row = statement(db)`
    SELECT ${OWN}, facts,
           iif(resolved_by IS NULL, NULL,
               coalesce((SELECT uid FROM observations WHERE id = o.resolved_by), '')) AS resolved_by,
           (SELECT json_group_array(json_object('path', path, 'digest', digest) ORDER BY path)
              FROM observation_files
             WHERE observation_id = o.id) AS observed_files
      FROM observations AS o
     WHERE uid = ?`.get(uid);
  if (row === undefined) return null;
  const facts = JSON.parse(String(row["facts"]));
  const { mended, by } = facts;
  const uids = uidsAndIds(db, "id", namedIn(facts));
  const uidOf = new Map(uids.map(({ uid, id }) => [id, uid]));
  const named = {
    ...facts,
    ...mended !== undefined && { mended: uidOf.get(mended) ?? null },
    ...Array.isArray(by) && { by: by.flatMap((id) => uidOf.get(id) ?? []) },
  };
  return { ...row, facts: JSON.stringify(named) } as SharedObservation;
}

/** Writes an observation of another machine, or a newer version of it, in the caller's transaction. */
export function takeSharedObservation(
  db: DatabaseSync,
  { project, author }: { readonly project: string; readonly author: string | null },
  { resolved_by: fix, observed_files, facts, ...shared }: SharedObservation,
): void {
  const find = "SELECT uid, author FROM observations WHERE uid = ?";
  const here = statement(db, find).get(shared["uid"]!) as SharedObservation | undefined;
  const own = Object.fromEntries(COLUMNS.map((name) => [name, shared[name] ?? null]));
  const paths: readonly unknown[] = JSON.parse(String(own["files"] ?? "[]"));
  const terms = indexedTerms([own["title"], own["text"], ...paths].join("\n"), project);
  const uids = uidsAndIds(db, "uid", namedIn(JSON.parse(String(facts))));
  const numbers = new Map(uids.map(({ uid, id }) => [uid, id]));
  // The author of an observation stays the same when somebody else mends it.
  const authorHere = here === undefined ? author : here["author"] ?? null;
  const texts = { terms, facts: facts!, observed_files: observed_files! };
  const row = { ...own, project, author: authorHere, ...texts, id: null };
  const id = writeImported(db, row, { here, numbers });
  if (fix === null || fix === undefined) return;
  statement(db)`
    UPDATE observations
       SET resolved_by = coalesce((SELECT id FROM observations WHERE uid = ?), 0)
     WHERE id = ?`.run(fix, id);
}

/** Returns the observations that facts name, by numbers or by uids. */
function namedIn({ mended, by }: Readonly<Record<string, unknown>>): unknown[] {
  return [...mended === undefined ? [] : [mended], ...Array.isArray(by) ? by : []];
}

/** Returns the uids and numbers of the observations with some numbers or uids. */
function uidsAndIds(db: DatabaseSync, column: "id" | "uid", values: readonly unknown[]) {
  const sql = `SELECT uid, id FROM observations WHERE ${among(column)}`;
  const rows = values.length === 0 ? [] : statement(db, sql).all(JSON.stringify(values));
  return rows as unknown as readonly { readonly uid: string; readonly id: number }[];
}
