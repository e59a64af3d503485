/** Imports the rows of an export, and rows of the same form that importers of other programs make. */
import type { DatabaseSync } from "node:sqlite";
import { type RedactRules, redactText } from "../../secrets/redact.ts";
import { UserError } from "../../base/errors.ts";
import { ensureIndex, indexTogether, summaryUid } from "../../memory/store.ts";
import { paceBesideHooks } from "../../memory/drain/capture_drain.ts";
import { checkpoint } from "../../db/database.ts";
import { SCHEMA_VERSION, transaction } from "../../db/transaction.ts";
import {
  type CountName,
  EXPORT_FORMAT,
  type ExportType,
  noCounts,
  tableOf,
} from "./exported_tables.ts";
import { receiptIds } from "../forget/forget_receipts_table.ts";
import { forgottenRows } from "../forget/stay_away_table.ts";
import {
  beginImport,
  decideFate,
  deferTaskParents,
  detachOrphanTasks,
  type ImportedColumns,
  importRow,
  type ImportRun,
  resolveFailures,
  RowError,
} from "./import_rows_table.ts";
import { askForSummary } from "../../db/queue_work.ts";
import { waitMs } from "../../system/wait.ts";
import { readLine, type SourceLine } from "./import_lines.ts";
import { redactValue } from "../../secrets/redact_value.ts";
import { needsRedaction } from "../../secrets/look.ts";
import { indexedTerms } from "../../memory/search/terms.ts";

/** A row to import. */
export interface ArrivingRow {
  readonly type: ExportType;
  readonly columns: ImportedColumns;
  /** The number of its line in an export, from 1; 0 for a row from elsewhere. */
  readonly line: number;
  /** All that the row says, as one text. */
  readonly text: string;
}

/** How many rows had which fate. */
export interface TakenRows {
  /** Rows that were added, by kind. */
  readonly imported: Record<CountName, number>;
  /** Rows that were here in the same version, by kind. */
  readonly known: Record<CountName, number>;
  /** Rows that were older here. */
  replaced: number;
  /** Rows that are left out because a newer version is here, of the row or of the row that it belongs to. */
  outdated: number;
  /** Rows that belong to a task or workflow that is neither here nor in the export. */
  unattached: number;
  /** Rows that were forgotten here: they stay away. */
  forgotten: number;
  /** Tasks whose parent is neither here nor in the export: they have no parent now. */
  detachedTasks: number;
  /** How many rows or lines cannot be imported. */
  damaged: number;
  /** The first of these. */
  readonly damagedLines: { readonly line: number; readonly why: string }[];
}

/** What an import of an export did. */
export interface ImportReport extends TakenRows {
  /** Receipts of what was forgotten where the export was made, and not here: nothing keeps that away here. */
  readonly forgottenElsewhere: number;
  /** Whether the last line of the export is missing. */
  readonly cutShort: boolean;
  /** How many lines fewer there are than the last line says. */
  readonly missing: number;
}

/** How rows are imported. */
export interface ImportOptions {
  readonly rules: RedactRules;
  /** Only count; nothing is written. */
  readonly dryRun: boolean;
  /** Called after each batch, with the number of rows so far. */
  readonly onProgress?: (rows: number) => void;
  /** Called for each new row, in the transaction that adds it. */
  readonly onNew?: (row: ArrivingRow) => void;
}

/** A batch is small, so that hooks wait only a short time and the rows take little memory; it is smaller beside hooks. */
const BATCH = { maxRows: 300, maxBytes: 4_000_000 };
const BESIDE_HOOKS = { maxRows: 40, maxBytes: 150_000 };
/** After so many batches the write-ahead log is moved into the database, so that it stays short. */
const CHECKPOINT_EVERY_BATCHES = 16;
const MAX_NAMED = 20;

/** The lines of an export after the first one. */
export interface ExportSource extends Iterable<SourceLine> {
  /** The ids of the receipts of what was forgotten where the export was made. */
  readonly receipts: readonly string[];
}

