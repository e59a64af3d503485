/** Takes rows of an export back, and rows that importers of other programs make in the same form. */
import type { DatabaseSync } from "node:sqlite";
import type { RedactRules } from "../secrets/redact.ts";
import { UserError } from "../errors.ts";
import { summaryUid } from "../memory/summary_uid.ts";
import { paceBesideHooks } from "../recall/room_for_hooks.ts";
import { checkpoint, SCHEMA_VERSION, transaction } from "../store/database.ts";
import {
  type CountName,
  EXPORT_FORMAT,
  type ExportType,
  noCounts,
  tableOf,
} from "../store/exported_tables.ts";
import { receiptIds } from "../store/forget_receipts.ts";
import { forgottenRows } from "../store/import_forgotten.ts";
import { endObservations, prepareObservations } from "../store/import_observations.ts";
import {
  deferTaskParents,
  detachOrphanTasks,
  fateOf,
  type ImportedColumns,
  importRow,
  RowError,
} from "../store/import_rows.ts";
import { indexTogether } from "../store/index_together.ts";
import { ensureIndex } from "../store/memory_index.ts";
import { askForSummary } from "../store/queue_work.ts";
import { waitMs } from "../store/wait.ts";
import { readLine, type SourceLine } from "./import_lines.ts";
import { redactRow } from "./import_redaction.ts";

/** A row that is to be taken. */
export interface ArrivingRow {
  readonly type: ExportType;
  readonly columns: ImportedColumns;
  /** The number of its line in an export, 1 and up; 0 where it comes from elsewhere. */
  readonly line: number;
  /** All that it says, as one text. */
  readonly text: string;
}

/** What became of rows. */
export interface TakenRows {
  /** Rows that were put in, by what they are. */
  readonly imported: Readonly<Record<CountName, number>>;
  /** Rows that are here in the same version. */
  readonly known: Readonly<Record<CountName, number>>;
  /** Rows that were older here. */
  readonly replaced: number;
  /** Rows of which a newer version is here, and the history of such rows: they are left out. */
  readonly outdated: number;
  /** Rows that belong to a task or a workflow that is neither here nor came. */
  readonly unattached: number;
  /** Rows that were forgotten here: they stay away. */
  readonly forgotten: number;
  /** Tasks whose parent is neither here nor came; they are at the top now. */
  readonly detachedTasks: number;
  /** How many rows or lines say nothing that can be put in. */
  readonly damaged: number;
  /** The first of these, by their numbers. */
  readonly damagedLines: readonly { readonly line: number; readonly why: string }[];
}

/** What an import of an export did. */
export interface ImportReport extends TakenRows {
  /** Receipts of what was forgotten where the export was made, and not here: nothing keeps it away. */
  readonly forgottenElsewhere: number;
  /** Whether the export has no end. */
  readonly cutShort: boolean;
  /** How many lines fewer there are than the export's end tells. */
  readonly missing: number;
}

/** How rows are taken. */
export interface ImportOptions {
  readonly rules: RedactRules;
  /** Only count; the database is not written to. */
  readonly dryRun: boolean;
  /** Called after every batch, with the number of rows. */
  readonly onProgress?: (rows: number) => void;
  /** Called for each new row, in the transaction that puts it in. */
  readonly onNew?: (row: ArrivingRow) => void;
}

/** Few enough that a hook never waits long for its turn, and that the rows take little memory; less beside hooks. */
const BATCH = { maxRows: 300, maxBytes: 4_000_000 };
const BESIDE_HOOKS = { maxRows: 40, maxBytes: 150_000 };
/** So often the write-ahead log is moved into the database, so that it does not grow with the whole run. */
const CHECKPOINT_EVERY_BATCHES = 16;
const MAX_NAMED = 20;

/** An export that is being read. */
export interface ExportSource extends Iterable<SourceLine> {
  /** What was forgotten where it was made, by the ids of the receipts. */
  readonly receipts: readonly string[];
}

