/** Counts the tokens of known sessions: reads what is new in their transcripts since the last count. */
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

/** Tells whether a message was forgotten, by its id (the only name it has), its session, project or time. */
export type IsForgotten = (message: {
  readonly sessionId: string;
  readonly project: string | null;
  readonly atMs: number;
  readonly names: readonly string[];
  readonly keys: readonly string[];
}) => boolean;

/** The bytes of a transcript that one transaction takes: some milliseconds of work. */
const STEP_BYTES = 4_000_000;
/** How many bytes before a place are digested, to see whether the transcript is still the same. */
const BEFORE_BYTES = 1_024;
/** The place that is noted for a transcript that no longer exists. */
const GONE: ReadPlace = { bytes: 0, before: "" };

/** Makes the `countsTokens` of a drain. `lookUp` is called once, when counting begins. */
export function tokenCounter(lookUp: (db: DatabaseSync) => { readonly has: IsForgotten }) {
  return function* (
    db: DatabaseSync,
    { nowMs, untilMs }: TokenCountOptions,
  ): Generator<number, void> {
    const { has } = lookUp(db);
    for (const session of sessionsToCount(db)) {
      // The session's own transcript comes last: once it is noted as read, the session is done.
      for (const path of transcriptsOfSession(session.path).toReversed()) {
        let isDone = false;
        while (!isDone) {
          if (performance.now() >= untilMs) return;
          isDone = countStep(db, { ...session, path }, { atMs: nowMs, isForgotten: has });
          // No capture is worked here: other work gets its turn.
          yield 0;
        }
      }
    }
  };
}

/** Counts some of a transcript. @returns False when more of it remains. */
function countStep(
  db: DatabaseSync,
  { path, ...owner }: CountedSession,
  { atMs, isForgotten }: { readonly atMs: number; readonly isForgotten: IsForgotten },
): boolean {
  // A missing or unreadable transcript is tried again when its session goes on.
  const { place, usages, isDone } = quietly(() => readOnFrom(path, readPlace(db, path))) ??
    { place: readPlace(db, path) ?? GONE, usages: [], isDone: true };
  transaction(db, () => {
    for (const usage of usages) {
      const of: TokenOwner = { ...owner, sessionId: usage.copiedFrom ?? owner.sessionId };
      if (isForgotten({ ...of, atMs: usage.atMs, names: [usage.id], keys: [] })) continue;
      keepTokens(db, of, usage);
    }
    keepReadPlace(db, path, { ...place, atMs });
  });
  return isDone;
}

/** Reads a transcript on from a known place; from its beginning when another transcript has replaced it. */
function readOnFrom(path: string, known: ReadPlace | undefined) {
  const from = known !== undefined && digestBefore(path, known.bytes) === known.before
    ? known.bytes
    : 0;
  const usages = new Map<string, MessageUsage>();
  let bytes = from;
  let isDone = true;
  for (const { value, endsAt, isEnded } of transcriptLines(path, { from, holding: TELLS_USAGE })) {
    const usage = usageOf(value);
    if (usage !== null) usages.set(usage.id, usage);
    // Claude Code may be writing the last line, so it is read again the next time.
    if (!isEnded) break;
    bytes = endsAt;
    isDone = bytes - from < STEP_BYTES;
    if (!isDone) break;
  }
  const place: ReadPlace = { bytes, before: digestBefore(path, bytes) };
  return { place, usages: [...usages.values()], isDone };
}

/** Digests the bytes before a place; empty at the beginning of a file, and when the file is shorter. */
function digestBefore(path: string, at: number): string {
  using file = openSync(path);
  if (at === 0 || file.statSync().size < at) return "";
  const bytes = new Uint8Array(Math.min(at, BEFORE_BYTES));
  file.seekSync(at - bytes.length, SeekMode.Start);
  file.readSync(bytes);
  return digestOf(String.fromCharCode(...bytes));
}
