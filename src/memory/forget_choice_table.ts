/** Chooses the observations and captures that are to be forgotten. */
import type { DatabaseSync } from "node:sqlite";
import { normalizeForgotten, type TextMatcher } from "./forget_text.ts";
import { FACTS, type Remade, type Remake } from "./drain/observations_table.ts";
import { capturesByObservation } from "./search/memory_look_table.ts";
import { namesOfList, UNDER_A_FILE, WHOLE_PATH } from "../db/file_match.ts";
import { filterOf } from "../db/statement.ts";
import { payloadText, type StoredPayload } from "../db/payloads.ts";

/** The rows to forget: every row that matches all filters. A null filter matches every row. */
export interface ForgetFilter {
  /** Observations by number, captures and tasks by id; only one list is filled. A task forgets what people wrote. */
  readonly ids: {
    readonly observations: readonly number[];
    readonly captures: readonly string[];
    readonly tasks: readonly string[];
  } | null;
  readonly sessionId: string | null;
  /** The common git directory; the folder of a project without git. */
  readonly project: string | null;
  /** All spellings of one path, absolute or relative to a project's folder. Files below the path match as well. */
  readonly files: readonly string[] | null;
  readonly text: TextMatcher | null;
  /** Both ends in epoch milliseconds, inclusive. */
  readonly sinceMs: number | null;
  readonly untilMs: number | null;
}

/** The chosen rows: observations by number, captures by id. */
export interface Chosen {
  readonly observations: readonly number[];
  readonly captures: readonly string[];
  /** Observations that stay and are made again from the captures that stay. */
  readonly remade: readonly Remade[];
  /** The fixes and summaries among the observations that match no filter and repeat what a matching row says. */
  readonly along: readonly number[];
  /** How many of the observations are imported summaries that repeat forgotten texts. */
  readonly importedSummaries: number;
}

/** Tells whether a text is the only filter, so that it is forgotten everywhere. */
export function isTextAlone({ text, ...others }: ForgetFilter): boolean {
  return text !== null && Object.values(others).every((value) => value === null);
}

/**
 * Adds SQL functions to this connection that search for a text: `holds(…)` in plain texts, `holds_json(…)` in JSON,
 * `holds_payload(encoding, payload, raw_bytes)` in captures; `without(column)` replaces the text by the mark. None of
 * the functions may throw: the runtime would hang.
 */
export function defineTextFunctions(db: DatabaseSync, text: TextMatcher): void {
  const options = { deterministic: true, varargs: true };
  const isInJson = (json: string) => orElse(() => text.isInJson(json), () => text.isIn(json));
  const some = (isIn: (value: string) => boolean) => (...values: readonly unknown[]) =>
    Number(values.some((value) => typeof value === "string" && isIn(value)));
  db.function("holds", options, some(text.isIn));
  db.function("holds_json", options, some(isInJson));
  db.function("holds_payload", options, (encoding, payload, rawBytes) => {
    const stored = { id: "", encoding, payload, rawBytes } as unknown as StoredPayload;
    // Nobody can read a damaged payload; `db check` reports it.
    return Number(isInJson(orElse(() => payloadText(stored), () => "")));
  });
  db.function(
    "without",
    options,
    (value) =>
      typeof value === "string"
        ? orElse(() => text.replaceInJson(value), () => text.replaceIn(value))
        : value as null,
  );
}

/** Searches as plain text when JSON cannot be parsed because it is nested too deeply. */
function orElse<Result>(first: () => Result, second: () => Result): Result {
  try {
    return first();
  } catch {
    return second();
  }
}

/**
 * Chooses the rows that match the filter, and the rows that depend on them: the captures of an observation, the
 * observation of a capture, the fixes that quote either, and the summaries of their sessions. An observation stays when
 * it can be made again from its other captures.
 *
 * @param remake Makes such an observation from its other captures.
 */