/** What is counted on the way. */
type Tally = { -readonly [Name in keyof TakenRows]: TakenRows[Name] } & {
  readonly imported: Record<CountName, number>;
  readonly known: Record<CountName, number>;
  readonly damagedLines: { line: number; why: string }[];
  rows: number;
};

/**
 * The lines of an export behind its first one.
 *
 * @throws {UserError} When it is no export, or one that this program cannot read.
 */
export function linesOfExport(lines: Iterator<SourceLine>): ExportSource {
  let step = lines.next();
  while (!step.done && step.value.text?.trim() === "") step = lines.next();
  const { receipts } = readMeta(step.done ? null : step.value);
  return {
    receipts: Array.isArray(receipts) ? receipts.map(String) : [],
    [Symbol.iterator]: () => lines,
  };
}

function readMeta(line: SourceLine | null): Readonly<Record<string, unknown>> {
  const found = line === null ? new RowError("there is none") : readLine(line);
  if (found instanceof RowError || found.kind !== "meta") {
    throw new UserError("This is no export of conclaude", {
      why: `its first line is not the one that begins an export${
        found instanceof RowError ? `: ${found.message}` : ""
      }; nothing was changed`,
      next: "conclaude export --output conclaude.jsonl",
    });
  }
  const { format, schema } = found.fields;
  if (format === EXPORT_FORMAT && !(Number(schema) > SCHEMA_VERSION)) return found.fields;
  throw new UserError("This export is of a newer conclaude", {
    why: `it has format ${format} and schema ${schema}, this program reads up to format ` +
      `${EXPORT_FORMAT} and schema ${SCHEMA_VERSION}; nothing was changed`,
    next: "Install the newest conclaude",
  });
}

/**
 * Takes an export back. One that is broken off can be taken again.
 *
 * @param lines Those of {@linkcode linesOfExport}.
 * @throws {Error} What SQLite or the file system says; what was put in before stays.
 */
export function importLines(
  db: DatabaseSync,
  lines: ExportSource,
  options: ImportOptions,
): ImportReport {
  const here = new Set(receiptIds(db));
  const end: { told: number | null } = { told: null };
  const tally = newTally();
  const { rows, ...taken } = takeInto(tally, { db, rows: rowsIn(lines, tally, end), options });
  return {
    ...taken,
    forgottenElsewhere: lines.receipts.filter((id) => !here.has(id)).length,
    cutShort: end.told === null,
    missing: Math.max(0, (end.told ?? 0) - rows - taken.damaged),
  };
}

/**
 * Puts rows in that are not here in this version yet, some in one transaction. What each row says is masked before, and
 * what was forgotten here stays away.
 *
 * @throws {Error} What SQLite says; what was put in before stays.
 */
export function takeRows(
  db: DatabaseSync,
  rows: Iterable<ArrivingRow>,
  options: ImportOptions,
): TakenRows {
  const { rows: _rows, ...taken } = takeInto(newTally(), { db, rows, options });
  return taken;
}

function newTally(): Tally {
  return {
    imported: noCounts(),
    known: noCounts(),
    replaced: 0,
    outdated: 0,
    unattached: 0,
    forgotten: 0,
    detachedTasks: 0,
    damaged: 0,
    damagedLines: [],
    rows: 0,
  };
}

function takeInto(tally: Tally, { db, rows, options }: {
  readonly db: DatabaseSync;
  readonly rows: Iterable<ArrivingRow>;
  readonly options: ImportOptions;
}): Tally {
  const { dryRun } = options;
  if (!dryRun) {
    ensureIndex(db);
    prepareObservations(db);
  }
  const take = taker(db, tally, options);
  const paceOf = paceBesideHooks(db, BATCH, BESIDE_HOOKS);
  let batches = 0;
  for (const { batch, pauseMs } of batchesOf(rows, paceOf)) {
    const masked = batch.map((row) => ({ ...row, columns: redactRow(row, options.rules) }));
    tally.rows += batch.length;
    if (dryRun) masked.forEach(take);
    else {
      indexTogether(db, () => {
        const isTasks = isTask(batch[0]!);
        if (isTasks) deferTaskParents(db);
        masked.forEach(take);
        if (isTasks) tally.detachedTasks += detachOrphanTasks(db);
      });
      if (++batches % CHECKPOINT_EVERY_BATCHES === 0) checkpoint(db, "PASSIVE");
      if (pauseMs > 0) waitMs(pauseMs);
    }
    options.onProgress?.(tally.rows);
  }
  if (!dryRun) {
    transaction(db, () => endObservations(db));
    // The next hook has to read the whole log.
    checkpoint(db, "TRUNCATE");
  }
  // A table finds its faults later than the reader does.
  tally.damagedLines.sort((one, other) => one.line - other.line);
  return tally;
}

