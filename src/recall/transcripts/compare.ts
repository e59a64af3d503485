/** Compares transcripts with the captures and observations that the database has. */
import type { DatabaseSync } from "node:sqlite";
import { WORDS, wordsKey, wordsKindOf } from "../../memory/capture_keys.ts";
import { countCaptures, type KeptOfSession, keptOfSession } from "../../store/backfill.ts";
import { type StayAway, stayAway } from "../../store/stay_away.ts";
import type { Entry, Scan, ScannedSession } from "./scan.ts";

/** Why a session is not compared. */
export type NotHere =
  | { readonly kind: "elsewhere"; readonly database: string }
  /** The configuration keeps no database. */
  | { readonly kind: "off" }
  /** Retention has removed the captures; memory has what they told. */
  | { readonly kind: "removed" };

/** A session, and what of it is missing. */
export interface ComparedSession {
  readonly session: ScannedSession;
  readonly missing: readonly Entry[];
  /** How much is missing because it was forgotten: it stays away. */
  readonly forgotten: number;
  /** True when nothing at all of it is kept. */
  readonly isUnknown: boolean;
  /** Captures that its transcripts do not have. */
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
 * @param database Its path. @param options `isWhole`: whether all transcripts were looked at, so that captures without
 * one can be told.
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
  let withoutTranscript = 0;
  if (options.isWhole) {
    for (const [id, count] of countCaptures(db)) {
      if (!scan.sessions.has(id)) withoutTranscript += count;
    }
  }
  return { sessions, withoutTranscript };
}

function compareSession(
  db: DatabaseSync,
  session: ScannedSession,
  { database, away }: { readonly database: string; readonly away: StayAway },
): ComparedSession {
  const kept = keptOfSession(db, session.sessionId, Object.values(WORDS).map(({ event }) => event));
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
  if (project.database === null) return { kind: "off" };
  if (project.database !== database) return { kind: "elsewhere", database: project.database };
  const isRemoved = !kept.isKnown && kept.captures === 0 && kept.observations > 0;
  return isRemoved ? { kind: "removed" } : null;
}

function missingOf(entries: readonly Entry[], kept: KeptOfSession): Entry[] {
  const said = new Map<string, number>();
  for (const { toolName, payload } of kept.words) {
    const kind = wordsKindOf(toolName);
    if (kind === null) continue;
    const key = wordsKey(kind, payload);
    said.set(key, (said.get(key) ?? 0) + 1);
  }
  return entries.filter(({ id, toolUseId, wordsKey: key }) => {
    if (toolUseId !== null) return !kept.toolUseIds.has(toolUseId) && !kept.ids.has(id);
    const left = said.get(key ?? "") ?? 0;
    if (left > 0) said.set(key ?? "", left - 1);
    return left === 0 && !kept.ids.has(id);
  });
}

function isForgotten(
  { id, toolUseId, useKey, wordsKey, atMs }: Entry,
  { sessionId, project }: ScannedSession,
  away: StayAway,
): boolean {
  return away.has({
    sessionId,
    project: project.repository ?? project.dir,
    atMs,
    names: [id],
    use: toolUseId === null ? undefined : { toolUseId, key: () => useKey },
    keys: wordsKey === null ? [] : [wordsKey],
  });
}
