/** Queries the search index. */
import type { DatabaseSync } from "node:sqlite";
import { patternFor, WORD } from "../../base/letters.ts";
import type { ObservationKind } from "../observe/observation.ts";
import { fileMatch } from "../../db/file_match.ts";
import type { Rankable, RankableNeighbour } from "./rank.ts";
import { filterOf, statement } from "../../db/statement.ts";

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

export interface IndexHit extends Rankable {
  /** The score of the index: more than 0, and higher is better. */
  readonly textScore: number;
  readonly title: string;
}

/** The columns of an {@linkcode IndexHit} except its score; `o` is the table of observations. */
export const HIT_COLUMNS =
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
  const row = statement(
    db,
    `SELECT count(*) AS n
       FROM (SELECT rowid FROM memory_index WHERE memory_index MATCH ? LIMIT ?)`,
  ).get(match, limit);
  return Number(row!["n"]);
}

/** Counts the observations with a word up to a limit, and estimates a larger number. */
export function reckonMatches(
  db: DatabaseSync,
  match: string,
  { limit, observations }: { readonly limit: number; readonly observations: number },
): number {
  const last = statement(
    db,
    "SELECT rowid AS id FROM memory_index WHERE memory_index MATCH ? LIMIT 1 OFFSET ?",
  ).get(match, limit - 1);
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
  const rows = statement(
    db,
    `SELECT rowid AS id
       FROM memory_index
      WHERE memory_index MATCH ?
        AND +rowid IN (SELECT value FROM json_each(?))`,
  ).all(match, JSON.stringify(ids));
  return new Set(rows.map((row) => Number(row["id"])));
}

/**
 * The observations that match best. @param match An expression of FTS5. @param options `among`: another expression that
 * must match as well and does not affect the rank.
 */
export function searchIndex(
  db: DatabaseSync,
  match: string,
  { filter, limit, among }: {
    readonly filter: MemoryFilter;
    readonly limit: number;
    readonly among: string | null;
  },
): IndexHit[] {
  const { sql, values } = conditionsOf(filter);
  const join = sql === "" ? "WHERE" : `JOIN observations AS o ON o.id = f.rowid ${sql} AND`;
  // With the `+`, SQLite first makes a set of the rows that match `among`; without it, it looks up each by itself.
  const isAmong = among === null ? "" : `AND +f.rowid IN (
          SELECT rowid FROM memory_index WHERE memory_index MATCH ?)`;
  const found = `SELECT f.rowid AS id, bm25(memory_index, ${WEIGHTS}) AS score
         FROM memory_index AS f
        ${join} memory_index MATCH ? ${isAmong}
        ORDER BY score
        LIMIT ?`;
  const rows = statement(
    db,
    `SELECT ${HIT_COLUMNS}, -best.score AS textScore
       FROM (${found}) AS best
       JOIN observations AS o ON o.id = best.id
      ORDER BY best.score, o.id DESC`,
  ).all(...values, match, ...among === null ? [] : [among], limit);
  return rows as unknown as IndexHit[];
}

/** Searches by any word, ordered by `bm25()` without weights. `memory eval` compares our ranking with it. */
export function plainSearch(
  db: DatabaseSync,
  text: string,
  { filter, limit }: { readonly filter: MemoryFilter; readonly limit: number },
): number[] {
  const words = text.match(patternFor(WORD, text)) ?? [];
  if (words.length === 0) return [];
  const { sql, values } = conditionsOf(filter);
  const match = [...new Set(words)].map((word) => `"${word}"`).join(" OR ");
  const join = sql === "" ? "WHERE" : `JOIN observations AS o ON o.id = f.rowid ${sql} AND`;
  return statement(
    db,
    `SELECT f.rowid AS id
       FROM memory_index AS f
      ${join} memory_index MATCH ?
      ORDER BY bm25(memory_index)
      LIMIT ?`,
  ).all(...values, match, limit).map((row) => Number(row["id"]));
}

