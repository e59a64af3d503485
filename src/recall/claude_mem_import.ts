/** Takes the memory of claude-mem over. */
import type { DatabaseSync } from "node:sqlite";
import { normalizeSessionId, UNKNOWN_SESSION_ID } from "../ids.ts";
import { rememberedRow, rememberedUid } from "../memory/claude_mem.ts";
import { indexedTerms } from "../memory/terms.ts";
import { type ClaudeMemRow, claudeMemRows, type ClaudeMemTable } from "../store/claude_mem.ts";
import { checkpoint, transaction } from "../store/database.ts";
import { type Move, moveObservations, observationByUid } from "../store/foreign_memory.ts";
import { isForgotten } from "../store/forgotten_names.ts";
import { ensureIndex, rewriteIndex } from "../store/memory_index.ts";
import { type NewObservation, saveObservation } from "../store/observations.ts";
import type { BatchSize } from "../store/queue_work.ts";
import { waitMs } from "../store/wait.ts";
import type { MemoryPlace } from "./claude_mem_places.ts";
import { paceBesideHooks } from "./room_for_hooks.ts";

/** What the rows of a table are, whichever of the two programs it is of. */
const COUNTED = {
  observations: "observations",
  session_summaries: "session_summaries",
  user_prompts: "user_prompts",
  lite_observations: "observations",
  lite_sessions: "session_summaries",
  lite_learnings: "learnings",
} as const satisfies Record<ClaudeMemTable, string>;
type CountName = typeof COUNTED[ClaudeMemTable];

/** What was taken over, in rows of claude-mem. */
export interface ClaudeMemReport {
  readonly imported: Readonly<Record<CountName, number>>;
  /** Rows that were taken over before. */
  readonly known: number;
  /** Those among them that belong to another project now. */
  readonly moved: number;
  /** Rows that say nothing, or nothing that may be kept. */
  readonly empty: number;
  /** Rows that were taken over before, and then forgotten: they stay away. */
  readonly forgotten: number;
  /** Rows of projects that are not known here, by the name that they keep. */
  readonly unplaced: Readonly<Record<string, number>>;
  /** Tables that could not be read to their end. */
  readonly damaged: readonly ClaudeMemTable[];
}

/** How it is taken over. */
export interface ClaudeMemOptions {
  readonly tables: readonly ClaudeMemTable[];
  /** Takes out what must not be kept. */
  readonly mask: (text: string) => string;
  /** Where a project of this name lies; null when nobody knows, undefined when it is not wanted. */
  readonly placeOf: (name: string) => MemoryPlace | null | undefined;
  readonly dryRun: boolean;
  /** Called after every batch, with the number of rows. */
  readonly onProgress?: (rows: number) => void;
}

/** Few enough that a hook never waits long for its turn; and what is written at once while hooks are at work. */
const BATCH: BatchSize = { maxRows: 100, maxBytes: 500_000 };
const BESIDE_HOOKS: BatchSize = { maxRows: 40, maxBytes: 150_000 };
/** So often the write-ahead log is moved into the database, so that it does not grow with the whole run. */
const CHECKPOINT_EVERY_BATCHES = 24;
/** How long the database is left alone between two steps that write the index anew, in milliseconds. */
const REWRITE_PAUSE_MS = 10;

/**
 * Takes over what is not there yet, and lets what nobody knew where to put belong where that is known by now. Texts are
 * made ready beside the transactions, which are small: hooks come in between. What is broken off can be done again.
 *
 * @throws {Error} What SQLite says; what was taken over before stays.
 */
export function importClaudeMemory(
  db: DatabaseSync,
  source: DatabaseSync,
  options: ClaudeMemOptions,
): ClaudeMemReport {
  const report: Tally = {
    imported: { observations: 0, session_summaries: 0, user_prompts: 0, learnings: 0 },
    known: 0,
    moved: 0,
    empty: 0,
    forgotten: 0,
    unplaced: {},
    damaged: [],
  };
  const readied = readyBy(db, { ...options, report });
  const write = options.dryRun ? (due: readonly Due[]) => tally(due, report) : writer(db, report);
  if (!options.dryRun) ensureIndex(db);
  let rows = 0;
  for (const table of options.tables) {
    const batches = claudeMemRows(source, table);
    let step = batches.next();
    for (; !step.done; step = batches.next()) {
      write(step.value.flatMap((row) => readied(row) ?? []));
      rows += step.value.length;
      options.onProgress?.(rows);
    }
    if (!step.value) report.damaged.push(table);
  }
  if (options.dryRun) return report;
  if (report.moved > 0) rewriteIndex(db, () => waitMs(REWRITE_PAUSE_MS));
  checkpoint(db, "PASSIVE");
  // The next hook has to read the whole log.
  checkpoint(db, "TRUNCATE");
  return report;
}

