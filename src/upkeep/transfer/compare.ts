/** Compares transcripts with the captures and observations that the database has. */
import type { DatabaseSync } from "node:sqlite";
import { countCapturesExcept, type KeptOfSession, keptOfSession } from "./backfill_table.ts";
import { type StayAway, stayAway } from "../forget/stay_away_table.ts";
import type { Entry, Scan, ScannedSession } from "./scan.ts";

/**
 * Why a session is not compared: its project has another database or none, or it was observed and retention removed its
 * captures.
 */
export type NotHere = "elsewhere" | "off" | "removed";

/** A session, and what the database lacks of it. */
export interface ComparedSession {
  readonly session: ScannedSession;
  readonly missing: readonly Entry[];
  /** How many entries are missing because they were forgotten: they stay away. */
  readonly forgotten: number;
  /** True when the database has nothing of it. */
  readonly isUnknown: boolean;
  /** How many captures its transcripts do not have. */
  readonly extra: number;
  readonly notHere: NotHere | null;
}

/** What a comparison found. */
export interface Comparison {
  readonly sessions: readonly ComparedSession[];
  /** Captures of sessions that have no transcript here; sessions that were not looked at do not count. */
  readonly withoutTranscript: number;
}

/**
 * Compares scanned sessions with a database.
 *
 * @param options `database`: its path. `isWhole`: whether all transcripts were scanned, so that captures without one count.
 */
export function compareScan(
  db: DatabaseSync,
  scan: Scan,
  options: { readonly database: string; readonly isWhole: boolean },
): Comparison {
  const away = stayAway(db);
  const sessions = [...scan.sessions.values()]
    .filter(({ entries, recent, excluded }) =>
      entries.length + recent + Object.keys(excluded).length > 0
    )
    .map((session) => compareSession(db, session, { database: options.database, away }))
    .sort((a, b) => a.session.firstAtMs - b.session.firstAtMs);
  const withoutTranscript = options.isWhole ? countCapturesExcept(db, scan.sessions.keys()) : 0;
  return { sessions, withoutTranscript };
}

function compareSession(
  db: DatabaseSync,
  session: ScannedSession,
  { database, away }: { readonly database: string; readonly away: StayAway },
): ComparedSession {
  const kept = keptOfSession(db, session.sessionId);
  const notHere = notHereOf(session, kept, database);
  const notFound = notHere === null ? missingOf(session.entries, kept) : [];
  const missing = notFound.filter((entry) => !isForgotten(entry, session, away));
  missing.sort((a, b) => a.atMs - b.atMs);
  const found = session.entries.length - notFound.length;
  return {
    session,
    missing,
    forgotten: notFound.length - missing.length,
    isUnknown: kept.captures === 0 && kept.observations === 0,
    extra: notHere === null ? Math.max(0, kept.captures - found - session.recent) : 0,
    notHere,
  };
}

function notHereOf(
  { project }: ScannedSession,
  kept: KeptOfSession,
  database: string,
): NotHere | null {
  if (project.database === null) return "off";
  if (project.database !== database) return "elsewhere";
  const isRemoved = !kept.isKnown && kept.captures === 0 && kept.observations > 0;
  return isRemoved ? "removed" : null;
}

/** Words have no id that lasts: each capture of words stands for one entry with the same key. */
function missingOf(entries: readonly Entry[], kept: KeptOfSession): Entry[] {
  const said = [...kept.wordsKeys];
  return entries.filter(({ id, toolUseId, wordsKeys }) => {
    if (toolUseId !== null) return !kept.toolUseIds.has(toolUseId) && !kept.ids.has(id);
    const at = said.indexOf(wordsKeys[0]!);
    if (at >= 0) said.splice(at, 1);
    return at < 0 && !kept.ids.has(id);
  });
}

function isForgotten(
  { id, toolUseId, useKey, wordsKeys, atMs }: Entry,
  { sessionId, project }: ScannedSession,
  away: StayAway,
): boolean {
  return away.has({
    sessionId,
    project: project.repository ?? project.dir,
    atMs,
    names: [id],
    use: toolUseId === null ? undefined : { toolUseId, key: () => useKey },
    keys: wordsKeys,
  });
}