/**
 * Reads the first line of an export.
 *
 * @throws {UserError} When it is no export, or one of a newer program.
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
 * Imports an export. An import that was broken off can be repeated.
 *
 * @param lines Those of {@linkcode linesOfExport}.
 * @throws {Error} What SQLite or the file system says; earlier batches stay.
 */
export function importLines(
  db: DatabaseSync,
  lines: ExportSource,
  options: ImportOptions,
): ImportReport {
  const here = new Set(receiptIds(db));
  const end: { told: number | null } = { told: null };
  const taken = noRows();
  takeRows(db, rowsIn(lines, taken, end), options, taken);
  const { imported, known, replaced, outdated, unattached, forgotten, damaged } = taken;
  const read = [imported, known].flatMap(Object.values<number>)
    .concat(replaced, outdated, unattached, forgotten, damaged)
    .reduce((sum, n) => sum + n, 0);
  return {
    ...taken,
    forgottenElsewhere: lines.receipts.filter((id) => !here.has(id)).length,
    cutShort: end.told === null,
    missing: Math.max(0, (end.told ?? 0) - read),
  };
}

function noRows(): TakenRows {
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
  };
}

/**
 * Imports rows, one transaction for each batch. Secrets are masked, and what was forgotten here stays away.
 *
 * @param taken Counts on from there.
 * @throws {Error} What SQLite says; earlier batches stay.
 */
export function takeRows(
  db: DatabaseSync,
  rows: Iterable<ArrivingRow>,
  options: ImportOptions,
  taken: TakenRows = noRows(),
): TakenRows {
  const { dryRun } = options;
  if (!dryRun) ensureIndex(db);
  const run = beginImport(dryRun);
  const take = rowImporter(db, { taken, run, options });
  let [batches, done] = [0, 0];
  for (const { batch, pauseMs } of batchesOf(rows, paceBesideHooks(db, BATCH, BESIDE_HOOKS))) {
    const masked = batch.map((row) => ({ ...row, columns: redactRow(row, options.rules) }));
    if (dryRun) masked.forEach(take);
    else {
      indexTogether(db, () => {
        const isTasks = isTask(batch[0]!);
        if (isTasks) deferTaskParents(db);
        masked.forEach(take);
        if (isTasks) taken.detachedTasks += detachOrphanTasks(db);
        resolveFailures(db, run, false);
      });
      if (++batches % CHECKPOINT_EVERY_BATCHES === 0) checkpoint(db, "PASSIVE");
      if (pauseMs > 0) waitMs(pauseMs);
    }
    options.onProgress?.(done += batch.length);
  }
  if (!dryRun) {
    transaction(db, () => resolveFailures(db, run, true));
    // Otherwise the next hook has to read the whole log.
    checkpoint(db, "TRUNCATE");
  }
  // Lines are read ahead of their rows, so their faults come out of order.
  taken.damagedLines.sort((one, other) => one.line - other.line);
  return taken;
}

/** Makes the function that imports one row, in the transaction of its batch. */
function rowImporter(db: DatabaseSync, { taken, run, options: { dryRun, onNew } }: {
  readonly taken: TakenRows;
  readonly run: ImportRun;
  readonly options: ImportOptions;
}): (row: ArrivingRow) => void {
  const admit = forgottenRows(db);
  return (row) => {
    const { type, columns, line } = row;
    try {
      let fate = decideFate(db, type, columns, run);
      const admitted = fate === "new" || fate === "replaced" ? admit(type, columns) : columns;
      if (admitted === null) {
        taken.forgotten++;
        const sessionId = String(columns["session_id"]);
        if (!dryRun && columns["uid"] === summaryUid(sessionId)) askForSummary(db, sessionId);
        return;
      }
      if (!dryRun) fate = importRow(db, type, { columns: admitted, fate, run });
      if (fate === "new") taken.imported[tableOf(type).count]++;
      else if (fate === "known") taken.known[tableOf(type).count]++;
      else taken[fate]++;
      if (fate === "new" && !dryRun) onNew?.({ ...row, columns: admitted });
    } catch (thrown) {
      if (!(thrown instanceof RowError)) throw thrown;
      damage(taken, line, thrown.message);
    }
  };
}