/** Makes what takes one row, in the transaction of its batch. */
function taker(
  db: DatabaseSync,
  tally: Tally,
  { dryRun, onNew }: ImportOptions,
): (row: ArrivingRow) => void {
  const admit = forgottenRows(db);
  const run = { outdated: new Set<string>(), isDryRun: dryRun };
  return (row) => {
    const { type, columns, line } = row;
    try {
      let fate = fateOf(db, type, columns, run);
      const admitted = fate === "new" || fate === "replaced" ? admit(type, columns) : columns;
      if (admitted === null) {
        tally.forgotten++;
        const sessionId = String(columns["session_id"]);
        if (!dryRun && columns["uid"] === summaryUid(sessionId)) askForSummary(db, sessionId);
        return;
      }
      if (!dryRun) fate = importRow(db, type, { columns: admitted, fate });
      if (fate === "new" || fate === "known") {
        tally[fate === "new" ? "imported" : "known"][tableOf(type).count]++;
      } else tally[fate]++;
      if (fate === "new" && !dryRun) onNew?.({ ...row, columns: admitted });
    } catch (thrown) {
      if (!(thrown instanceof RowError)) throw thrown;
      tally.rows--;
      damage(tally, line, thrown.message);
    }
  };
}

/** The rows in their order; a line that is none is counted. */
function* rowsIn(
  lines: Iterable<SourceLine>,
  tally: Tally,
  end: { told: number | null },
): Generator<ArrivingRow> {
  for (const line of lines) {
    if (line.text?.trim() === "") continue;
    const found = readLine(line);
    if (found instanceof RowError) {
      // The last line of what was cut short is told as that.
      if (line.isWhole || end.told !== null) damage(tally, line.number, found.message);
    } else if (end.told !== null || found.kind === "meta") {
      const why = "it stands behind the end of the export, or is the beginning of another one";
      damage(tally, line.number, why);
    } else if (found.kind === "row") {
      yield { type: found.type, columns: found.columns, line: line.number, text: line.text! };
    } else {
      end.told = Object.keys(noCounts())
        .reduce((sum, name) => sum + (Number(found.fields[name]) || 0), 0);
    }
  }
}

/** All tasks come together, since each may belong to a later one. */
function* batchesOf(rows: Iterable<ArrivingRow>, paceOf: ReturnType<typeof paceBesideHooks>) {
  let batch: ArrivingRow[] = [];
  let chars = 0;
  let pace = paceOf();
  for (const row of rows) {
    const { maxRows, maxBytes } = pace.batch;
    const isFull = !isTask(row) && (batch.length >= maxRows || chars >= maxBytes);
    if (batch.length > 0 && (isFull || isTask(batch[0]!) !== isTask(row))) {
      yield { batch, pauseMs: pace.pauseMs };
      batch = [];
      chars = 0;
      pace = paceOf();
    }
    batch.push(row);
    chars += row.text.length;
  }
  if (batch.length > 0) yield { batch, pauseMs: 0 };
}

function isTask({ type }: ArrivingRow): boolean {
  return type === "task";
}

function damage(tally: Tally, line: number, why: string): void {
  tally.damaged++;
  if (tally.damagedLines.length < MAX_NAMED) tally.damagedLines.push({ line, why });
}
