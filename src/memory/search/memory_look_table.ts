/** Reads observations for people: one with its neighbours in time, the history of a file, counts. */
import type { DatabaseSync } from "node:sqlite";
import {
  keptJson,
  NO_SESSION,
  type ObservationKind,
  type ObservedFile,
} from "../observe/observation.ts";
import { isAbsolutePath } from "../../base/paths.ts";
import { among, statement } from "../../db/statement.ts";
import { conditionsOf, EVERYTHING } from "./memory_search_table.ts";
import { pathsWithPart } from "./known_names_table.ts";
import { IS_PRUNED } from "../../db/payloads.ts";
import {
  type Observation,
  OBSERVATION_COLUMNS,
  observationOf,
} from "../drain/observations_table.ts";

/** Matches a text that can only be a number. A uid begins with more digits, or with a 0. */
const ONLY_NUMBER = /^(?:#\d+|0|[1-9]\d{0,6})$/;

/**
 * The observations that a text names: the one with this number (`12`, `#12`), else those whose `uid` begins with the text.
 * A short number never means a `uid`.
 */
export function findObservations(db: DatabaseSync, text: string, limit: number): Observation[] {
  const [, number = ""] = /^#?(\d{1,15})$/.exec(text) ?? [];
  const select = `SELECT ${OBSERVATION_COLUMNS} FROM observations AS o`;
  const byNumber = db.prepare(`${select} WHERE o.id = ?`).all(number);
  if (byNumber.length > 0 || text === "" || ONLY_NUMBER.test(text)) {
    return byNumber.map(observationOf);
  }
  return statement(db)`
    ${select}
     WHERE o.uid >= ?1
       AND o.uid < ?1 || char(0x10ffff)
     ORDER BY o.uid
     LIMIT ?2`.all(text, limit).map(observationOf);
}

export function filesOfObservation(db: DatabaseSync, id: number): ObservedFile[] {
  return statement(db)`
    SELECT path, digest
      FROM observation_files
     WHERE observation_id = ?
     ORDER BY path`.all(id) as unknown as ObservedFile[];
}

type SourceCapture = Readonly<{ id: string; isPruned: boolean }>;

/** Returns the captures of an observation that are still stored, oldest first. */
export function capturesOfObservation(
  db: DatabaseSync,
  { id, sessionId }: Pick<Observation, "id" | "sessionId">,
): SourceCapture[] {
  return statement(db)`
    SELECT id, ${IS_PRUNED} AS isPruned
      FROM pending_queue
     WHERE session_id = ?
       AND observation_id = ?
     ORDER BY created_at_ms, id`.all(sessionId, id).map((row) => ({
    id: String(row["id"]),
    isPruned: row["isPruned"] === 1,
  }));
}

/** Returns the captures of these observations, or of all, by observation, each one's oldest first. */
export function capturesByObservation(
  db: DatabaseSync,
  observations?: Iterable<number>,
): ReadonlyMap<number, readonly string[]> {
  const isAsked = observations === undefined
    ? "IS NOT NULL"
    : "IN (SELECT value FROM json_each(?1))";
  const rows = db.prepare(
    `SELECT observation_id AS observation, json_group_array(id ORDER BY created_at_ms, id) AS captures
       FROM pending_queue
      WHERE observation_id ${isAsked}
      GROUP BY observation_id`,
  ).iterate(...(observations === undefined ? [] : [JSON.stringify([...observations])]));
  return new Map(
    rows.map((row) => [Number(row["observation"]), JSON.parse(String(row["captures"]))]),
  );
}

/** Returns at most `limit` observations around one in its session and project, itself included, oldest first. */
export function timelineAround(
  db: DatabaseSync,
  { id, sessionId, project, createdAtMs }: Pick<
    Observation,
    "id" | "sessionId" | "project" | "createdAtMs"
  >,
  limit: number,
): Observation[] {
  const mostBefore = Math.floor((limit - 1) / 2);
  const side = (compared: "<" | ">=", order: "ASC" | "DESC", rows: number) =>
    statement(db)`
      SELECT ${OBSERVATION_COLUMNS}
        FROM observations AS o
       WHERE o.session_id = ?
         AND (o.created_at_ms, o.id) ${compared} (?, ?)
         AND o.project IS ?
       ORDER BY o.created_at_ms ${order}, o.id ${order}
       LIMIT ?`.all(sessionId, createdAtMs, id, project, rows);
  const before = side("<", "DESC", mostBefore).reverse();
  const after = side(">=", "ASC", limit - mostBefore);
  return [...before, ...after].map(observationOf);
}

/** Returns the observations of a file or a folder's files, newest first. @param names Paths or parts of paths. */
export function timelineOfFile(
  db: DatabaseSync,
  names: readonly string[],
  { project, kinds, limit }: {
    readonly project: string | null;
    readonly kinds?: readonly ObservationKind[];
    readonly limit: number;
  },
): Observation[] {
  const found = names.flatMap((name) => {
    // The paths that match a part of a path are few, and have an index.
    const paths = isAbsolutePath(name) ? null : pathsWithPart(db, name);
    const filter = { ...EVERYTHING, project, file: paths === null ? name : null };
    const { sql, values } = conditionsOf(filter, [
      [among("o.kind"), kinds],
      [`o.id IN (SELECT observation_id FROM observation_files WHERE ${among("path")})`, paths],
    ]);
    return statement(db)`
      SELECT ${OBSERVATION_COLUMNS}
        FROM observations AS o
       ${sql}
       ORDER BY o.created_at_ms DESC, o.id DESC
       LIMIT ?`.all(...values, limit).map(observationOf);
  });
  return [...new Map(found.map((one) => [one.id, one])).values()]
    .sort((a, b) => b.createdAtMs - a.createdAtMs || b.id - a.id)
    .slice(0, limit);
}

interface MemoryCounts {
  readonly observations: number;
  /** The number of sessions with an observation. Notes outside of sessions do not count. */
  readonly sessions: number;
  readonly projects: number;
  readonly repeats: number;
  readonly oldestAtMs: number | null;
  readonly newestAtMs: number | null;
  readonly byKind: readonly { readonly kind: string; readonly count: number }[];
  /** The numbers of captures that wait for a drain, and of those that were given up. */
  readonly waiting: number;
  readonly givenUp: number;
}

export function countMemory(db: DatabaseSync): MemoryCounts {
  const row = statement(db)`
    SELECT count(*) AS observations, count(DISTINCT session_id) FILTER (WHERE session_id <> ?) AS sessions,
           count(DISTINCT project) AS projects,
           coalesce(sum(repeats - 1), 0) AS repeats, min(created_at_ms) AS oldestAtMs,
           max(updated_at_ms) AS newestAtMs,
           (SELECT count(*) FROM pending_queue WHERE status IN ('raw', 'processing')) AS waiting,
           (SELECT count(*) FROM pending_queue WHERE status = 'error') AS givenUp
      FROM observations`.get(NO_SESSION);
  const byKind = statement(db)`
    SELECT kind, count(*) AS count
      FROM observations
     GROUP BY kind
     ORDER BY count DESC, kind`.all();
  return { ...row, byKind: byKind.map((kind) => ({ ...kind })) } as unknown as MemoryCounts;
}

/** Returns how many observations a project has, and the newest summary of a session; null before there is one. */
export function projectMemory(
  db: DatabaseSync,
  project: string,
): { readonly observations: number; readonly lastSummary: Observation | null } {
  const counts = db.prepare("SELECT count(*) AS observations FROM observations WHERE project = ?")
    .get(project)!;
  const [lastSummary = null] = statement(db)`
    SELECT ${OBSERVATION_COLUMNS}
      FROM observations AS o
     WHERE o.project = ?
       AND o.kind = 'summary'
     ORDER BY o.created_at_ms DESC, o.id DESC
     LIMIT 1`.all(project).map(observationOf);
  return { observations: Number(counts["observations"]), lastSummary };
}

/** A prompt, and the files that were edited before the next one. */
interface PromptWithEdits {
  readonly id: number;
  readonly sessionId: string;
  readonly project: string | null;
  readonly text: string;
  readonly atMs: number;
  readonly files: readonly string[];
}

/** Returns the newest prompts after which files were edited, newest first. */
export function editedAfterPrompts(db: DatabaseSync, limit: number): PromptWithEdits[] {
  const rows = statement(db)`
    SELECT p.id, p.session_id AS sessionId, p.project, p.text, p.created_at_ms AS atMs,
           (SELECT json_group_array(DISTINCT f.path)
              FROM observations AS e
              JOIN observation_files AS f ON f.observation_id = e.id
             WHERE e.session_id = p.session_id
               AND e.kind = 'edit'
               AND e.created_at_ms > p.created_at_ms
               AND e.created_at_ms < coalesce(
                 (SELECT min(n.created_at_ms)
                    FROM observations AS n
                   WHERE n.session_id = p.session_id
                     AND n.kind = 'prompt'
                     AND n.created_at_ms > p.created_at_ms), 9e15)) AS files
      FROM observations AS p
     WHERE p.kind = 'prompt'
     ORDER BY p.created_at_ms DESC
     LIMIT ?`.all(limit);
  return rows.map((row) => ({ ...row, files: keptJson<string[]>(row["files"], []) }))
    .filter(({ files }) => files.length > 0) as unknown as PromptWithEdits[];
}

/** Returns the numbers of earlier sessions' observations of the edited files, oldest first. */
export function knownOfFiles(db: DatabaseSync, prompt: PromptWithEdits): number[] {
  return statement(db)`
    SELECT DISTINCT o.id
      FROM observation_files AS f
      JOIN observations AS o ON o.id = f.observation_id
     WHERE f.path IN (SELECT value FROM json_each(?1))
       AND o.project IS ?2
       AND o.session_id <> ?3
       AND o.created_at_ms < ?4
       AND o.kind IN ('edit', 'fix', 'commit', 'decision', 'note')
     ORDER BY o.id`.all(JSON.stringify(prompt.files), prompt.project, prompt.sessionId, prompt.atMs)
    .map((row) => Number(row["id"]));
}
