/** Counts the tokens of the known sessions: reads of their transcripts what is new since the last time. */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../../base/errors.ts";
import { digestOf } from "../../base/fnv.ts";
import { transcriptLines, transcriptsOfSession } from "../../claude/transcript/find_transcripts.ts";
import { type MessageUsage, TELLS_USAGE, usageOf } from "../../claude/transcript/token_usage.ts";
import { transaction } from "../../db/transaction.ts";
import { openSync, SeekMode } from "../../system/files.ts";
import type { TokenCountOptions } from "../drain/capture_drain.ts";
import {
  type CountedSession,
  keepReadPlace,
  keepTokens,
  type ReadPlace,
  readPlace,
  sessionsToCount,
  type TokenOwner,
} from "./token_use_table.ts";

/** Knows what must stay away: names, sessions, projects and times that were forgotten. */
export type IsForgotten = (message: {
  readonly sessionId: string;
  readonly project: string | null;
  readonly atMs: number;
  readonly names: readonly string[];
  readonly keys: readonly string[];
}) => boolean;

/** One transaction takes so much of a transcript, in bytes: some milliseconds. */
const STEP_BYTES = 4_000_000;
/** The bytes before the place that show whether the transcript is still the same. */
const BEFORE_BYTES = 1_024;
/** How far a transcript counts as read that is not there any more. */
const GONE: ReadPlace = { bytes: 0, before: "" };

/** Makes the `countsTokens` of a drain. @param lookUp Asked once, when counting begins. */
export function tokenCounter(lookUp: (db: DatabaseSync) => { readonly has: IsForgotten }) {
  return function* (
    db: DatabaseSync,
    { nowMs, untilMs }: TokenCountOptions,
  ): Generator<number, void> {
    const { has } = lookUp(db);
    for (const session of sessionsToCount(db)) {
      // The session's own transcript comes last: once it is noted as read, the session is done.
      for (const path of transcriptsOfSession(session.path).toReversed()) {
        let isWhole = false;
        while (!isWhole) {
          if (performance.now() >= untilMs) return;
          isWhole = countStep(db, { ...session, path }, { atMs: nowMs, isForgotten: has });
          yield 0;
        }
      }
    }
  };
}

/** Counts some of a transcript. @returns False when there is more. */
function countStep(
  db: DatabaseSync,
  { path, ...owner }: CountedSession,
  { atMs, isForgotten }: { readonly atMs: number; readonly isForgotten: IsForgotten },
): boolean {
  // A transcript that is gone, or cannot be read, is looked at again when its session goes on.
  const { place, usages, isWhole } = quietly(() => readOn(path, readPlace(db, path))) ??
    { place: readPlace(db, path) ?? GONE, usages: [], isWhole: true };
  transaction(db, () => {
    for (const usage of usages) {
      const of: TokenOwner = { ...owner, sessionId: usage.copiedFrom ?? owner.sessionId };
      if (isForgotten({ ...of, atMs: usage.atMs, names: [usage.id], keys: [] })) continue;
      keepTokens(db, of, usage);
    }
    keepReadPlace(db, path, { ...place, atMs });
  });
  return isWhole;
}

/** Reads a transcript from its place on; from its beginning where it is another one by now. */
function readOn(path: string, known: ReadPlace | undefined) {
  const from = known !== undefined && digestBefore(path, known.bytes) === known.before
    ? known.bytes
    : 0;
  const usages = new Map<string, MessageUsage>();
  let bytes = from;
  let isWhole = true;
  for (const { value, endsAt, isEnded } of transcriptLines(path, { from, holding: TELLS_USAGE })) {
    const usage = usageOf(value);
    if (usage !== null) usages.set(usage.id, usage);
    // Claude Code may be writing the last line, so it is read again the next time.
    if (!isEnded) break;
    bytes = endsAt;
    isWhole = bytes - from < STEP_BYTES;
    if (!isWhole) break;
  }
  const place: ReadPlace = { bytes, before: digestBefore(path, bytes) };
  return { place, usages: [...usages.values()], isWhole };
}

/** Digests the bytes before a place; empty at the beginning, and where the file is shorter. */
function digestBefore(path: string, at: number): string {
  using file = openSync(path);
  if (at === 0 || file.statSync().size < at) return "";
  const bytes = new Uint8Array(Math.min(at, BEFORE_BYTES));
  file.seekSync(at - bytes.length, SeekMode.Start);
  file.readSync(bytes);
  return digestOf(String.fromCharCode(...bytes));
}
