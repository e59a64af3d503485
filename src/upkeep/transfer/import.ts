/** Imports the rows of an export, and rows that importers make from data of other programs. */
import type { DatabaseSync } from "node:sqlite";
import type { ByteSource } from "../../base/byte_lines.ts";
import { UserError } from "../../base/errors.ts";
import { checkpoint } from "../../db/database.ts";
import { askForSummary } from "../../db/queue_work.ts";
import { paceBesideHooks } from "../../db/pace.ts";
import { SCHEMA_VERSION, transaction } from "../../db/transaction.ts";
import { indexedTerms } from "../../memory/search/terms.ts";
import { ensureIndex, indexTogether, summaryUid } from "../../memory/store.ts";
import { needsRedaction } from "../../secrets/look.ts";
import { type RedactRules, redactText } from "../../secrets/redact.ts";
import { redactValue } from "../../secrets/redact_value.ts";
import { waitMs } from "../../system/processes.ts";
import { detachOrphanTasks } from "../../work/store.ts";
import { receiptIds } from "../forget/forget_receipts_table.ts";
import { forgottenRows } from "../forget/stay_away_table.ts";
import {
  EXPORT_FORMAT,
  type ImportedColumns,
  noCounts,
  RowError,
  tableOf,
  type TableRow,
} from "./exported_tables.ts";
import { RowImport } from "./import_rows_table.ts";
import { valueOf } from "./export_table.ts";
import { type ExportLine, linesIn } from "./import_lines.ts";

export interface ArrivingRow extends TableRow {
  /** The number of the row's line in an export, from 1; 0 for a row from another source. */
  readonly line: number;
  /** The whole content of the row, as one text. */
  readonly text: string;
}

/** How many rows had each fate. */
export type TakenRows = ReturnType<typeof noRows>;

function noRows() {
  return {
    /** Rows that were added (`imported`), and rows that were here in the same version (`known`), by table. */
    imported: noCounts(),
    known: noCounts(),
    /** Rows that replaced an older version here. */
    replaced: 0,
    /** Rows that are left out because a newer version of the row or of its owner is here. */
    outdated: 0,
    /** Rows that belong to a task or workflow that is neither here nor in the export. */
    unattached: 0,
    /** Rows that stay away because they were forgotten here. */
    forgotten: 0,
    /** Tasks that lost their parent, which is neither here nor in the export. */
    detachedTasks: 0,
    /** How many rows or lines cannot be imported; `damagedLines` lists the first of them. */
    damaged: 0,
    damagedLines: [] as { readonly line: number; readonly why: string }[],
  };
}

export type ImportReport = ReturnType<typeof importLines>;

export interface ImportOptions {
  readonly rules: RedactRules;
  /** Whether to count only and write nothing. */
  readonly dryRun: boolean;
  /** Called after each batch, with the number of rows so far. */
  readonly onProgress?: (rows: number) => void;
  /** Called for each new row, in the transaction that adds it. */
  readonly onNew?: (row: ArrivingRow) => void;
}

/** The limits of a batch, for short waits of hooks and little memory; smaller while hooks run. */
const BATCH = { maxRows: 300, maxBytes: 4_000_000 };
const BESIDE_HOOKS = { maxRows: 40, maxBytes: 150_000 };
/** After so many batches the write-ahead log is moved into the database, so that it stays short. */
const CHECKPOINT_EVERY_BATCHES = 16;
const MAX_NAMED = 20;

export interface ExportSource {
  /** The ids of forget receipts in the database from which the export comes. */
  readonly receipts: readonly string[];
  readonly lines: Iterable<ExportLine>;
}

/**
 * Begins to read an export: its first line.
 *
 * @throws {UserError} When the source is no export, or one of a newer program.
 */
export function openExport(source: ByteSource): ExportSource {
  const lines = linesIn(source);
  const first: ExportLine | undefined = lines.next().value;
  if (first?.kind !== "meta") {
    const fault = first?.kind === "faulty" ? `: ${first.why}` : "";
    throw new UserError("This is no export of conclaude", {
      why: `its first line is not the one that begins an export${fault}; nothing was changed`,
      next: "conclaude export --output conclaude.jsonl",
    });
  }
  const { format, schema, receipts } = first.fields;
  if (format !== EXPORT_FORMAT || Number(schema) > SCHEMA_VERSION) {
    throw new UserError("This export is of a newer conclaude", {
      why: `it has format ${format} and schema ${schema}, this program reads up to format ` +
        `${EXPORT_FORMAT} and schema ${SCHEMA_VERSION}; nothing was changed`,
      next: "Install the newest conclaude",
    });
  }
  return { receipts: Array.isArray(receipts) ? receipts.map(String) : [], lines };
}

/**
 * Imports an export. A stopped import can be repeated.
 *
 * @throws {Error} The error of SQLite or the file system; earlier batches stay.
 */
export function importLines(
  db: DatabaseSync,
  { receipts, lines }: ExportSource,
  options: ImportOptions,
) {
  const here = new Set(receiptIds(db));
  const taken = noRows();
  /** The number of rows that the last line states; null before that line. */
  let stated: number | null = null;
  /** Yields the rows in the order of their lines; counts faulty lines. */
  function* rows(): Generator<ArrivingRow> {
    for (const line of lines) {
      const { number, text, isWhole } = line;
      let why = line.kind === "faulty" ? line.why : null;
      if (why === null && (stated !== null || line.kind === "meta")) {
        why = "it stands behind the end of the export, or begins another one";
      }
      if (why !== null) {
        // A cut last line counts as `cutShort`, not as damaged.
        if (isWhole || stated !== null) damage(taken, number, why);
      } else if (line.kind === "row") yield { ...line.row, line: number, text };
      else if (line.kind === "end") stated = sumOf(line.fields);
    }
  }
  takeRows(db, rows(), options, taken);
  const { imported, known, replaced, outdated, unattached, forgotten, damaged } = taken;
  const read = sumOf(imported) + sumOf(known) + replaced + outdated + unattached + forgotten +
    damaged;
  return {
    ...taken,
    /** How many forget receipts of the other database are not here, so that nothing keeps their content away. */
    forgottenElsewhere: receipts.filter((id) => !here.has(id)).length,
    /** Whether the last line of the export is missing. */
    cutShort: stated === null,
    /** How many rows are missing according to the last line. */
    missing: Math.max(0, (stated ?? 0) - read),
  };
}

