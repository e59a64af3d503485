/**
 * Takes tool uses from transcripts that no hook has told: Claude Code kills its asynchronous hooks when it ends. Each
 * run reads only what a transcript has got since the last one.
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
import { APART_MS, type TakeOptions, type ToldSession } from "./told_session.ts";

/**
 * Takes what is missing of a session and its sub-agents. To be called before a drain, which then sees all tool uses in their
 * order, whatever hooks are still under way: of one that comes later nothing is kept twice.
 *
 * @returns How many captures it wrote. @throws {Error} What SQLite says.
 */
export async function takeLostUses(
  db: DatabaseSync,
  session: ToldSession,
  options: TakeOptions,
): Promise<number> {
  let taken = 0;
  for (const path of transcriptsOfSession(session.transcript)) {
    taken += await takeFrom(db, { ...session, path }, options);
  }
  return taken;
}

/** Only sessions that were active within this time, in milliseconds, are completed, and at most this many. */
const RECENT_MS = 172_800_000;
const MAX_RECENT = 50;

/** {@linkcode takeLostUses} for the newest sessions: what one lost at its end, another one finds. */
export async function takeLostOfRecent(
  db: DatabaseSync,
  options: TakeOptions & {
    readonly locations: Locations;
    /** A project that need not be read again. */
    readonly own?: TranscriptProject;
  },
): Promise<number> {
  const { locations, own } = options;
  const { projectFinder } = await import("./capture_of.ts");
  const projectOf = projectFinder(locations);
  const recent = recentTranscripts(db, options.nowMs - RECENT_MS, MAX_RECENT);
  let taken = 0;
  for (const { projectDir, ...session } of recent) {
    // The rules of a project whose path was masked cannot be found.
    if (projectDir?.includes("[redacted:")) continue;
    const isOwn = own !== undefined && own.dir === projectDir;
    const project = () => isOwn ? Promise.resolve(own) : projectOf(projectDir);
    taken += await takeLostUses(db, { ...session, project }, options);
  }
  return taken;
}

/** Begins the type of the row that says up to which byte a transcript was read. Removed with its session. */
const READ_TO = "claim:transcript:";

async function takeFrom(
  db: DatabaseSync,
  session: ToldSession & { readonly path: string },
  options: TakeOptions,
): Promise<number> {
  const { sessionId, path } = session;
  const type = `${READ_TO}${path.slice(path.lastIndexOf("/") + 1)}`;
  const from = readCounter(db, sessionId, type);
  const size = quietly(() => statSync(path).size) ?? 0;
  if (size <= from) return 0;
  const { endsAt, results } = resultsSince(path, from, options);
  const sinceMs = Math.min(...results.values()) - APART_MS;
  const known = results.size === 0 ? null : capturedToolUses(db, { sessionId, sinceMs });
  const missing = new Set([...results.keys()].filter((id) => !known!.has(id)));
  const taken = missing.size === 0 ? 0 : await (await import("./missing_uses.ts")).takeMissing(
    db,
    { ...session, missing, from },
    options,
  );
  setCounter(db, { sessionId, type, value: endsAt, atMs: options.nowMs });
  return taken;
}

const RESULT = /"tool_use_id":"([^"\\]+)"/g;
const TIME = /"timestamp":"([^"\\]+)"/;

/** The ids of the tool uses that ended since a place in a transcript, with their times, and where reading stopped. */
function resultsSince(
  path: string,
  from: number,
  { nowMs, untilMs }: TakeOptions,
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
