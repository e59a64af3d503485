/**
 * Chooses the observations and captures that are to be forgotten, and finds observations that stay but are related to
 * them, so that a person can forget those as well.
 */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../base/errors.ts";
import { baseName } from "../base/paths.ts";
import { standsIn } from "./drain/describe_fix.ts";
import { normalizeForgotten, type TextMatcher, textMatcher } from "./forget_text.ts";
import { FACTS, type Remade, type Remake } from "./drain/observations_table.ts";
import { folderOfProject, pathInProject } from "./project_paths.ts";
import { capturesByObservation } from "./search/memory_look_table.ts";
import { namesOfList, UNDER_A_FILE, WHOLE_PATH } from "../db/file_match.ts";
import { among, filterOf, statement } from "../db/statement.ts";
import { readablePayload } from "../db/payloads.ts";

/** The rows to forget: every row that matches all filters. A null filter matches every row. */
export interface ForgetFilter {
  /** Observations by number, captures and tasks by id; only one list is filled. A task stays, without what people wrote. */
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

export const NO_FILTER: ForgetFilter = {
  ids: null,
  sessionId: null,
  project: null,
  files: null,
  text: null,
  sinceMs: null,
  untilMs: null,
};

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

/** Returns the text if it is the only filter, so that it is forgotten everywhere; else null. */
export function textAlone({ text, ...others }: ForgetFilter): TextMatcher | null {
  return Object.values(others).every((value) => value === null) ? text : null;
}

/**
 * Adds SQL functions to this connection that search for a text: `holds(…)` in plain texts, `holds_json(…)` in JSON,
 * `holds_payload(encoding, payload, raw_bytes)` in captures; `without(column)` replaces the text by the mark. None of
 * the functions may throw: the runtime would hang.
 */
export function defineTextFunctions(db: DatabaseSync, text: TextMatcher): void {
  const options = { deterministic: true, varargs: true };
  // JSON that is nested too deeply cannot be parsed, and counts as plain text.
  const isInJson = (json: string) => quietly(() => text.isInJson(json)) ?? text.isIn(json);
  const some = (isIn: (value: string) => boolean) => (...values: readonly unknown[]) =>
    Number(values.some((value) => typeof value === "string" && isIn(value)));
  db.function("holds", options, some(text.isIn));
  db.function("holds_json", options, some(isInJson));
  // Nobody can read a damaged payload; `db check` reports it.
  db.function(
    "holds_payload",
    options,
    (encoding, payload, rawBytes) =>
      Number(isInJson(readablePayload({ encoding, payload, rawBytes }) ?? "")),
  );
  db.function(
    "without",
    options,
    (value) =>
      typeof value === "string"
        ? quietly(() => text.replaceInJson(value)) ?? text.replaceIn(value)
        : value as null,
  );
}

/**
 * Chooses the rows that match the filter, and the rows that depend on them: the captures of an observation, the
 * observation of a capture, the fixes that quote either, and the summaries of their sessions. An observation stays when
 * `remake` can make it again from its other captures.
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
  const remade = remadeOf(db, observations, { captures, filter, remake });
  const changed = new Set(remade.map(({ id }) => id));
  // When a text is forgotten, a fix goes only if it holds the text.
  const quoted = filter.text === null ? observations : observations.difference(changed);
  const fixes = fixesAbout(db, quoted);
  for (const id of changed) observations.delete(id);
  const matching = new Set(observations);
  for (const id of fixes) observations.add(id);
  const made = statement(db)`
    SELECT id FROM pending_queue WHERE observation_id IN (SELECT value FROM json_each(?))
  `.all(JSON.stringify([...observations]));
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
  observations: ReadonlySet<number>,
  { captures, filter: { ids, text }, remake }: {
    readonly captures: ReadonlySet<string>;
    readonly filter: ForgetFilter;
    readonly remake: Remake;
  },
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
const IS_OF_FILES = `EXISTS (SELECT 1
                 FROM (SELECT t.path AS name FROM observation_files AS t WHERE t.observation_id = o.id
                        UNION ALL
                       SELECT ${WHOLE_PATH} FROM observation_files AS t WHERE t.observation_id = o.id) AS touched
                WHERE ${UNDER_A_FILE})`;

function matchingObservations(db: DatabaseSync, filter: ForgetFilter): number[] {
  const { ids, files, text } = filter;
  const { sql, values } = filterOf([
    [among("o.id"), ids?.observations],
    ["o.session_id = ?", filter.sessionId],
    ["o.project = ?", filter.project],
    ["o.updated_at_ms >= ?", filter.sinceMs],
    ["o.created_at_ms <= ?", filter.untilMs],
    [IS_OF_FILES, files],
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
    [among("q.id"), ids?.captures],
    ["q.session_id = ?", filter.sessionId],
    ["coalesce(s.repository, s.project_dir) = ?", filter.project],
    ["q.created_at_ms >= ?", filter.sinceMs],
    ["q.created_at_ms <= ?", filter.untilMs],
    [`EXISTS (SELECT 1 FROM (${touched}) AS touched WHERE ${UNDER_A_FILE})`, files],
    [
      `(holds(q.error_message, q.branch) = ?
            OR holds_json(q.files_touched)
            OR holds_payload(q.encoding, q.payload, q.raw_bytes))`,
      text && 1,
    ],
  ]);
  return statement(db)`
    SELECT q.id
      FROM pending_queue AS q
      LEFT JOIN sessions AS s ON s.session_id = q.session_id
      ${sql}
     ORDER BY q.rowid`.all(...values).map(({ id }) => String(id));
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
  db.function("repeats", (summary, title, text) => Number(repeats(summary, [title, text])));
  const summaries = statement(db)`
    WITH gone AS (SELECT * FROM observations WHERE id IN (SELECT value FROM json_each(?)))
    SELECT id, uid = 'summary/' || session_id AS isOwn
      FROM observations AS summary
     WHERE kind = 'summary'
       AND session_id IN (SELECT session_id FROM gone)
       AND (uid = 'summary/' || session_id
            OR EXISTS (SELECT 1
                         FROM gone
                        WHERE gone.session_id = summary.session_id
                          AND repeats(summary.title || char(10) || summary.text, gone.title, gone.text)))`
    .all(JSON.stringify([...observations]));
  const [own, imported] = [1, 0].map((is) =>
    summaries.filter(({ isOwn }) => isOwn === is).map(({ id }) => Number(id))
  ) as [number[], number[]];
  return { own, imported };
}

function repeats(summary: unknown, parts: readonly unknown[]): boolean {
  const summaryText = normalizeForgotten(String(summary));
  return parts.map((part) => normalizeForgotten(String(part).replace(/…$/, "")))
    .some((part) => part.length >= MIN_REPEATED_CHARS && summaryText.includes(part));
}

/** Runs a query whose parameter is a list in JSON, and returns the numbers of the observations that it finds. */
function numbers(db: DatabaseSync, sql: string, list: ReadonlySet<unknown>): number[] {
  return db.prepare(sql).all(JSON.stringify([...list])).map(({ id }) => Number(id));
}

const MAX_PIECES = 24;
const MIN_CHARS = 40;
/** The longest piece, in characters. It is the middle of a text, which others are less likely to hold by chance. */
const MAX_CHARS = 80;
const MAX_NAMED = 100;

/** Finds observations that hold pieces of the texts to remove, each too long to stand elsewhere by chance. */
function holdingPieces(db: DatabaseSync, { observations, captures }: Chosen): number[] {
  const longestOf = (columns: string, order: string, ids: readonly unknown[]) =>
    statement(db)`
      SELECT ${columns}
       WHERE id IN (SELECT value FROM json_each(?))
       ORDER BY ${order} DESC
       LIMIT ${MAX_PIECES}`.all(JSON.stringify(ids));
  const stored = "id, encoding, payload, raw_bytes AS rawBytes FROM pending_queue";
  const texts = [
    ...longestOf(stored, "raw_bytes", captures).map((row) => longestString(readablePayload(row))),
    ...longestOf("text FROM observations", "length(text)", observations)
      .map(({ text }) => String(text)),
  ];
  const pieces = texts.slice(0, MAX_PIECES)
    .map((text) => text.replace(/\s+/g, " ").trim())
    .filter((text) => text.length >= MIN_CHARS)
    .map((text) => {
      const start = Math.max(0, text.length - MAX_CHARS) >> 1;
      return text.slice(start, start + MAX_CHARS).toWellFormed();
    });
  if (pieces.length === 0) return [];
  defineTextFunctions(db, textMatcher(...pieces));
  return db.prepare("SELECT id FROM observations WHERE holds(title, text) OR holds_json(facts)")
    .all().map(({ id }) => Number(id));
}

function longestString(payload: string | null): string {
  let longest = "";
  if (payload === null) return longest;
  JSON.parse(payload, (key, value) => {
    const isContent = !/_(?:path|dir|id)$|^cwd$/.test(key);
    if (typeof value === "string" && isContent && value.length > longest.length) longest = value;
    return value;
  });
  return longest;
}

/**
 * Returns the observations that stay and are related to the chosen ones: they hold the same words, or name a forgotten
 * file, or share a capture with an observation that the filter names by number, or such a fix or summary quotes them.
 */
export function relatedTo(
  db: DatabaseSync,
  filter: ForgetFilter,
  chosen: Chosen,
): readonly number[] {
  if (textAlone(filter) !== null) return [];
  const { ids, files, project } = filter;
  const related = new Set([
    ...numbers(db, MADE_TOGETHER, new Set(ids?.observations)),
    ...files === null ? [] : speakingOf(db, { files, project }),
    ...holdingPieces(db, chosen),
  ]);
  const changing = [...chosen.observations, ...chosen.remade.map(({ id }) => id)];
  return [...related.difference(new Set(changing))].sort((a, b) => a - b).slice(0, MAX_NAMED);
}

/**
 * SQL: the observations from which the fixes and summaries among the given ones were made, and other observations of
 * the same captures, whose uid is the capture's id, or begins with that id and a `/`.
 */
const MADE_TOGETHER = `
  WITH gone AS (SELECT o.*, substr(o.uid, 1, 36) AS capture
                  FROM json_each(?) AS asked
                  JOIN observations AS o ON o.id = asked.value),
       related AS (
         SELECT ${FACTS} ->> '$.mended' AS id FROM gone WHERE kind = 'fix'
          UNION
         SELECT part.value FROM gone, json_each(${FACTS}, '$.by') AS part WHERE gone.kind = 'fix'
          UNION
         SELECT o.id
           FROM gone
           JOIN observations AS o ON o.session_id = gone.session_id
          WHERE gone.kind = 'summary'
            AND o.kind <> 'summary'
          UNION
         SELECT o.id
           FROM gone
           JOIN observations AS o ON o.uid = capture
                                  OR o.uid BETWEEN capture || '/' AND capture || '0'
          WHERE gone.kind NOT IN ('summary', 'fix')
            AND substr(gone.uid, 37, 1) IN ('', '/')
            AND o.kind <> 'fix')
  SELECT id
    FROM observations
   WHERE id IN related
     AND id NOT IN (SELECT id FROM gone)`;

/** Returns observations that name one of some files in their texts and are not about it: they showed or searched it. */
function speakingOf(
  db: DatabaseSync,
  { files, project }: { readonly files: readonly string[]; readonly project: string | null },
): number[] {
  const rows = statement(db)`
    SELECT o.id, o.project, o.title || char(10) || o.text AS text
      FROM observations AS o
     WHERE (?1 IS NULL OR o.project = ?1)
       AND o.kind <> 'summary'
       AND EXISTS (SELECT 1
                     FROM json_each(?2) AS named
                    WHERE instr(o.title, named.value)
                       OR instr(o.text, named.value))
       AND NOT ${IS_OF_FILES.replace("?", "?3")}
     ORDER BY o.id
     LIMIT ${MAX_NAMED}`.all(project, JSON.stringify(files.map(baseName)), JSON.stringify(files));
  return rows.filter(({ project, text }) => {
    const folder = project === null ? null : folderOfProject(String(project));
    return files.some((file) => standsIn(String(text), pathInProject(file, folder)));
  }).map(({ id }) => Number(id));
}

/** Finds the observation with this number or uid; null when there is none. */
export function findObservation(db: DatabaseSync, text: string): number | null {
  const row = db.prepare("SELECT id FROM observations WHERE id = ?1 OR uid = ?2")
    .get(/^\d{1,15}$/.test(text) ? Number(text) : -1, text);
  return row === undefined ? null : Number(row["id"]);
}

/** Returns the sessions of the chosen rows, with Claude Code's transcripts where they are known. */
export function sessionsOf(
  db: DatabaseSync,
  { observations, captures }: Chosen,
): { readonly id: string; readonly transcript: string | null }[] {
  return statement(db)`
    SELECT named.session_id AS id, s.transcript_path AS transcript
      FROM (SELECT session_id FROM observations WHERE id IN (SELECT value FROM json_each(?))
             UNION
            SELECT session_id FROM pending_queue WHERE id IN (SELECT value FROM json_each(?))) AS named
      LEFT JOIN sessions AS s ON s.session_id = named.session_id
  `.all(JSON.stringify(observations), JSON.stringify(captures)) as unknown as {
    id: string;
    transcript: string | null;
  }[];
}

export function knownTranscripts(db: DatabaseSync): string[] {
  return statement(db)`
    SELECT DISTINCT transcript_path AS path FROM sessions WHERE transcript_path IS NOT NULL`.all()
    .map(({ path }) => String(path));
}
