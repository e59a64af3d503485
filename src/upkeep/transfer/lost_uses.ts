/**
 * Takes tool uses from transcripts that no hook recorded, since Claude Code kills its asynchronous hooks when it ends.
 * Each run reads only the part that a transcript got since the last run.
 */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../../base/errors.ts";
import { transcriptsOfSession, transcriptTexts } from "../../claude/transcript/find_transcripts.ts";
import { readCounter, setCounter } from "../../db/counters.ts";
import { capturedToolUses } from "../../db/past_gates.ts";
import { recentTranscripts } from "../../db/past_sessions.ts";
import type { Locations } from "../../system/environment.ts";
import { statSync } from "../../system/files.ts";
import type { TranscriptProject } from "./capture_of.ts";
import type { RecordedSession, TakeLostOptions } from "./missing_uses.ts";

/** The allowed difference between a hook's clock and the time in a transcript's line, in milliseconds. */
const MAX_CLOCK_GAP_MS = 60_000;

/**
 * Writes the missing tool uses of a session and its sub-agents. Must be called before a drain, which then sees all tool
 * uses in order. A hook that comes later writes nothing twice.
 *
 * @returns How many captures were written. @throws {Error} SQLite's error.
 */
export async function takeLostUses(
  db: DatabaseSync,
  session: RecordedSession,
  options: TakeLostOptions,
): Promise<number> {
  let taken = 0;
  for (const path of transcriptsOfSession(session.transcript)) {
    taken += await takeFrom(db, { ...session, path }, options);
  }
  return taken;
}

/** How long ago a session may have been active, in milliseconds, and how many sessions one run reads at most. */
const RECENT_MS = 172_800_000;
const MAX_RECENT = 50;

/** Runs {@linkcode takeLostUses} for the newest sessions: one session takes what an earlier one lost at its end. */
export async function takeLostOfRecent(
  db: DatabaseSync,
  options: TakeLostOptions & {
    readonly locations: Locations;
    /** A project that was read already. */
    readonly own?: TranscriptProject;
  },
): Promise<number> {
  const { locations, own } = options;
  const { projectFinder } = await import("./capture_of.ts");
  const projectOf = projectFinder(locations);
  const recent = recentTranscripts(db, options.nowMs - RECENT_MS, MAX_RECENT);
  let taken = 0;
  for (const { projectDir, ...session } of recent) {
    // The configuration of a project with a masked path cannot be found.
    if (projectDir?.includes("[redacted:")) continue;
    const isOwn = own !== undefined && own.dir === projectDir;
    const project = () => isOwn ? Promise.resolve(own) : projectOf(projectDir);
    taken += await takeLostUses(db, { ...session, project }, options);
  }
  return taken;
}

/** The prefix of the counters that hold how many bytes of a transcript were read. They go with their session. */
const READ_TO = "claim:transcript:";

async function takeFrom(
  db: DatabaseSync,
  session: RecordedSession & { readonly path: string },
  options: TakeLostOptions,
): Promise<number> {
  const { sessionId, path } = session;
  const type = `${READ_TO}${path.slice(path.lastIndexOf("/") + 1)}`;
  const from = readCounter(db, sessionId, type);
  const size = quietly(() => statSync(path).size) ?? 0;
  if (size <= from) return 0;
  const { endsAt, results } = resultsSince(path, from, options);
  const sinceMs = Math.min(...results.values()) - MAX_CLOCK_GAP_MS;
  const known = results.size === 0 ? null : capturedToolUses(db, { sessionId, sinceMs });
  const missing = new Set([...results.keys()].filter((id) => !known!.has(id)));
  const taken = missing.size === 0 ? 0 : await (await import("./missing_uses.ts")).takeMissing(
    db,
    { ...session, missing, from, sinceMs: session.startedAtMs - MAX_CLOCK_GAP_MS },
    options,
  );
  setCounter(db, { sessionId, type, value: endsAt, atMs: options.nowMs });
  return taken;
}

const RESULT = /"tool_use_id":"([^"\\]+)"/g;
const TIME = /"timestamp":"([^"\\]+)"/;

/** Finds the tool uses that ended after a byte of a transcript, with their times, and where reading stopped. */
function resultsSince(
  path: string,
  from: number,
  { nowMs, untilMs }: TakeLostOptions,
): { readonly endsAt: number; readonly results: ReadonlyMap<string, number> } {
  const results = new Map<string, number>();
  let read = from;
  for (const { text, isEnded, endsAt } of transcriptTexts(path, from)) {
    if (!isEnded || performance.now() > untilMs) break;
    if (text?.includes('"tool_result"')) {
      const atMs = Date.parse(TIME.exec(text)?.[1] ?? "") || nowMs;
      for (const [, id] of text.matchAll(RESULT)) results.set(id!, atMs);
    }
    read = endsAt;
  }
  return { endsAt: read, results };
}
