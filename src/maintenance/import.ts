/** Takes an export back: every row that is not there yet, as it was. */
import type { DatabaseSync } from "node:sqlite";
import type { RedactRules } from "../secrets/redact.ts";
import { UserError } from "../errors.ts";
import { summaryUid } from "../memory/summary_uid.ts";
import { checkpoint, SCHEMA_VERSION, transaction } from "../store/database.ts";
import type { ExportType } from "../store/exported_tables.ts";
import { type Admit, forgottenRows } from "../store/import_forgotten.ts";
import { receiptIds } from "../store/forgotten.ts";
import { endObservations, prepareObservations } from "../store/import_observations.ts";
import { indexTogether } from "../store/index_together.ts";
import { ensureIndex } from "../store/memory_index.ts";
import { askForSummary } from "../store/queue_work.ts";
import {
  deferTaskParents,
  detachOrphanTasks,
  importRow,
  isKnownRow,
  RowError,
} from "../store/import_rows.ts";
import { COUNT_NAMES, type CountName, FORMAT } from "./exported_fields.ts";
import type { SourceLine } from "./import_lines.ts";
import { redactRow } from "./import_redaction.ts";
import { type ImportedLine, readLine } from "./imported_line.ts";

/** What an import did. */
export interface ImportReport {
  /** Rows that were put in, by what they are. */
  readonly imported: Readonly<Record<CountName, number>>;
  /** Rows that were there already. */
  readonly known: Readonly<Record<CountName, number>>;
  /** Rows that belong to a task or a workflow that is neither there nor in the export. */
  readonly unattached: number;
  /** Rows that were forgotten here: they stay away. */
  readonly forgotten: number;
  /** Receipts of what was forgotten where the export was made, and not here: nothing keeps it away. */
  readonly forgottenElsewhere: number;
  /** Tasks whose parent is neither there nor in the export; they are at the top now. */
  readonly detachedTasks: number;
  /** How many lines say nothing that can be put in. */
  readonly damaged: number;
  /** The first of these, by their numbers, 1 and up. */
  readonly damagedLines: readonly { readonly line: number; readonly why: string }[];
  /** Whether the export has no end. */
  readonly cutShort: boolean;
  /** How many lines fewer there are than the export's end tells. */
  readonly missing: number;
}

/** How an export is taken back. */
export interface ImportOptions {
  readonly rules: RedactRules;
  /** Only count; the database is not written to. */
  readonly dryRun: boolean;
  /** Called after every batch, with the number of rows. */
  readonly onProgress?: (rows: number) => void;
}

/** Few enough that a hook never waits long for its turn, and that the rows take little memory. */
const BATCH_ROWS = 300;
const BATCH_CHARS = 4_000_000;
/** So often the write-ahead log is moved into the database, so that it does not grow with the whole run. */
const CHECKPOINT_EVERY_BATCHES = 16;
const MAX_NAMED = 20;

/** An export that is being read. */
export interface ExportSource extends Iterable<SourceLine> {
  /** What was forgotten where it was made, by the ids of the receipts. */
  readonly receipts: readonly string[];
}

/** A row and where it stands. */
interface Row {
  readonly number: number;
  readonly type: ExportType;
  readonly columns: Extract<ImportedLine, { kind: "row" }>["columns"];
  readonly chars: number;
}

/** What is found out on the way. */
interface Tally {
  readonly imported: Record<CountName, number>;
  readonly known: Record<CountName, number>;
  rows: number;
  unattached: number;
  forgotten: number;
  detachedTasks: number;
  damaged: number;
  readonly damagedLines: { line: number; why: string }[];
  /** Rows that the end tells; null before it. */
  told: number | null;
}

/**
 * The lines of an export behind its first one.
 *
 * @throws {UserError} When it is no export, or one that this program cannot read.
 */
export function linesOfExport(lines: Iterator<SourceLine>): ExportSource {
  let step = lines.next();
  while (!step.done && step.value.text?.trim() === "") step = lines.next();
  const { receipts } = readMeta(
    step.done ? new RowError("there is none") : understood(step.value.text, step.value.fault),
  );
  return {
    receipts: Array.isArray(receipts) ? receipts.map(String) : [],
    [Symbol.iterator]: () => lines,
  };
}