export function chooseForgotten(
  db: DatabaseSync,
  filter: ForgetFilter,
  remake: Remake = () => null,
): Chosen {
  if (filter.text !== null) defineTextFunctions(db, filter.text);
  const captures = new Set(matchingCaptures(db, filter));
  const observations = new Set([
    ...matchingObservations(db, filter),
    ...numbers(
      db,
      `SELECT id
         FROM observations
        WHERE id IN (SELECT observation_id FROM pending_queue WHERE id IN (SELECT value FROM json_each(?1)))
           OR uid IN (SELECT value FROM json_each(?1))`,
      captures,
    ),
  ]);
  const remade = remadeOf(db, { observations, captures }, { filter, remake });
  const changed = new Set(remade.map(({ id }) => id));
  // When a text is forgotten, a fix goes only if it holds the text.
  const quoted = filter.text === null ? observations : observations.difference(changed);
  const fixes = fixesAbout(db, quoted);
  for (const id of changed) observations.delete(id);
  const matching = new Set(observations);
  for (const id of fixes) observations.add(id);
  const made = db.prepare(
    `SELECT id
       FROM pending_queue
      WHERE observation_id IN (SELECT value FROM json_each(?))`,
  ).all(JSON.stringify([...observations]));
  for (const { id } of made) captures.add(String(id));
  const { own, imported } = summariesAbout(db, observations.union(changed));
  const quoting = imported.filter((id) => !observations.has(id));
  for (const id of [...own, ...quoting]) observations.add(id);
  return {
    observations: [...observations],
    captures: [...captures],
    remade,
    along: [...observations.difference(matching)],
    importedSummaries: quoting.length,
  };
}

/** Makes the observations again whose other captures suffice for it. */
function remadeOf(
  db: DatabaseSync,
  { observations, captures }: {
    readonly observations: ReadonlySet<number>;
    readonly captures: ReadonlySet<string>;
  },
  { filter: { ids, text }, remake }: { readonly filter: ForgetFilter; readonly remake: Remake },
): Remade[] {
  // A text and a capture's id choose single captures; other filters choose the whole observation.
  if (text === null && ids === null) return [];
  const named = new Set(ids?.observations);
  return [...capturesByObservation(db, observations)].flatMap(([id, made]) => {
    const stay = made.filter((capture) => !captures.has(capture));
    const again = named.has(id) || stay.length === 0 ? null : remake(id, { stay, go: captures });
    return again === null || text?.isInJson(JSON.stringify(again)) ? [] : [again];
  });
}

/** SQL condition: an observation `o` is about one of some files. Its parameter is a list of the files in JSON. */
export const IS_OF_FILES = `EXISTS (SELECT 1
                 FROM (SELECT t.path AS name FROM observation_files AS t WHERE t.observation_id = o.id
                        UNION ALL
                       SELECT ${WHOLE_PATH} FROM observation_files AS t WHERE t.observation_id = o.id) AS touched
                WHERE ${UNDER_A_FILE})`;

function matchingObservations(db: DatabaseSync, filter: ForgetFilter): number[] {
  const { ids, files, text } = filter;
  const { sql, values } = filterOf([
    ["o.id IN (SELECT value FROM json_each(?))", ids && JSON.stringify(ids.observations)],
    ["o.session_id = ?", filter.sessionId],
    ["o.project = ?", filter.project],
    ["o.updated_at_ms >= ?", filter.sinceMs],
    ["o.created_at_ms <= ?", filter.untilMs],
    [IS_OF_FILES, files && JSON.stringify(files)],
    [
      `(holds(o.title, o.text, o.terms, o.branch, o.project) = ? OR holds_json(o.files, o.facts))`,
      text && 1,
    ],
  ]);
  return db.prepare(`SELECT o.id FROM observations AS o ${sql} ORDER BY o.id`).all(...values)
    .map(({ id }) => Number(id));
}

