/** Edits of a branch, and those that were put back. */
import type { DatabaseSync } from "node:sqlite";
import { keptJson } from "../memory/kept_json.ts";
import { FACTS } from "./facts_column.ts";
import { KINDS_OF_BRANCH } from "./memory_context.ts";
import { statement } from "./statement.ts";
import type { EditedTests } from "../memory/observe/skipping_edits.ts";
import type { Here } from "./undone_work.ts";

/** An edit with its files. */
export interface EditedFiles {
  readonly files: readonly string[];
  /** When it was seen last, epoch milliseconds. */
  readonly atMs: number;
  /** Digest of the file as it was before; null where nobody knows. */
  readonly before: string | null;
}

/** So many edits that are, or may be, put back are told, the newest. */
const MAX_EDITS = 50;

/** The columns of {@linkcode EditedFiles}. */
const EDIT_COLUMNS = `files, updated_at_ms AS atMs, ${FACTS} ->> '$.before' AS before`;

function editOf({ files, atMs, before }: Readonly<Record<string, unknown>>): EditedFiles {
  return {
    files: keptJson<string[]>(files, []),
    atMs: Number(atMs),
    before: before === null ? null : String(before),
  };
}

/** An edit of a file that a later one has put back as it was before. */
export interface EditPutBack {
  readonly id: number;
  readonly atMs: number;
  /** Digest of the file as the edit left it; null where nobody knows. */
  readonly digest: string | null;
}

/** The edits of a file on a branch before which it was as it is now; the newest first. */
export function editsPutBack(
  db: DatabaseSync,
  { project, branch, untilMs, path, digest }: Here & {
    readonly path: string;
    /** Of the file as it is now. */
    readonly digest: string;
  },
): EditPutBack[] {
  return statement(
    db,
    `SELECT o.id, o.updated_at_ms AS atMs, file.digest
       FROM observations AS o
       JOIN observation_files AS file ON file.path = ? AND file.observation_id = o.id
      WHERE o.kind = 'edit'
        AND ${FACTS} ->> '$.before' = ?
        AND o.project IS ?
        AND o.branch IS ?
        AND o.created_at_ms < ?
      ORDER BY o.updated_at_ms DESC, o.id DESC
      LIMIT ${MAX_EDITS}`,
  ).all(path, digest, project, branch, untilMs) as unknown as EditPutBack[];
}

/** Some observations, if all of them are there and are edits; null where not. */
export function editsIn(db: DatabaseSync, ids: readonly number[]): EditedFiles[] | null {
  const edits = statement(
    db,
    `SELECT ${EDIT_COLUMNS}
       FROM observations
      WHERE id IN (SELECT value FROM json_each(?))
        AND kind = 'edit'
      ORDER BY updated_at_ms, id`,
  ).all(JSON.stringify(ids)).map(editOf);
  return edits.length === ids.length && edits.length > 0 ? edits : null;
}

/** An edit that nothing has put back. */
export interface StandingEdit extends EditedFiles {
  readonly id: number;
  readonly sessionId: string;
  /** Whether it is known that the file was there before. */
  readonly hadFile: boolean;
}

/** The newest edits of a branch that nothing has put back. */
export function standingEdits(
  db: DatabaseSync,
  { project, branch, untilMs }: Here,
): StandingEdit[] {
  return statement(
    db,
    `SELECT id, session_id AS sessionId, ${FACTS} ->> '$.removed' AS removed, ${EDIT_COLUMNS}
       FROM observations
      WHERE project IS ?
        AND branch IS ?
        AND ${KINDS_OF_BRANCH}
        AND kind = 'edit'
        AND resolved_by IS NULL
        AND created_at_ms <= ?
      ORDER BY created_at_ms DESC
      LIMIT ${MAX_EDITS}`,
  ).all(project, branch, untilMs).map((row) => ({
    ...editOf(row),
    id: Number(row["id"]),
    sessionId: String(row["sessionId"]),
    hadFile: row["before"] !== null || Number(row["removed"]) > 0,
  }));
}

/** Whether an observation has put back edits of its session. */
export function hasPutBack(
  db: DatabaseSync,
  { id, sessionId }: { readonly id: number; readonly sessionId: string },
): boolean {
  return statement(
    db,
    `SELECT 1
       FROM observations
      WHERE session_id = ?
        AND kind = 'edit'
        AND resolved_by = ?
      LIMIT 1`,
  ).get(sessionId, id) !== undefined;
}

/** The edits of files of tests on a branch, of which it is known what these pass over since a moment; oldest first. */
export function editedTests(
  db: DatabaseSync,
  { project, branch, fromMs, untilMs }: Here & { readonly fromMs: number },
): EditedTests[] {
  return statement(
    db,
    `SELECT files, ${FACTS} -> '$.skips' AS skips
       FROM observations
      WHERE project IS ?
        AND branch IS ?
        AND ${KINDS_OF_BRANCH}
        AND kind = 'edit'
        AND resolved_by IS NULL
        AND created_at_ms BETWEEN ? AND ?
        AND instr(facts, '"skips":')
      ORDER BY updated_at_ms, id`,
  ).all(project, branch, fromMs, untilMs).map(({ files, skips }) => ({
    path: keptJson<string[]>(files, [])[0] ?? "",
    skips: keptJson<string[]>(skips, []),
  }));
}
