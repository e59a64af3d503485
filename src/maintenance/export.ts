import type { DatabaseSync } from "node:sqlite";
import { isUserError, messageOf } from "../errors.ts";
import { schemaVersion } from "../store/database.ts";
import { type ExportFilter, type ExportRow, exportRows, type LostRow } from "../store/export.ts";
import { orDamaged } from "../store/export_salvage.ts";
import {
  type CountName,
  EXPORT_FORMAT,
  fieldOf,
  noCounts,
  tableOf,
} from "../store/exported_tables.ts";
import { receiptIds } from "../store/forget_receipts.ts";
import { payloadText, type StoredPayload } from "../store/payloads.ts";
import { VERSION } from "../version.ts";

/** What an export begins with. */
export const EXPORT_BEGIN = '{"type":"meta","format":';

/** What an export wrote. */
export type ExportCounts = Readonly<Record<CountName, number>> & {
  /** Captures among them whose payload cannot be read; their line holds what is stored, in base 64. */
  readonly damaged: number;
  /** Rows that lie on damaged pages and have no line, as far as they can be counted; never 0 when any are lost. */
  readonly unreadable: number;
};

/**
 * The content of a database as JSON Lines, one line at a time: `meta` first, then a line for every row with all columns
 * (in camelCase) under `type`, then `end` with the counts, so that an export that was cut short can be told. The
 * `payload` of a capture is its JSON, whatever way it is stored; a row's own column `type` is its `counterType`,
 * `taskType`, …; an observation has its files with their digests as `observedFiles`. `receipts` of the first line are
 * those of what was forgotten here, by their ids: what keeps that away is in no export.
 *
 * @returns What was written, when the last line is taken.
 */
export function* exportLines(
  db: DatabaseSync,
  options: ExportFilter & {
    readonly atMs: number;
    /** Takes each row that cannot be read, as far as it can be named. */
    readonly onLost?: (row: LostRow) => void;
  },
): Generator<string, ExportCounts> {
  const { sessionId, sinceMs, atMs } = options;
  const counts = { ...noCounts(), damaged: 0, unreadable: 0 };
  yield JSON.stringify({
    type: "meta",
    format: EXPORT_FORMAT,
    version: VERSION,
    schema: schemaVersion(db),
    exportedAtMs: atMs,
    sessionId,
    sinceMs,
    receipts: orDamaged(() => receiptIds(db), () => []),
  });
  const rows = exportRows(db, { sessionId, sinceMs }, options.onLost);
  try {
    let step = rows.next();
    for (; !step.done; step = rows.next()) {
      const { line, damaged } = lineOf(step.value);
      counts[tableOf(step.value.type).count]++;
      if (damaged) counts.damaged++;
      yield line;
    }
    counts.unreadable = step.value;
  } finally {
    // An export that is broken off must leave the transaction.
    rows.return(0);
  }
  yield JSON.stringify({ type: "end", ...counts });
  return counts;
}

function lineOf(row: ExportRow): { readonly line: string; readonly damaged: boolean } {
  return row.type === "capture"
    ? captureLine(row)
    : { line: JSON.stringify(fieldsOf(row)), damaged: false };
}

/** The payload goes into the line as the text that it is: parsing and writing it anew could change it. */
function captureLine(row: ExportRow): { readonly line: string; readonly damaged: boolean } {
  const { encoding, payload, ...columns } = row.columns;
  const stored = { id: columns["id"], encoding, payload, rawBytes: columns["raw_bytes"] };
  const fields = fieldsOf({ type: row.type, columns });
  try {
    const text = payloadText(stored as StoredPayload);
    // Outside of strings, where JSON has them escaped, a line break is only space.
    const oneLine = text.replace(/[\r\n]/g, " ");
    return { line: `${JSON.stringify(fields).slice(0, -1)},"payload":${oneLine}}`, damaged: false };
  } catch (thrown) {
    const bytes = payload instanceof Uint8Array
      ? payload
      : new TextEncoder().encode(String(payload));
    const damage = {
      why: isUserError(thrown) ? thrown.why : messageOf(thrown),
      encoding,
      stored: bytes.toBase64(),
    };
    return { line: JSON.stringify({ ...fields, payload: null, damage }), damaged: true };
  }
}

function fieldsOf({ type, columns }: ExportRow): Record<string, unknown> {
  const { json, foreignJson } = tableOf(type);
  const isJson = (column: string) => json.includes(column) || foreignJson.includes(column);
  return {
    type,
    ...Object.fromEntries(
      Object.entries(columns).map(([column, value]) => [
        fieldOf(type, column),
        isJson(column) ? valueOf(value) : value,
      ]),
    ),
  };
}

/** What a JSON text says; the text itself when it is none. */
function valueOf(text: unknown): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
}