function matchingCaptures(db: DatabaseSync, filter: ForgetFilter): string[] {
  const { ids, files, text } = filter;
  const touched = namesOfList("q.files_touched", "s.project_dir");
  const { sql, values } = filterOf([
    ["q.id IN (SELECT value FROM json_each(?))", ids && JSON.stringify(ids.captures)],
    ["q.session_id = ?", filter.sessionId],
    ["coalesce(s.repository, s.project_dir) = ?", filter.project],
    ["q.created_at_ms >= ?", filter.sinceMs],
    ["q.created_at_ms <= ?", filter.untilMs],
    [
      `EXISTS (SELECT 1 FROM (${touched}) AS touched WHERE ${UNDER_A_FILE})`,
      files && JSON.stringify(files),
    ],
    [
      `(holds(q.error_message, q.branch) = ?
            OR holds_json(q.files_touched)
            OR holds_payload(q.encoding, q.payload, q.raw_bytes))`,
      text && 1,
    ],
  ]);
  return db.prepare(
    `SELECT q.id
       FROM pending_queue AS q
       LEFT JOIN sessions AS s ON s.session_id = q.session_id
       ${sql}
      ORDER BY q.rowid`,
  ).all(...values).map(({ id }) => String(id));
}

/** Returns the fixes that quote one of these observations: their failure, or a change that mended it. */
function fixesAbout(db: DatabaseSync, observations: ReadonlySet<number>): number[] {
  return numbers(
    db,
    `WITH gone AS (SELECT value AS id FROM json_each(?1))
     SELECT id
       FROM observations
      WHERE kind = 'fix'
        AND (${FACTS} ->> '$.mended' IN gone
             OR EXISTS (SELECT 1 FROM json_each(${FACTS}, '$.by') AS part WHERE part.value IN gone))`,
    observations,
  );
}

/** The shortest title or text, in characters, that no summary holds by chance. */
const MIN_REPEATED_CHARS = 12;

/**
 * Returns the summaries of the sessions of some observations. All `own` ones are chosen, since they are written again.
 * `imported` ones are chosen only when they hold a title or text of these observations.
 */
function summariesAbout(db: DatabaseSync, observations: ReadonlySet<number>) {
  const ids = JSON.stringify([...observations]);
  const summaries = db.prepare(
    `SELECT id, session_id AS sessionId, title, text, uid = 'summary/' || session_id AS isOwn
       FROM observations
      WHERE kind = 'summary'
        AND session_id IN (SELECT session_id FROM observations WHERE id IN (SELECT value FROM json_each(?)))`,
  ).all(ids);
  const imported = summaries.filter(({ isOwn }) => !isOwn);
  const forgotten = imported.length === 0 ? [] : db.prepare(
    `SELECT session_id AS sessionId, title, text
       FROM observations
      WHERE id IN (SELECT value FROM json_each(?1))
        AND session_id IN (SELECT value FROM json_each(?2))`,
  ).all(ids, JSON.stringify(imported.map(({ sessionId }) => sessionId)));
  const numberOf = ({ id }: Row) => Number(id);
  return {
    own: summaries.filter(({ isOwn }) => isOwn).map(numberOf),
    imported: imported.filter((summary) =>
      forgotten.some((row) => row["sessionId"] === summary["sessionId"] && repeats(summary, row))
    ).map(numberOf),
  };
}

type Row = Readonly<Record<string, unknown>>;

function repeats(summary: Row, { title, text }: Row): boolean {
  const summaryText = normalizeForgotten(`${summary["title"]}\n${summary["text"]}`);
  return [title, text].map((part) => normalizeForgotten(String(part).replace(/…$/, "")))
    .some((part) => part.length >= MIN_REPEATED_CHARS && summaryText.includes(part));
}

/** Runs a query whose parameter is a list in JSON, and returns the numbers of the observations that it finds. */
export function numbers(db: DatabaseSync, sql: string, list: ReadonlySet<unknown>): number[] {
  return db.prepare(sql).all(JSON.stringify([...list])).map(({ id }) => Number(id));
}
