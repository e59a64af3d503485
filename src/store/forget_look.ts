/** Looks at what is about to be forgotten, and at whose bytes those are that are left. */
import type { DatabaseSync } from "node:sqlite";
import { folderOfProject, pathInProject } from "../memory/paths.ts";
import { baseName } from "../paths.ts";
import { standsIn } from "../memory/describe_fix.ts";
import { FACTS } from "./observations.ts";
import { type Chosen, IS_OF_FILES } from "./forget_choice.ts";
import { openToLook } from "./identity.ts";
import { payloadText, type StoredPayload } from "./payloads.ts";

/** Long texts of rows, one of each, of at most so many rows. */
export function tellingTexts(db: DatabaseSync, chosen: Chosen, limit: number): string[] {
  const captures = db.prepare(
    `SELECT id, encoding, payload, raw_bytes AS rawBytes
       FROM pending_queue
      WHERE id IN (SELECT value FROM json_each(?))
      ORDER BY raw_bytes DESC
      LIMIT ?`,
  ).all(JSON.stringify(chosen.captures), limit);
  const observations = db.prepare(
    `SELECT text
       FROM observations
      WHERE id IN (SELECT value FROM json_each(?))
      ORDER BY length(text) DESC
      LIMIT ?`,
  ).all(JSON.stringify(chosen.observations), limit);
  return [
    ...captures.map((row) => longestString(row as unknown as StoredPayload)),
    ...observations.map(({ text }) => String(text)),
  ].slice(0, limit);
}

function longestString(stored: StoredPayload): string {
  let longest = "";
  try {
    JSON.parse(payloadText(stored), (key, value) => {
      const isContent = !/_(?:path|dir|id)$|^cwd$/.test(key);
      if (typeof value === "string" && isContent && value.length > longest.length) longest = value;
      return value;
    });
  } catch {
    // What cannot be read has nothing to tell.
  }
  return longest;
}

/** The table or index to which each page of a database belongs; `free pages` for what belongs to none. */
export function pageOwners(
  database: string,
  pagesOf: (pageBytes: number) => readonly number[],
): ReadonlyMap<number, string> {
  const db = openToLook(database);
  try {
    const pageBytes = Number(db.prepare("PRAGMA page_size").get()?.["page_size"]);
    const pages = [...new Set(pagesOf(pageBytes))];
    const owners = new Map(pages.map((page) => [page, "free pages"]));
    const rows = db.prepare(
      "SELECT pageno, name FROM dbstat WHERE pageno IN (SELECT value FROM json_each(?))",
    ).all(JSON.stringify(pages));
    for (const { pageno, name } of rows) owners.set(Number(pageno), String(name));
    return owners;
  } finally {
    db.close();
  }
}

/** Transcripts of Claude Code of the sessions that something is forgotten of; they are not this program's. */
export function transcriptsOf(db: DatabaseSync, chosen: Chosen): string[] {
  return db.prepare(
    `SELECT DISTINCT transcript_path AS path
       FROM sessions
      WHERE transcript_path IS NOT NULL
        AND session_id IN (
          SELECT session_id FROM observations WHERE id IN (SELECT value FROM json_each(?))
           UNION
          SELECT session_id FROM pending_queue WHERE id IN (SELECT value FROM json_each(?)))`,
  ).all(JSON.stringify(chosen.observations), JSON.stringify(chosen.captures))
    .map(({ path }) => String(path));
}

/** Transcripts of Claude Code of all sessions that are known. */
export function knownTranscripts(db: DatabaseSync): string[] {
  return db.prepare(
    "SELECT DISTINCT transcript_path AS path FROM sessions WHERE transcript_path IS NOT NULL",
  )
    .all().map(({ path }) => String(path));
}

/** The sessions of what is forgotten. */
export function sessionsOf(db: DatabaseSync, chosen: Chosen): string[] {
  return db.prepare(
    `SELECT session_id AS id FROM observations WHERE id IN (SELECT value FROM json_each(?))
      UNION
     SELECT session_id FROM pending_queue WHERE id IN (SELECT value FROM json_each(?))`,
  ).all(JSON.stringify(chosen.observations), JSON.stringify(chosen.captures))
    .map(({ id }) => String(id));
}

