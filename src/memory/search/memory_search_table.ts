/** Queries the search index. */
import type { DatabaseSync } from "node:sqlite";
import { patternFor, WORD } from "../../base/letters.ts";
import { MAX_TIME_MS } from "../../base/time.ts";
import type { ObservationKind } from "../observe/observation.ts";
import { fileMatch } from "../../db/file_match.ts";
import { type Condition, filterOf, statement } from "../../db/statement.ts";

/** Filters observations. A null matches every observation. */
export interface MemoryFilter {
  /** The common git directory; the folder of a project without git. */
  readonly project: string | null;
  readonly sessionId: string | null;
  readonly branch: string | null;
  /** A whole path, or a part of one: `run.ts`; see {@linkcode fileMatch}. */
  readonly file: string | null;
  readonly kind: ObservationKind | null;
  /** A span in epoch milliseconds: `sinceMs` is included, `untilMs` is not. */
  readonly sinceMs: number | null;
  readonly untilMs: number | null;
}

export const EVERYTHING: MemoryFilter = {
  project: null,
  sessionId: null,
  branch: null,
  file: null,
  kind: null,
  sinceMs: null,
  untilMs: null,
};

export interface IndexHit {
  readonly id: number;
  readonly sessionId: string;
  readonly kind: ObservationKind;
  readonly title: string;
  /** The paths as JSON. */
  readonly files: string;
  readonly createdAtMs: number;
  /** The observation that replaced or mended this one; null for most. */
  readonly resolvedBy: number | null;
  /** The team member whose machine made the observation; null for this machine. */
  readonly author: string | null;
  /** The length of the text in bytes. */
  readonly length: number;
  /** How well the hit matches, more than 0: the score of the index, or the part of the question that it holds. */
  readonly textScore: number;
}

/** The columns of an {@linkcode IndexHit} except its score; `o` is the table of observations. */
const HIT_COLUMNS =
  `o.id, o.session_id AS sessionId, o.kind, o.title, o.files, o.created_at_ms AS createdAtMs,
            o.resolved_by AS resolvedBy, o.author, octet_length(o.text) AS length`;

/** The weights of the columns of the index: title, text, words of code. */
const WEIGHTS = "2.0, 1.0, 1.5";

/** Returns the number of the newest observation, which is about how many there are; 0 without observations. */
export function lastObservation(db: DatabaseSync): number {
  const row = statement(db, "SELECT max(id) AS id FROM observations").get();
  return Number(row!["id"] ?? 0);
}

/** Counts the observations with a word, up to a limit; ten take about 1 µs. */
export function countMatches(db: DatabaseSync, match: string, limit: number): number {
  const row = statement(db)`
    SELECT count(*) AS n
      FROM (SELECT rowid FROM memory_index WHERE memory_index MATCH ? LIMIT ?)`.get(match, limit);
  return Number(row!["n"]);
}

/** Counts the observations with a word up to a limit, and estimates a larger number. */
export function reckonMatches(
  db: DatabaseSync,
  match: string,
  { limit, observations }: { readonly limit: number; readonly observations: number },
): number {
  const last = statement(db)`
    SELECT rowid AS id FROM memory_index WHERE memory_index MATCH ? LIMIT 1 OFFSET ?
  `.get(match, limit - 1);
  if (last === undefined) return countMatches(db, match, limit);
  return Math.max(limit, Math.round(limit * observations / Number(last["id"])));
}

/** Returns which of these observations hold a word. SQLite reads all observations with the word, 0.1 µs each. */
export function withTerm(
  db: DatabaseSync,
  match: string,
  ids: readonly number[],
): ReadonlySet<number> {
  // Without the `+`, SQLite would look up each id by itself, which takes 50 µs.
  const rows = statement(db)`
    SELECT rowid AS id
      FROM memory_index
     WHERE memory_index MATCH ?
       AND +rowid IN (SELECT value FROM json_each(?))`.all(match, JSON.stringify(ids));
  return new Set(rows.map((row) => Number(row["id"])));
}

export type SearchLimits = Readonly<{ filter: MemoryFilter; limit: number }>;

/**
 * The observations that match best. @param match An expression of FTS5. @param options `among`: another expression that
 * must match as well and does not affect the rank.
 */
export function searchIndex(
  db: DatabaseSync,
  match: string,
  { filter, limit, among, weights = WEIGHTS }: SearchLimits & {
    readonly among: string | null;
    readonly weights?: string;
  },
): IndexHit[] {
  const { sql, values } = conditionsOf(filter, [
    ["memory_index MATCH ?", match],
    // With the `+`, SQLite first makes a set of the rows that match `among`; without it, it looks up each by itself.
    ["+f.rowid IN (SELECT rowid FROM memory_index WHERE memory_index MATCH ?)", among],
  ]);
  // SQLite leaves out the inner join when no condition needs it.
  return statement(db)`
    SELECT ${HIT_COLUMNS}, -best.score AS textScore
      FROM (SELECT f.rowid AS id, bm25(memory_index, ${weights}) AS score
              FROM memory_index AS f
              LEFT JOIN observations AS o ON o.id = f.rowid
             ${sql}
             ORDER BY score
             LIMIT ?) AS best
      JOIN observations AS o ON o.id = best.id
     ORDER BY best.score, o.id DESC`.all(...values, limit) as unknown as IndexHit[];
}