function sumOf(counts: Readonly<Record<string, unknown>>): number {
  return Object.keys(noCounts()).reduce((sum, name) => sum + (Number(counts[name]) || 0), 0);
}

/**
 * Imports rows, one transaction for each batch. Masks secrets, and leaves out rows that were forgotten here.
 *
 * @param taken Counts to which the new ones are added.
 * @throws {Error} SQLite's error; earlier batches stay.
 */
export function takeRows(
  db: DatabaseSync,
  rows: Iterable<ArrivingRow>,
  { rules, dryRun, onProgress, onNew }: ImportOptions,
  taken = noRows(),
): TakenRows {
  if (!dryRun) ensureIndex(db);
  const run = new RowImport(db);
  const admit = forgottenRows(db);
  const take = (row: ArrivingRow) => {
    const { type, columns, line } = row;
    try {
      let fate = run.fateOf(row);
      const admitted = fate === "new" || fate === "replaced" ? admit(type, columns) : columns;
      if (admitted === null) {
        taken.forgotten++;
        const sessionId = String(columns["session_id"]);
        if (!dryRun && columns["uid"] === summaryUid(sessionId)) askForSummary(db, sessionId);
        return;
      }
      if (!dryRun) fate = run.write({ type, columns: admitted }, fate);
      if (fate === "new") taken.imported[tableOf(type).count]++;
      else if (fate === "known") taken.known[tableOf(type).count]++;
      else taken[fate]++;
      if (fate === "new" && !dryRun) onNew?.({ ...row, columns: admitted });
    } catch (thrown) {
      if (!(thrown instanceof RowError)) throw thrown;
      damage(taken, line, thrown.message);
    }
  };
  let [batches, done] = [0, 0];
  const pace = paceBesideHooks(db, BATCH, { small: BESIDE_HOOKS });
  for (const { batch, pauseMs } of batchesOf(rows, pace)) {
    // Masking runs before the transaction, so that hooks wait less.
    const masked = batch.map((row) => ({ ...row, columns: redactRow(row, rules) }));
    if (dryRun) masked.forEach(take);
    else {
      indexTogether(db, () => {
        // A task may come before its parent.
        if (isTask(batch[0]!)) db.exec("PRAGMA defer_foreign_keys = ON");
        masked.forEach(take);
        if (isTask(batch[0]!)) taken.detachedTasks += detachOrphanTasks(db);
      });
      if (++batches % CHECKPOINT_EVERY_BATCHES === 0) checkpoint(db, "PASSIVE");
      if (pauseMs > 0) waitMs(pauseMs);
    }
    onProgress?.(done += batch.length);
  }
  if (!dryRun) {
    transaction(db, () => run.resolve());
    // A long log would cost the next hook the time to read it.
    checkpoint(db, "TRUNCATE");
  }
  // Lines are read before their rows are written, so faults of both come out of order.
  taken.damagedLines.sort((one, other) => one.line - other.line);
  return taken;
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

/** Columns that identify a row or its owner, or tell how it is stored; all others are masked. */
const NAMES_OF_ROWS = /^(?:id|uid|\w+_id|depends_on|origin|process_mark|content_hash|encoding)$/;

/** An escaped letter, which hides a word from `needsRedaction()`. */
const ESCAPED_LETTER = /\\u00[2-7]/i;

/** Masks the columns of a row; returns the same object if there is no secret. */
export function redactRow(
  { type, columns, text }: ArrivingRow,
  rules: RedactRules,
): ImportedColumns {
  if (!needsRedaction(text, rules.patterns) && !ESCAPED_LETTER.test(text)) return columns;
  const { json = [] } = tableOf(type);
  const changed: Record<string, string> = {};
  for (const [name, value] of Object.entries(columns)) {
    if (typeof value !== "string" || NAMES_OF_ROWS.test(name)) continue;
    const parsed = json.includes(name) || name === "payload" ? valueOf(value) : value;
    if (parsed === value) changed[name] = redactText(value, rules);
    else {
      // JSON without a secret keeps its exact text.
      const masked = JSON.stringify(redactValue(parsed, rules));
      changed[name] = masked === JSON.stringify(parsed) ? value : masked;
    }
  }
  if (Object.keys(changed).every((name) => changed[name] === columns[name])) return columns;
  const masked = { ...columns, ...changed };
  if (type === "observation") return { ...masked, terms: termsOf(masked) };
  if (type !== "capture" || changed["payload"] === columns["payload"]) return masked;
  return { ...masked, raw_bytes: new TextEncoder().encode(changed["payload"]).length };
}

/** Returns the words by which a search finds an observation. */
export function termsOf({ title, text, files, project }: ImportedColumns): string {
  const paths: readonly unknown[] = JSON.parse(String(files ?? "[]"));
  const words = [title, text, ...paths].join("\n");
  return indexedTerms(words, typeof project === "string" ? project : null);
}
