/** Which observations and captures are to be forgotten. */
import { FACTS } from "./observations.ts";
import type { DatabaseSync } from "node:sqlite";
import type { TextMatcher } from "../memory/forget_text.ts";
import { WHOLE_PATH, wholeName } from "./file_match.ts";
import { filterOf } from "./filter.ts";
import { summariesAbout } from "./forget_summaries.ts";
import { payloadText, type StoredPayload } from "./payloads.ts";
import { capturesByObservation } from "./memory_look.ts";
import { columnsOf, type Remade, type Remake } from "./remade.ts";

/** What is to be forgotten: everything that all the filters fit; null lets everything through. */
export interface ForgetFilter {
  /** Observations by number, captures by id: one of these. */
  readonly ids: {
    readonly observations: readonly number[];
    readonly captures: readonly string[];
  } | null;
  readonly sessionId: string | null;
  /** The common git directory, or the folder where there is none. */
  readonly project: string | null;
  /** All spellings of one path, whole or from a project's folder; what lies under it counts too. */
  readonly files: readonly string[] | null;
  readonly text: TextMatcher | null;
  /** Epoch milliseconds, both included. */
  readonly sinceMs: number | null;
  readonly untilMs: number | null;
}

/** Observations by number, captures by id. */
export interface Chosen {
  readonly observations: readonly number[];
  readonly captures: readonly string[];
  /** Observations that stay, made anew of captures that stay. */
  readonly remade: readonly Remade[];
  /** How many of the observations are summaries from elsewhere, which go since they hold some of the same. */
  readonly importedSummaries: number;
}

/** Rows that are read at once. */
const BATCH_ROWS = 200;

/**
 * What fits the filter, with everything that belongs to it: of an observation all captures that it was made of, of a
 * capture the observation that was made of it, of either the fixes that quote it and the summaries that tell of it. An
 * observation that is the same without what fits stays, made anew of its other captures.
 *
 * @param options `remake`: makes it; without it nothing is. `onStep`: called after every batch.
 */
export function chooseForgotten(
  db: DatabaseSync,
  filter: ForgetFilter,
  { remake = () => null, onStep = () => {} }: {
    readonly remake?: Remake;
    readonly onStep?: () => void;
  } = {},
): Chosen {
  const captures = new Set(matchingCaptures(db, filter, onStep));
  const observations = new Set(matchingObservations(db, filter, onStep));
  for (const id of observationsOf(db, captures)) observations.add(id);
  const remade = remadeOf(db, { observations, captures }, { filter, remake });
  const changed = new Set(remade.map(({ id }) => id));
  // Where a text is asked for, it is looked for in the fixes themselves.
  const quoted = filter.text === null ? observations : observations.difference(changed);
  const fixes = fixesAbout(db, quoted);
  for (const id of changed) observations.delete(id);
  for (const id of fixes) observations.add(id);
  for (const id of capturesOf(db, observations)) captures.add(id);
  const { own, imported } = summariesAbout(db, observations.union(changed));
  const quoting = imported.filter((id) => !observations.has(id));
  for (const id of [...own, ...quoting]) observations.add(id);
  return {
    observations: [...observations],
    captures: [...captures],
    remade,
    importedSummaries: quoting.length,
  };
}

/** Those that other captures tell, too, without what is to be forgotten. */
function remadeOf(
  db: DatabaseSync,
  { observations, captures }: {
    readonly observations: ReadonlySet<number>;
    readonly captures: ReadonlySet<string>;
  },
  { filter: { ids, text }, remake }: { readonly filter: ForgetFilter; readonly remake: Remake },
): Remade[] {
  // A text and a capture's id say which captures are meant; anything else means what was made of them.
  if (text === null && ids === null) return [];
  const asked = new Set(ids?.observations);
  return [...capturesByObservation(db, observations)].flatMap(([id, made]) => {
    const stay = made.filter((capture) => !captures.has(capture));
    const one = asked.has(id) || stay.length === 0 ? null : remake(id, { stay, go: captures });
    return one === null || text !== null && isInObservation(columnsOf(one), text) ? [] : [one];
  });
}

/** `touched.name` is one of these paths, or lies under one: a condition with one parameter, a list in JSON. */
export const UNDER_A_FILE = `EXISTS (SELECT 1 FROM json_each(?) AS wanted
            WHERE touched.name = wanted.value
               OR substr(touched.name, 1, length(wanted.value) + 1) = wanted.value || '/')`;

/** Names in a list in JSON, as they are and whole: rows of `name`. */
export function namesIn(list: string, folder: string): string {
  return `SELECT value AS name FROM json_each(${list})
           UNION ALL
          SELECT ${wholeName("value", folder)} FROM json_each(${list})`;
}

/** Whether an observation `o` is about one of some files, of which there is a list in JSON. */
export const IS_OF_FILES = `EXISTS (SELECT 1
                 FROM (SELECT t.path AS name FROM observation_files AS t WHERE t.observation_id = o.id
                        UNION ALL
                       SELECT ${WHOLE_PATH} FROM observation_files AS t WHERE t.observation_id = o.id) AS touched
                WHERE ${UNDER_A_FILE})`;