/** Returns the newest observations that match, for words too common to rank by. */
export function newestMatches(
  db: DatabaseSync,
  match: string,
  { filter, limit }: { readonly filter: MemoryFilter; readonly limit: number },
): IndexHit[] {
  const { sql, values } = conditionsOf(filter);
  const condition = sql === "" ? "WHERE" : `${sql} AND`;
  return statement(
    db,
    `SELECT ${HIT_COLUMNS}, 1.0 AS textScore
       FROM memory_index AS f
       JOIN observations AS o ON o.id = f.rowid
      ${condition} memory_index MATCH ?
      ORDER BY f.rowid DESC
      LIMIT ?`,
  ).all(...values, match, limit) as unknown as IndexHit[];
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

type NeighbourRow = IndexHit & {
  readonly neighbourOf: number;
  readonly isBehind: 0 | 1;
};

/**
 * The observations at most `reach` before and after the given ones in their sessions. Only the same project counts, as
 * all notes without a session have the same session id.
 */
export function neighboursOf(
  db: DatabaseSync,
  ids: readonly number[],
  reach: number,
): RankableNeighbour<IndexHit>[] {
  // One statement for all is faster than one for each.
  const rows = statement(
    db,
    `SELECT ${HIT_COLUMNS}, 0.0 AS textScore, h.id AS neighbourOf,
            (o.created_at_ms, o.id) > (h.created_at_ms, h.id) AS isBehind
       FROM json_each(?1) AS asked
       JOIN observations AS h ON h.id = asked.value
       JOIN observations AS o
         ON o.id IN (${nextOnSide(">", "ASC")} UNION ALL ${nextOnSide("<", "DESC")})
      ORDER BY asked.key, o.created_at_ms, o.id`,
  ).all(JSON.stringify(ids), reach) as unknown as NeighbourRow[];
  const found: RankableNeighbour<IndexHit>[] = [];
  for (let at = 0; at < rows.length;) {
    const { neighbourOf } = rows[at]!;
    // The rows of one observation follow: first those before it, then those after it.
    let self = at;
    while (rows[self]?.neighbourOf === neighbourOf && rows[self]!.isBehind === 0) self++;
    for (; rows[at]?.neighbourOf === neighbourOf; at++) {
      const distance = at < self ? at - self : at - self + 1;
      found.push({ of: neighbourOf, distance, hit: rows[at]! });
    }
  }
  return found;
}

/** Turns a filter into SQL conditions on the table of observations `o`, with their values. */
export function conditionsOf(filter: MemoryFilter) {
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
      file && file.value,
    ],
  ]);
}

/** How many of the newest observations are read first. Most time spans that last until now lie within them. */
const LAST_LOOKED_AT = 2_000;

/**
 * The newest observations of a time span, for a question without words. If they are too few, an index with the times is
 * read, 0.1 µs an observation; the rows themselves would take ten times as long.
 */
export function newestObservations(
  db: DatabaseSync,
  { filter, fromMs, untilMs, limit }: {
    readonly filter: MemoryFilter;
    readonly fromMs: number;
    readonly untilMs: number;
    readonly limit: number;
  },
): IndexHit[] {
  const { sql, values } = conditionsOf({ ...filter, sinceMs: fromMs, untilMs });
  const last = statement(
    db,
    `SELECT ${HIT_COLUMNS}, 1.0 AS textScore
       FROM (SELECT id FROM observations ORDER BY id DESC LIMIT ${LAST_LOOKED_AT}) AS newest
       JOIN observations AS o ON o.id = newest.id
      ${sql}
      ORDER BY o.created_at_ms DESC, o.id DESC
      LIMIT ?`,
  ).all(...values, limit);
  if (last.length >= limit) return last as unknown as IndexHit[];
  const rows = statement(
    db,
    `SELECT ${HIT_COLUMNS}, 1.0 AS textScore
       FROM (SELECT id
               FROM observations INDEXED BY observations_by_session
              WHERE created_at_ms >= ? AND created_at_ms < ?
              ORDER BY created_at_ms DESC, id DESC
              -- Without a limit SQLite drops the order of a joined query.
              LIMIT -1) AS within
       CROSS JOIN observations AS o ON o.id = within.id
      ${sql}
      LIMIT ?`,
  ).all(fromMs, untilMs, ...values, limit);
  return rows as unknown as IndexHit[];
}