/**
 * Puts the rows of an export in that are not there yet, a few hundred in one transaction. What is broken off can be done
 * again.
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
  const tally: Tally = {
    imported: noCounts(),
    known: noCounts(),
    rows: 0,
    unattached: 0,
    forgotten: 0,
    detachedTasks: 0,
    damaged: 0,
    damagedLines: [],
    told: null,
  };
  let batches = 0;
  if (!options.dryRun) {
    ensureIndex(db);
    prepareObservations(db);
  }
  const admit = forgottenRows(db);
  for (const batch of batchesOf(rowsOf(lines, tally, options))) {
    if (options.dryRun) count(db, batch, { tally, admit });
    else indexTogether(db, () => putIn(db, batch, { tally, admit }));
    if (!options.dryRun && ++batches % CHECKPOINT_EVERY_BATCHES === 0) checkpoint(db, "PASSIVE");
    options.onProgress?.(tally.rows);
  }
  if (!options.dryRun) {
    transaction(db, () => endObservations(db));
    // The next hook has to read the whole log.
    checkpoint(db, "TRUNCATE");
  }
  const { told, rows, ...report } = tally;
  // A table finds its faults later than the reader does.
  report.damagedLines.sort((one, other) => one.line - other.line);
  return {
    ...report,
    forgottenElsewhere: lines.receipts.filter((id) => !here.has(id)).length,
    cutShort: told === null,
    missing: Math.max(0, (told ?? 0) - rows - tally.damaged),
  };
}

/** The rows in their order; what is none is counted. */
function* rowsOf(
  lines: Iterable<SourceLine>,
  tally: Tally,
  { rules }: Pick<ImportOptions, "rules">,
): Generator<Row> {
  for (const { number, text, fault, isWhole } of lines) {
    if (text?.trim() === "") continue;
    const found = understood(text, fault);
    if (found instanceof RowError) {
      // The last line of what was cut short is told as that.
      if (isWhole || tally.told !== null) damage(tally, number, found.message);
    } else if (tally.told !== null || found.kind === "meta") {
      damage(
        tally,
        number,
        "it stands behind the end of the export, or is the beginning of another one",
      );
    } else if (found.kind !== "row") {
      tally.told = Object.values(COUNT_NAMES)
        .reduce((sum, name) => sum + (Number(found.fields[name]) || 0), 0);
    } else {
      const { type } = found;
      tally.rows++;
      const columns = redactRow({ type, columns: found.columns, line: text! }, rules);
      yield { number, type, columns, chars: text!.length };
    }
  }
}

function understood(text: string | null, fault: string | null): ImportedLine | RowError {
  try {
    return text === null ? new RowError(fault ?? "it cannot be read") : readLine(text);
  } catch (thrown) {
    if (thrown instanceof RowError) return thrown;
    // Nested too deep to be written anew.
    if (thrown instanceof RangeError) return new RowError(thrown.message);
    throw thrown;
  }
}

function readMeta(found: ImportedLine | RowError): Readonly<Record<string, unknown>> {
  if (found instanceof RowError || found.kind !== "meta") {
    throw new UserError("This is no export of conclaude", {
      why: `its first line is not the one that begins an export${
        found instanceof RowError ? `: ${found.message}` : ""
      }; nothing was changed`,
      next: "conclaude export --output conclaude.jsonl",
    });
  }
  const { format, schema } = found.fields;
  if (format === FORMAT && !(Number(schema) > SCHEMA_VERSION)) return found.fields;
  throw new UserError("This export is of a newer conclaude", {
    why:
      `it has format ${format} and schema ${schema}, this program reads up to format ${FORMAT} ` +
      `and schema ${SCHEMA_VERSION}; nothing was changed`,
    next: "Install the newest conclaude",
  });
}

/** Tasks come together, since each may belong to a later one. */
function* batchesOf(rows: Iterable<Row>): Generator<readonly Row[]> {
  let batch: Row[] = [];
  let chars = 0;
  for (const row of rows) {
    const isOther = batch.length > 0 && isTask(batch[0]!) !== isTask(row);
    if (isOther || !isTask(row) && (batch.length >= BATCH_ROWS || chars >= BATCH_CHARS)) {
      yield batch;
      batch = [];
      chars = 0;
    }
    batch.push(row);
    chars += row.chars;
  }
  if (batch.length > 0) yield batch;
}

function isTask({ type }: Row): boolean {
  return type === "task";
}

interface Entrance {
  readonly tally: Tally;
  readonly admit: Admit;
}

function putIn(db: DatabaseSync, batch: readonly Row[], { tally, admit }: Entrance): void {
  if (isTask(batch[0]!)) deferTaskParents(db);
  for (const { number, type, columns } of batch) {
    try {
      const admitted = admit(type, columns);
      if (admitted === null) {
        tally.forgotten++;
        const sessionId = String(columns["session_id"]);
        if (columns["uid"] === summaryUid(sessionId)) askForSummary(db, sessionId);
        continue;
      }
      const fate = importRow(db, type, admitted);
      if (fate === "unattached") tally.unattached++;
      else tally[fate === "new" ? "imported" : "known"][COUNT_NAMES[type]]++;
    } catch (thrown) {
      if (!(thrown instanceof RowError)) throw thrown;
      tally.rows--;
      damage(tally, number, thrown.message);
    }
  }
  if (isTask(batch[0]!)) tally.detachedTasks += detachOrphanTasks(db);
}

function count(db: DatabaseSync, batch: readonly Row[], { tally, admit }: Entrance): void {
  for (const { type, columns } of batch) {
    if (admit(type, columns) === null) tally.forgotten++;
    else tally[isKnownRow(db, type, columns) ? "known" : "imported"][COUNT_NAMES[type]]++;
  }
}

function damage(tally: Tally, line: number, why: string): void {
  tally.damaged++;
  if (tally.damagedLines.length < MAX_NAMED) tally.damagedLines.push({ line, why });
}

function noCounts(): Record<CountName, number> {
  return Object.fromEntries(
    Object.values(COUNT_NAMES).map((name) => [name, 0]),
  ) as Record<CountName, number>;
}
