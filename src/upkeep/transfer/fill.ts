/** Reads transcripts again and writes the missing captures, as hooks would have written them. */
import type { DatabaseSync } from "node:sqlite";
import {
  type TranscriptItem,
  transcriptReader,
} from "../../claude/transcript/transcript_reader.ts";
import { type PastCapture, type PastSession, pastWriter } from "./backfill_table.ts";
import { checkpoint } from "../../db/database.ts";
import { daysMs } from "../../base/time.ts";
import { captureIdOf, captureOf } from "./capture_of.ts";
import type { ComparedSession } from "./compare.ts";
import { fileLines, parseLine } from "./find_transcripts.ts";
import type { ScannedSession } from "./scan.ts";

/** A batch is small, so that hooks wait only a short time and the captures take little memory. */
const BATCH = { maxRows: 50, maxChars: 4_000_000 };

/** After so many batches the write-ahead log is moved into the database, so that it stays short. */
const CHECKPOINT_EVERY_BATCHES = 32;

/** How many captures were written, and of how many sessions. */
export interface FillReport {
  readonly written: number;
  readonly sessions: number;
}

/**
 * Writes what a comparison found missing. It can be stopped at any time, run twice at once, and run again: nothing is
 * written twice.
 *
 * @param options `nowMs`: in epoch milliseconds. `onProgress`: called after every batch.
 * @throws {Error} When SQLite cannot write; earlier batches stay.
 */
export async function fillIn(
  db: DatabaseSync,
  compared: readonly ComparedSession[],
  options: { readonly nowMs: number; readonly onProgress: (written: number) => void },
): Promise<FillReport> {
  let written = 0;
  let batches = 0;
  const touched = new Set<string>();
  for (const { session, missing } of compared) {
    const write = pastWriter(db, pastSessionOf(session, options.nowMs));
    const wanted = new Set(missing.map(({ id }) => id));
    for (const path of new Set(missing.map(({ path }) => path))) {
      let batch: PastCapture[] = [];
      let chars = 0;
      const save = () => {
        const saved = write(batch);
        if (saved > 0) touched.add(session.sessionId);
        written += saved;
        batch = [];
        chars = 0;
        if (++batches % CHECKPOINT_EVERY_BATCHES === 0) checkpoint(db, "PASSIVE");
        options.onProgress(written);
      };
      for await (const made of pastCaptures(path, session, wanted)) {
        batch.push(made);
        chars += made.capture.payload.length;
        if (batch.length >= BATCH.maxRows || chars >= BATCH.maxChars) save();
      }
      if (batch.length > 0) save();
    }
  }
  return { written, sessions: touched.size };
}

/** The wanted captures of a file. */
async function* pastCaptures(
  path: string,
  session: ScannedSession,
  wanted: Set<string>,
): AsyncGenerator<PastCapture> {
  for (const item of itemsIn(path)) {
    if (item.sessionId !== session.sessionId) continue;
    const id = captureIdOf(item);
    if (!wanted.delete(id)) continue;
    const capture = await captureOf(item, session.project);
    yield { id, atMs: item.atMs, branch: session.project.hide(item.branch), capture };
  }
}

function* itemsIn(path: string): Generator<TranscriptItem> {
  const reader = transcriptReader();
  for (const { text } of fileLines(path)) {
    const line = parseLine(text);
    if ("value" in line) yield* reader.take(line.value).items;
  }
  yield* reader.end();
}

/** Retention keeps even an old session for a day after the fill, so that the drain can observe it. */
function pastSessionOf(session: ScannedSession, nowMs: number): PastSession {
  const { project, sessionId, title, firstAtMs, lastAtMs } = session;
  const { sessionRetentionDays: days } = project.config;
  const keptFromMs = days === 0 ? 0 : nowMs - daysMs(days) + daysMs(1);
  return {
    sessionId,
    title,
    projectDir: project.hide(project.dir),
    repository: project.hide(project.repository),
    branch: project.hide(session.branch),
    cwd: project.hide(session.cwd),
    transcriptPath: project.hide(session.transcriptPath),
    startedAtMs: firstAtMs,
    updatedAtMs: lastAtMs,
    endedAtMs: Math.max(lastAtMs, Math.min(nowMs, keptFromMs)),
  };
}