function matchingObservations(
  db: DatabaseSync,
  filter: ForgetFilter,
  onStep: () => void,
): number[] {
  const { ids, files, text } = filter;
  const { sql, values } = filterOf([
    ["o.id IN (SELECT value FROM json_each(?))", ids && JSON.stringify(ids.observations)],
    ["o.session_id = ?", filter.sessionId],
    ["o.project = ?", filter.project],
    ["o.updated_at_ms >= ?", filter.sinceMs],
    ["o.created_at_ms <= ?", filter.untilMs],
    [IS_OF_FILES, files && JSON.stringify(files)],
    ["o.id > ?", 0],
  ]);
  const next = db.prepare(
    `SELECT o.id, o.title, o.text, o.terms, o.files, o.facts, o.branch, o.project
       FROM observations AS o
       ${sql}
      ORDER BY o.id
      LIMIT ${BATCH_ROWS}`,
  );
  const found: number[] = [];
  for (let after = 0;;) {
    const rows = next.all(...values.slice(0, -1), after);
    for (const row of rows) {
      if (text === null || isInObservation(row, text)) found.push(Number(row["id"]));
    }
    const last = rows.at(-1);
    if (last === undefined) return found;
    after = Number(last["id"]);
    onStep();
  }
}

function isInObservation(row: Readonly<Record<string, unknown>>, text: TextMatcher): boolean {
  return ["title", "text", "terms", "branch", "project"].some((name) =>
    text.isIn(String(row[name] ?? ""))
  ) ||
    ["files", "facts"].some((name) => text.isInJson(String(row[name])));
}

function matchingCaptures(db: DatabaseSync, filter: ForgetFilter, onStep: () => void): string[] {
  const { ids, files, text } = filter;
  const { sql, values } = filterOf([
    ["q.id IN (SELECT value FROM json_each(?))", ids && JSON.stringify(ids.captures)],
    ["q.session_id = ?", filter.sessionId],
    ["coalesce(s.repository, s.project_dir) = ?", filter.project],
    ["q.created_at_ms >= ?", filter.sinceMs],
    ["q.created_at_ms <= ?", filter.untilMs],
    [
      `EXISTS (SELECT 1 FROM (${
        namesIn("q.files_touched", "s.project_dir")
      }) AS touched WHERE ${UNDER_A_FILE})`,
      files && JSON.stringify(files),
    ],
    ["q.rowid > ?", 0],
  ]);
  const payload = text === null ? "" : ", q.encoding, q.payload, q.raw_bytes AS rawBytes";
  const next = db.prepare(
    `SELECT q.rowid AS place, q.id, q.files_touched AS files, q.error_message AS error, q.branch${payload}
       FROM pending_queue AS q
       LEFT JOIN sessions AS s ON s.session_id = q.session_id
       ${sql}
      ORDER BY q.rowid
      LIMIT ${BATCH_ROWS}`,
  );
  const found: string[] = [];
  for (let after = 0;;) {
    const rows = next.all(...values.slice(0, -1), after);
    for (const row of rows) {
      if (text === null || isInCapture(row, text)) found.push(String(row["id"]));
    }
    const last = rows.at(-1);
    if (last === undefined) return found;
    after = Number(last["place"]);
    onStep();
  }
}

function isInCapture(row: Readonly<Record<string, unknown>>, text: TextMatcher): boolean {
  if (text.isInJson(String(row["files"]))) return true;
  if (text.isIn(`${row["error"] ?? ""}\n${row["branch"] ?? ""}`)) return true;
  try {
    return text.isInJson(payloadText(row as unknown as StoredPayload));
  } catch {
    // What cannot be read any more is not the text to anybody; `db check` tells of it.
    return false;
  }
}

/** The observations that captures went into. */
function observationsOf(db: DatabaseSync, captures: ReadonlySet<string>): number[] {
  return db.prepare(
    `SELECT id
       FROM observations
      WHERE id IN (SELECT observation_id FROM pending_queue WHERE id IN (SELECT value FROM json_each(?1)))
         OR uid IN (SELECT value FROM json_each(?1))`,
  ).all(JSON.stringify([...captures])).map((row) => Number(row["id"]));
}

/** The captures that went into observations. */
function capturesOf(db: DatabaseSync, observations: ReadonlySet<number>): string[] {
  return db.prepare(
    `SELECT id
       FROM pending_queue
      WHERE observation_id IN (SELECT value FROM json_each(?1))`,
  ).all(JSON.stringify([...observations])).map((row) => String(row["id"]));
}

/** Fixes tell in their own words what failed, and what was done about it. */
function fixesAbout(db: DatabaseSync, observations: ReadonlySet<number>): number[] {
  return db.prepare(
    `WITH gone AS (SELECT value AS id FROM json_each(?1))
     SELECT id
       FROM observations
      WHERE kind = 'fix'
        AND (${FACTS} ->> '$.mended' IN gone
             OR EXISTS (SELECT 1 FROM json_each(${FACTS}, '$.by') AS part WHERE part.value IN gone))`,
  ).all(JSON.stringify([...observations])).map((row) => Number(row["id"]));
}