/** The observation with this number or uid; null when there is none. */
export function findObservation(db: DatabaseSync, text: string): number | null {
  const row = db.prepare("SELECT id FROM observations WHERE id = ?1 OR uid = ?2")
    .get(/^\d{1,15}$/.test(text) ? Number(text) : -1, text);
  return row === undefined ? null : Number(row["id"]);
}

/** The observations that fixes and summaries are made of, but for these themselves. @param ids Of observations. */
export function sourcesOf(db: DatabaseSync, ids: readonly number[]): number[] {
  return db.prepare(
    `WITH gone AS (SELECT o.* FROM json_each(?) AS asked JOIN observations AS o ON o.id = asked.value)
     SELECT id
       FROM observations
      WHERE id NOT IN (SELECT id FROM gone)
        AND (id IN (SELECT ${FACTS} ->> '$.mended' FROM gone WHERE kind = 'fix')
             OR id IN (SELECT part.value FROM gone, json_each(${FACTS}, '$.by') AS part WHERE gone.kind = 'fix')
             OR session_id IN (SELECT session_id FROM gone WHERE kind = 'summary') AND kind <> 'summary')
      ORDER BY id`,
  ).all(JSON.stringify(ids)).map(({ id }) => Number(id));
}

/** What a capture is called by; an observation made of it besides has more behind a `/`. */
const CAPTURE_ID_CHARS = 36;

/**
 * The observations that were made of the same captures, but for these themselves; fixes are of what they mend.
 *
 * @param ids Of observations.
 */
export function besidesOf(db: DatabaseSync, ids: readonly number[]): number[] {
  return db.prepare(
    `WITH gone AS (SELECT o.id, substr(o.uid, 1, ${CAPTURE_ID_CHARS}) AS capture
                     FROM json_each(?) AS asked
                     JOIN observations AS o ON o.id = asked.value
                    WHERE o.kind NOT IN ('summary', 'fix')
                      AND (length(o.uid) = ${CAPTURE_ID_CHARS} OR substr(o.uid, ${
      CAPTURE_ID_CHARS + 1
    }, 1) = '/'))
     SELECT DISTINCT o.id
       FROM gone
       JOIN observations AS o ON o.uid = gone.capture
                              OR o.uid BETWEEN gone.capture || '/' AND gone.capture || '0'
      WHERE o.kind <> 'fix'
        AND o.id NOT IN (SELECT id FROM gone)
      ORDER BY o.id`,
  ).all(JSON.stringify(ids)).map(({ id }) => Number(id));
}

/** So many are looked for of those that tell the same. */
const MAX_TELLING = 100;
const BATCH_ROWS = 500;

/** The observations in which something is told, the oldest first. @param without Those that are not looked at. */
export function observationsTelling(
  db: DatabaseSync,
  tells: (texts: { readonly text: string; readonly json: string }) => boolean,
  without: ReadonlySet<number> = new Set(),
): number[] {
  const next = db.prepare(
    `SELECT id, title || char(10) || text AS text, facts AS json
       FROM observations
      WHERE id > ?
      ORDER BY id
      LIMIT ${BATCH_ROWS}`,
  );
  const found: number[] = [];
  for (let after = 0; found.length < MAX_TELLING;) {
    const rows = next.all(after);
    const last = rows.at(-1);
    if (last === undefined) break;
    for (const { id, text, json } of rows) {
      if (without.has(Number(id))) continue;
      if (tells({ text: String(text), json: String(json) })) found.push(Number(id));
    }
    after = Number(last["id"]);
  }
  return found.slice(0, MAX_TELLING);
}

/** So many are looked for of those that only speak of a file. */
const MAX_SPEAKING = 100;

/** The observations that speak of one of some files in their texts and are not about it: it was shown, or searched. */
export function speakingOf(
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
      LIMIT ${MAX_SPEAKING}`,
  ).all(project, JSON.stringify(files.map(baseName)), JSON.stringify(files));
  return rows.filter(({ project, text }) => {
    const folder = project === null ? null : folderOfProject(String(project));
    return files.some((file) => standsIn(String(text), pathInProject(file, folder)));
  }).map(({ id }) => Number(id));
}
