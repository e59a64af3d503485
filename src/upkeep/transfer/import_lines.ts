/** Reads an export: bytes become lines, and lines become rows of tables. */
import { byteLines, type ByteSource } from "../../base/byte_lines.ts";
import { messageOf } from "../../base/errors.ts";
import { OBSERVATION_KINDS } from "../../memory/observe/observation.ts";
import { columnOf, type ExportType, isExportType, tableOf } from "./exported_tables.ts";
import { type ImportedColumns, RowError } from "./import_rows_table.ts";
import { MAX_TIME_MS } from "../../base/time.ts";

/** One line; `text` is null where it cannot be read as one. */
export interface SourceLine {
  /** 1 and up. */
  readonly number: number;
  readonly text: string | null;
  /** Why there is no text; null where there is text. */
  readonly fault: string | null;
  /** False for a last line without a line break: it may be cut. */
  readonly isWhole: boolean;
}

/** A line that was read. */
export type ImportedLine =
  | { readonly kind: "meta" | "end"; readonly fields: Fields }
  | { readonly kind: "row"; readonly type: ExportType; readonly columns: ImportedColumns };

type Fields = Readonly<Record<string, unknown>>;

/** A longer line is not read. The largest payload that can be configured is far below a tenth of it. */
const MAX_LINE_BYTES = 512_000_000;

/**
 * The lines of a stream in UTF-8.
 *
 * @throws {Error} What the file system says.
 */
export function* linesOf(
  source: ByteSource,
  { maxBytes = MAX_LINE_BYTES }: { readonly maxBytes?: number } = {},
): Generator<SourceLine> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (const { number, bytes, isEnded } of byteLines(source, { maxBytes })) {
    const line = { number, isWhole: isEnded };
    if (bytes === null) yield { ...line, text: null, fault: "it is too long" };
    else {
      try {
        yield { ...line, text: decoder.decode(bytes), fault: null };
      } catch (thrown) {
        if (!(thrown instanceof TypeError)) throw thrown;
        yield { ...line, text: null, fault: "it is not UTF-8" };
      }
    }
  }
}

/** Reads a line. A {@linkcode RowError} says why it is no line of an export. */
export function readLine({ text, fault }: SourceLine): ImportedLine | RowError {
  try {
    return text === null ? new RowError(fault ?? "it cannot be read") : lineIn(text);
  } catch (thrown) {
    if (thrown instanceof RowError) return thrown;
    // It is nested too deeply to be written as JSON.
    if (thrown instanceof RangeError) return new RowError(thrown.message);
    throw thrown;
  }
}

function lineIn(text: string): ImportedLine {
  const { fields, payload } = partsOf(text);
  const type = fields["type"];
  if (type === "meta" || type === "end") return { kind: type, fields };
  if (typeof type !== "string") throw new RowError("it has no type");
  if (!isExportType(type)) throw new RowError(`it has the unknown type "${type}"`);
  const { type: _type, payload: _payload, damage, ...own } = fields;
  const { json, foreignJson } = tableOf(type);
  const columns = Object.fromEntries(
    Object.entries(own).map(([name, value]) => {
      const column = columnOf(type, name);
      const isJson = json.includes(column) || foreignJson.includes(column);
      return [column, columnValue(value, { name, isJson })];
    }),
  );
  if (type === "observation") checkObservation(columns);
  if (type !== "capture") return { kind: "row", type, columns };
  const stored = payload === null
    ? storedAs(damage, columns["raw_bytes"] ?? null)
    : { encoding: "json", payload, raw_bytes: new TextEncoder().encode(payload).length };
  return { kind: "row", type, columns: { ...columns, ...stored } };
}

/** Begins the last field of a capture. In a string it would be `,\"payload\":`. */
const PAYLOAD = ',"payload":';

/** Keeps the text of the payload: parsing and writing it again could change it. */
function partsOf(text: string): { readonly fields: Fields; readonly payload: string | null } {
  const at = text.startsWith('{"type":"capture"') ? text.indexOf(PAYLOAD) : -1;
  if (at > 0 && !text.startsWith("null", at + PAYLOAD.length)) {
    const payload = text.slice(at + PAYLOAD.length, text.lastIndexOf("}"));
    try {
      JSON.parse(payload);
      return { fields: objectOf(`${text.slice(0, at)}}`), payload };
    } catch {
      // Another program wrote the line again, in another order.
    }
  }
  const fields = objectOf(text);
  const payload = fields["payload"] ?? null;
  return { fields, payload: payload === null ? null : JSON.stringify(payload) };
}

function objectOf(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw new RowError(`it is not JSON: ${messageOf(thrown)}`);
  }
  if (!isObject(value)) throw new RowError("it is no JSON object");
  return value;
}

function columnValue(
  value: unknown,
  { name, isJson }: { readonly name: string; readonly isJson: boolean },
): string | number | null {
  if (value === null) return null;
  if (isJson) return JSON.stringify(value);
  // SQLite would store a larger number, and the runtime could not read it.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RowError(`its field "${name}" is too large a number`);
  }
  if (typeof value === "string" || typeof value === "number") return value;
  throw new RowError(`its field "${name}" is neither a text nor a number`);
}

/** A payload that the export could not decode is stored again as it was. */
function storedAs(damage: unknown, rawBytes: ImportedColumns[string]): ImportedColumns {
  const { encoding, stored } = Object(damage);
  if (typeof stored !== "string" || encoding !== "json" && encoding !== "br") {
    throw new RowError("it has no payload");
  }
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = Uint8Array.fromBase64(stored);
  } catch (thrown) {
    throw new RowError(`its stored payload is not base 64: ${messageOf(thrown)}`);
  }
  const payload = encoding === "json" ? new TextDecoder().decode(bytes) : bytes;
  return { encoding, payload, raw_bytes: rawBytes };
}

type Test = (value: unknown) => boolean;
const KINDS: ReadonlySet<unknown> = new Set(OBSERVATION_KINDS);
const isText: Test = (value) => typeof value === "string";
const isTime: Test = (value) =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_TIME_MS;
const isFile: Test = (value) =>
  isObject(value) && isText(value["path"]) &&
  (value["digest"] == null || isText(value["digest"]));
const listOf = (isPart: Test): Test => (value) => Array.isArray(value) && value.every(isPart);
const jsonOf = (isRight: Test): Test => (text) => isText(text) && isRight(JSON.parse(String(text)));

/** Tests of the fields of an observation: its table does not check them, and readers rely on them. */
const OBSERVATION_FIELDS: Readonly<Record<string, Test>> = {
  kind: (value) => KINDS.has(value),
  outcome: (value) => value === null || value === "success" || value === "failure",
  files: jsonOf(listOf(isText)),
  facts: jsonOf(isObject),
  observedFiles: jsonOf(listOf(isFile)),
  repeats: (value) => Number.isInteger(value) && Number(value) >= 1,
  createdAtMs: isTime,
  updatedAtMs: isTime,
};

function checkObservation(columns: ImportedColumns): void {
  for (const [name, isRight] of Object.entries(OBSERVATION_FIELDS)) {
    const value = columns[columnOf("observation", name)];
    if (value !== undefined && !isRight(value)) {
      throw new RowError(`its field "${name}" is not what an observation has there`);
    }
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
