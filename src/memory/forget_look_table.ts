/** Finds observations that stay but are related to forgotten ones, so that a person can forget them as well. */
import type { DatabaseSync } from "node:sqlite";
import { standsIn } from "./drain/describe_fix.ts";
import { type TextMatcher, textMatcher } from "./forget_text.ts";
import { folderOfProject, pathInProject } from "./project_paths.ts";
import { baseName } from "../base/paths.ts";
import { FACTS } from "./drain/observations_table.ts";
import { readablePayload } from "../db/payloads.ts";
import {
  type Chosen,
  defineTextFunctions,
  type ForgetFilter,
  IS_OF_FILES,
  isTextAlone,
  numbers,
} from "./forget_choice_table.ts";

/** The most pieces of forgotten texts that are searched for. */
const MAX_PIECES = 24;
const MIN_CHARS = 40;
/** The longest piece, in characters. It is the middle of a text, which others are less likely to hold by chance. */
const MAX_CHARS = 80;
/** The most observations that are returned. */
const MAX_NAMED = 100;

/** Takes pieces of the texts to remove, each too long to stand elsewhere by chance; null when there are none. */
function piecesOf(db: DatabaseSync, { observations, captures }: Chosen): TextMatcher | null {
  const payloads = db.prepare(
    `SELECT id, encoding, payload, raw_bytes AS rawBytes
       FROM pending_queue
      WHERE id IN (SELECT value FROM json_each(?))
      ORDER BY raw_bytes DESC
      LIMIT ${MAX_PIECES}`,
  ).all(JSON.stringify(captures)).map((row) => longestString(readablePayload(row)));
  const texts = db.prepare(
    `SELECT text
       FROM observations
      WHERE id IN (SELECT value FROM json_each(?))
      ORDER BY length(text) DESC
      LIMIT ${MAX_PIECES}`,
  ).all(JSON.stringify(observations)).map(({ text }) => String(text));
  const pieces = [...payloads, ...texts].slice(0, MAX_PIECES)
    .map((text) => text.replace(/\s+/g, " ").trim())
    .filter((text) => text.length >= MIN_CHARS)
    .map((text) => {
      const start = Math.max(0, text.length - MAX_CHARS) >> 1;
      return text.slice(start, start + MAX_CHARS).toWellFormed();
    });
  return pieces.length === 0 ? null : textMatcher(...pieces);
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
 * Returns the observations that stay and are related to the chosen ones: they hold the same words, or come from the
 * same captures, or a chosen fix or summary was made from them, or they name a forgotten file.
 */
export function relatedTo(
  db: DatabaseSync,
  filter: ForgetFilter,
  chosen: Chosen,
): readonly number[] {
  if (isTextAlone(filter)) return [];
  const { ids, files, project } = filter;
  const named = new Set(ids?.observations);
  const related = new Set([
    ...numbers(db, MADE_OF, named),
    ...numbers(db, MADE_BESIDES, named),
    ...files === null ? [] : speakingOf(db, { files, project }),
    ...holdingPieces(db, piecesOf(db, chosen)),
  ]);
  const changing = [...chosen.observations, ...chosen.remade.map(({ id }) => id)];
  return [...related.difference(new Set(changing))].sort((a, b) => a - b).slice(0, MAX_NAMED);
}

function holdingPieces(db: DatabaseSync, pieces: TextMatcher | null): number[] {
  if (pieces === null) return [];
  defineTextFunctions(db, pieces);
  return db.prepare("SELECT id FROM observations WHERE holds(title, text) OR holds_json(facts)")
    .all().map(({ id }) => Number(id));
}

/** SQL: the observations from which the fixes and summaries among the given ones were made. */
const MADE_OF = `
  WITH gone AS (SELECT o.* FROM json_each(?) AS asked JOIN observations AS o ON o.id = asked.value)
  SELECT id
    FROM observations
   WHERE id NOT IN (SELECT id FROM gone)
     AND (id IN (SELECT ${FACTS} ->> '$.mended' FROM gone WHERE kind = 'fix')
          OR id IN (SELECT part.value FROM gone, json_each(${FACTS}, '$.by') AS part WHERE gone.kind = 'fix')
          OR session_id IN (SELECT session_id FROM gone WHERE kind = 'summary') AND kind <> 'summary')
   ORDER BY id`;

/** SQL: other observations of the same captures. Their uid is the capture's id, or begins with that id and a `/`. */
const MADE_BESIDES = `
  WITH gone AS (SELECT o.id, substr(o.uid, 1, 36) AS capture
                  FROM json_each(?) AS asked
                  JOIN observations AS o ON o.id = asked.value
                 WHERE o.kind NOT IN ('summary', 'fix')
                   AND substr(o.uid, 37, 1) IN ('', '/'))
  SELECT DISTINCT o.id
    FROM gone
    JOIN observations AS o ON o.uid = gone.capture
                           OR o.uid BETWEEN gone.capture || '/' AND gone.capture || '0'
   WHERE o.kind <> 'fix'
     AND o.id NOT IN (SELECT id FROM gone)
   ORDER BY o.id`;

/** Returns observations that name one of some files in their texts and are not about it: they showed or searched it. */
function speakingOf(
  db: DatabaseSync,
  { files, project }: { readonly files: readonly string[]; readonly project: string | null },
): number[] {
  const rows = db.prepare(
    `SELECT o.id, o.project, o.title || char(10) || o.text AS text
       FROM observations AS o
      WHERE (?1 IS NULL OR o.project = ?1)
        AND o.kind <> 'summary'
        AND EXISTS (SELECT 1
                      FROM json_each(?2) AS named
                     WHERE instr(o.title, named.value)
                        OR instr(o.text, named.value))
        AND NOT ${IS_OF_FILES.replace("?", "?3")}
      ORDER BY o.id
      LIMIT ${MAX_NAMED}`,
  ).all(project, JSON.stringify(files.map(baseName)), JSON.stringify(files));
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
  return db.prepare(
    `SELECT named.session_id AS id, s.transcript_path AS transcript
       FROM (SELECT session_id FROM observations WHERE id IN (SELECT value FROM json_each(?))
              UNION
             SELECT session_id FROM pending_queue WHERE id IN (SELECT value FROM json_each(?))) AS named
       LEFT JOIN sessions AS s ON s.session_id = named.session_id`,
  ).all(JSON.stringify(observations), JSON.stringify(captures)) as unknown as {
    id: string;
    transcript: string | null;
  }[];
}

/** Returns the transcripts of all known sessions. */
export function knownTranscripts(db: DatabaseSync): string[] {
  return db.prepare(
    "SELECT DISTINCT transcript_path AS path FROM sessions WHERE transcript_path IS NOT NULL",
  ).all().map(({ path }) => String(path));
}
