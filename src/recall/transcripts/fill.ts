/** Fills in what is missing: reads the transcripts again, and writes the captures that hooks would have written. */
import type { DatabaseSync } from "node:sqlite";
import { transcriptReader } from "../../memory/transcript/reader.ts";
import { type PastCapture, type PastSession, pastWriter } from "../../store/backfill.ts";
import { checkpoint } from "../../store/database.ts";
import { daysMs } from "../../time.ts";
import { captureIdOf, captureOf } from "./capture_of.ts";
import type { ComparedSession } from "./compare.ts";
import { fileLines } from "./find.ts";
import { parsedLine, type ScannedSession } from "./scan.ts";

/** Few enough that no hook waits long, and that they take little memory. */
const BATCH = { maxRows: 50, maxChars: 4_000_000 };

/** The batches between two checkpoints, so that the write-ahead log does not grow with the whole run. */
const CHECKPOINT_EVERY_BATCHES = 32;

/** What was filled in. */
export interface FillReport {
  /** Captures that were written. */
  readonly written: number;
  /** Sessions that something was written of. */
  readonly sessions: number;
}

/** How a fill goes. */
export interface FillOptions {
  /** The time, in epoch milliseconds. */
  readonly nowMs: number;
  /** Called after every write. */
  readonly onProgress: (written: number) => void;
}

/**
 * Writes what a comparison found missing. It may be stopped at any time, run beside itself and run again: what is there
 * is not written twice.
 *
 * @throws {Error} What SQLite says when it cannot be written; what was written before stays.
 */
export async function fillIn(
  db: DatabaseSync,
  compared: readonly ComparedSession[],
  options: FillOptions,
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
  const reader = transcriptReader();
  const lines = function* () {
    for (const { text } of fileLines(path)) {
      const line = text === null ? { reason: "" } : parsedLine(text);
      if ("value" in line) yield* reader.take(line.value).items;
    }
    yield* reader.end();
  };
  for (const item of lines()) {
    if (item.sessionId !== session.sessionId) continue;
    const id = captureIdOf(item);
    if (!wanted.delete(id)) continue;
    const capture = await captureOf(item, session.project);
    yield { id, atMs: item.atMs, branch: session.project.hide(item.branch), capture };
  }
}

/** A session older than retention allows still stays for a day, so that the drain can work it into memory. */
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