/** The rows in the order of their lines. Lines that are no row are counted. */
function* rowsIn(
  lines: Iterable<SourceLine>,
  taken: TakenRows,
  end: { told: number | null },
): Generator<ArrivingRow> {
  for (const line of lines) {
    if (line.text?.trim() === "") continue;
    const found = readLine(line);
    if (found instanceof RowError) {
      // A cut last line is reported as an export that was cut short.
      if (line.isWhole || end.told !== null) damage(taken, line.number, found.message);
    } else if (end.told !== null || found.kind === "meta") {
      const why = "it stands behind the end of the export, or is the beginning of another one";
      damage(taken, line.number, why);
    } else if (found.kind === "row") {
      yield { type: found.type, columns: found.columns, line: line.number, text: line.text! };
    } else {
      end.told = Object.keys(noCounts())
        .reduce((sum, name) => sum + (Number(found.fields[name]) || 0), 0);
    }
  }
}

/** Groups rows into batches. All tasks are one batch, since a parent may come after its child. */
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

function damage(taken: TakenRows, line: number, why: string): void {
  taken.damaged++;
  if (taken.damagedLines.length < MAX_NAMED) taken.damagedLines.push({ line, why });
}

/** Columns that name a row or its owner, or say how it is stored. All others are masked. */
const NAMES_OF_ROWS =
  /^(?:id|uid|\w+_id|depends_on|origin|process_mark|content_hash|encoding|payload)$/;

/** An escaped letter, which can hide a word from the cheap look. */
const ESCAPED_LETTER = /\\u00[2-7]/i;

/** Masks a row; without a secret it stays the same object. @param row `text`: all that the row says, as it came. */
function redactRow(
  { type, columns, text }: {
    readonly type: ExportType;
    readonly columns: ImportedColumns;
    readonly text: string;
  },
  rules: RedactRules,
): ImportedColumns {
  if (!needsRedaction(text, rules.patterns) && !ESCAPED_LETTER.test(text)) return columns;
  const table = tableOf(type);
  const foreign = type === "capture" ? ["payload"] : table.foreignJson;
  const changed: Record<string, string> = {};
  for (const [name, value] of Object.entries(columns)) {
    if (typeof value !== "string") continue;
    const masked = foreign.includes(name)
      ? maskJson(value, (json) => redactValue(json, rules), rules)
      : table.json.includes(name)
      ? maskJson(value, (json) => maskStrings(json, rules), rules)
      : NAMES_OF_ROWS.test(name)
      ? value
      : redactText(value, rules);
    if (masked !== value) changed[name] = masked;
  }
  if (Object.keys(changed).length === 0) return columns;
  const masked = { ...columns, ...changed };
  if (type === "observation") return { ...masked, terms: termsOf(masked) };
  return "payload" in changed
    ? { ...masked, raw_bytes: new TextEncoder().encode(changed["payload"]).length }
    : masked;
}

/** Masks a JSON text. Without a secret it stays as it is written. */
function maskJson(text: string, mask: (value: unknown) => unknown, rules: RedactRules): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return redactText(text, rules);
  }
  const masked = JSON.stringify(mask(value));
  return masked === JSON.stringify(value) ? text : masked;
}

function maskStrings(value: unknown, rules: RedactRules): unknown {
  if (typeof value === "string") return redactText(value, rules);
  if (Array.isArray(value)) return value.map((item) => maskStrings(item, rules));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, maskStrings(item, rules)]),
  );
}

/** The words by which a search finds an observation. */
export function termsOf({ title, text, files, project }: ImportedColumns): string {
  const paths: readonly unknown[] = JSON.parse(String(files ?? "[]"));
  return indexedTerms(
    [title, text, ...paths].join("\n"),
    typeof project === "string" ? project : null,
  );
}