/** The report while it is made. */
type Tally =
  & { -readonly [Name in keyof ClaudeMemReport]: ClaudeMemReport[Name] }
  & {
    readonly imported: Record<CountName, number>;
    readonly unplaced: Record<string, number>;
    readonly damaged: ClaudeMemTable[];
  };

/** A row that is to be written. */
interface Due {
  readonly table: ClaudeMemTable;
  readonly observation: NewObservation;
  /** The observation that it was taken over as, and that belongs to a project now; null where there is none. */
  readonly known: number | null;
}

/** Makes what reads a row: null when nothing has to be written for it, which is counted. */
function readyBy(
  db: DatabaseSync,
  { mask, placeOf, report }: Pick<ClaudeMemOptions, "mask" | "placeOf"> & {
    readonly report: Tally;
  },
): (row: ClaudeMemRow) => Due | null {
  const names = new Map<string, string>();
  const maskedName = (name: string) => {
    const masked = names.get(name) ?? mask(name);
    names.set(name, masked);
    return masked;
  };
  return (row) => {
    const place = placeOf(row.project);
    if (place === undefined) return null;
    const name = maskedName(row.project);
    const known = observationByUid(db, rememberedUid(row));
    // Only what nobody knew where to put; what has its place keeps it.
    const stays = known !== undefined &&
      (place === null || known.project !== (name || null) || known.project === place.project);
    if (stays) {
      report.known++;
      if (place === null) countUnplaced(report, name);
      return null;
    }
    const remembered = rememberedRow(row, { mask, root: place?.root ?? null });
    if (remembered === null) {
      report.empty++;
      return null;
    }
    if (known === undefined && isForgotten(db, remembered.uid)) {
      report.forgotten++;
      return null;
    }
    if (place === null) countUnplaced(report, name);
    const { title, text, files } = remembered;
    const project = place?.project ?? (name || null);
    return {
      table: row.table,
      known: known?.id ?? null,
      observation: {
        ...remembered,
        sessionId: normalizeSessionId(row.sessionId) ?? UNKNOWN_SESSION_ID,
        project,
        branch: null,
        outcome: null,
        terms: indexedTerms([title, text, ...files.map(({ path }) => path)].join("\n"), project),
        sameAs: null,
      },
    };
  };
}

function countUnplaced({ unplaced }: Tally, name: string): void {
  unplaced[name] = (unplaced[name] ?? 0) + 1;
}

/** Counts what a run that writes nothing would write. */
function tally(due: readonly Due[], report: Tally): void {
  for (const { table, known } of due) {
    if (known === null) report.imported[COUNTED[table]]++;
    else {
      report.known++;
      report.moved++;
    }
  }
}

/** Makes what writes rows, as many at once as leave room for hooks. */
function writer(db: DatabaseSync, report: Tally): (due: readonly Due[]) => void {
  const paceOf = paceBesideHooks(db, BATCH, BESIDE_HOOKS);
  let batches = 0;
  return (due) => {
    for (let from = 0; from < due.length;) {
      const { batch, pauseMs } = paceOf();
      const part = due.slice(from, from + countFitting(due, from, batch));
      const written = transaction(db, () => put(db, part));
      tally(written, report);
      report.known += part.length - written.length;
      from += part.length;
      if (++batches % CHECKPOINT_EVERY_BATCHES === 0) checkpoint(db, "PASSIVE");
      if (pauseMs > 0) waitMs(pauseMs);
    }
  };
}

/** How many of the rows from a place on are written at once; at least one. */
function countFitting(due: readonly Due[], from: number, { maxRows, maxBytes }: BatchSize): number {
  let count = 0;
  let bytes = 0;
  for (; count < maxRows && from + count < due.length; count++) {
    const { text, terms } = due[from + count]!.observation;
    bytes += text.length + terms.length;
    if (count > 0 && bytes > maxBytes) break;
  }
  return count;
}

/** Writes rows. @returns Those that another process has not written, moved or removed meanwhile. */
function put(db: DatabaseSync, part: readonly Due[]): readonly Due[] {
  const moves: Move[] = [];
  const written = part.filter(({ known, observation }) => {
    const now = observationByUid(db, observation.uid);
    if (known === null) {
      if (now === undefined) saveObservation(db, observation);
      return now === undefined;
    }
    const isDue = now !== undefined && now.project !== observation.project;
    if (isDue) moves.push({ ...observation, id: now.id });
    return isDue;
  });
  moveObservations(db, moves);
  return written;
}