/** Searches by any word, ordered by `bm25()` without weights. `memory eval` compares our ranking with it. */
export function plainSearch(db: DatabaseSync, text: string, options: SearchLimits): number[] {
  const words = new Set(text.match(patternFor(WORD, text)));
  const match = Array.from(words, (word) => `"${word}"`).join(" OR ");
  const equal = { ...options, among: null, weights: "1.0, 1.0, 1.0" };
  const hits = words.size === 0 ? [] : searchIndex(db, match, equal);
  return hits.sort((one, other) => other.textScore - one.textScore || one.id - other.id)
    .map(({ id }) => id);
}

/** Returns the newest observations that match, for words too common to rank by. */
export function newestMatches(
  db: DatabaseSync,
  match: string,
  { filter, limit }: SearchLimits,
): IndexHit[] {
  const { sql, values } = conditionsOf(filter, [["memory_index MATCH ?", match]]);
  return statement(db)`
    SELECT ${HIT_COLUMNS}, 1.0 AS textScore
      FROM memory_index AS f
      JOIN observations AS o ON o.id = f.rowid
     ${sql}
     ORDER BY f.rowid DESC
     LIMIT ?`.all(...values, limit) as unknown as IndexHit[];
}

/** SQL: the observations before or after an observation `h` in its session. */
function nextOnSide(compared: "<" | ">", order: "ASC" | "DESC"): string {
  return `SELECT id
            FROM (SELECT n.id
                    FROM observations AS n
                   WHERE n.session_id = h.session_id
                     AND (n.created_at_ms, n.id) ${compared} (h.created_at_ms, h.id)
                     AND n.kind <> 'summary'
                     AND n.project IS h.project
                   ORDER BY n.created_at_ms ${order}, n.id ${order}
                   LIMIT ?2)`;
}

export interface Neighbour extends IndexHit {
  /** The observation whose neighbour this one is. */
  readonly of: number;
  /** The distance: 1 for the next observation, −1 for the one before. */
  readonly distance: number;
}

/**
 * The observations at most `reach` before and after the given ones in their sessions. Only the same project counts, as
 * all notes without a session have the same session id.
 */
export function neighboursOf(
  db: DatabaseSync,
  ids: readonly number[],
  reach: number,
): Neighbour[] {
  // One statement for all is faster than one for each.
  return statement(db)`
    SELECT ${HIT_COLUMNS}, 0.0 AS textScore, h.id AS of,
           iif((o.created_at_ms, o.id) > (h.created_at_ms, h.id),
               rank() OVER (side ORDER BY o.created_at_ms, o.id),
               -rank() OVER (side ORDER BY o.created_at_ms DESC, o.id DESC)) AS distance
      FROM json_each(?1) AS asked
      JOIN observations AS h ON h.id = asked.value
      JOIN observations AS o
        ON o.id IN (${nextOnSide(">", "ASC")} UNION ALL ${nextOnSide("<", "DESC")})
    WINDOW side AS (PARTITION BY h.id, (o.created_at_ms, o.id) > (h.created_at_ms, h.id))
  `.all(JSON.stringify(ids), reach) as unknown as Neighbour[];
}

/** Turns a filter on the table of observations `o`, with further conditions, into SQL and its values. */
export function conditionsOf(filter: MemoryFilter, further: readonly Condition[] = []) {
  const file = filter.file === null ? null : fileMatch(filter.file);
  return filterOf([
    ["o.project = ?", filter.project],
    ["o.session_id = ?", filter.sessionId],
    ["o.branch = ?", filter.branch],
    ["o.kind = ?", filter.kind],
    ["o.created_at_ms >= ?", filter.sinceMs],
    ["o.created_at_ms < ?", filter.untilMs],
    [
      `EXISTS (
         SELECT 1
           FROM observation_files AS t
          WHERE t.observation_id = o.id
            AND ${file?.sql})`,
      file?.value,
    ],
    ...further,
  ]);
}

/** SQL: the newest observations, in which most time spans that last until now lie. */
const NEWEST = "(SELECT id, created_at_ms FROM observations ORDER BY id DESC LIMIT 2000)";
/** SQL: the times of all observations from an index, 0.1 µs each; the rows would take ten times as long. */
const ALL = "observations INDEXED BY observations_by_session";

/** The newest observations, for a question without words. If the newest of all are too few, all others are read. */
export function newestObservations(
  db: DatabaseSync,
  { filter, limit }: SearchLimits,
): IndexHit[] {
  const { sql, values } = conditionsOf(filter);
  const foundIn = (observations: string) =>
    statement(db)`
      SELECT ${HIT_COLUMNS}, 1.0 AS textScore
        FROM (SELECT id
                FROM ${observations}
               WHERE created_at_ms BETWEEN ? AND ?
               ORDER BY created_at_ms DESC, id DESC
               -- Without a limit SQLite drops the order of a joined query.
               LIMIT -1) AS within
        CROSS JOIN observations AS o ON o.id = within.id
       ${sql}
       LIMIT ?`.all(
      filter.sinceMs ?? 0,
      filter.untilMs ?? MAX_TIME_MS,
      ...values,
      limit,
    ) as unknown as IndexHit[];
  const found = foundIn(NEWEST);
  return found.length >= limit ? found : foundIn(ALL);
}
