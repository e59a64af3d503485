/** A line of an export as the row that it was. */
import { messageOf } from "../errors.ts";
import type { ExportType } from "../store/exported_tables.ts";
import { type ImportedColumns, RowError } from "../store/import_rows.ts";
import { checkObservation } from "./imported_observation.ts";
import { columnOf, COUNT_NAMES, JSON_COLUMNS } from "./exported_fields.ts";

/** What a line says. */
export type ImportedLine =
  | { readonly kind: "meta" | "end"; readonly fields: Fields }
  | { readonly kind: "row"; readonly type: ExportType; readonly columns: ImportedColumns };

type Fields = Readonly<Record<string, unknown>>;

/** The last field of a capture. In a text it would read `,\"payload\":`. */
const PAYLOAD = ',"payload":';

/**
 * Reads a line.
 *
 * @throws {RowError} When it is none of an export.
 */
export function readLine(text: string): ImportedLine {
  const { fields, payload } = partsOf(text);
  const type = fields["type"];
  if (type === "meta" || type === "end") return { kind: type, fields };
  if (typeof type !== "string") throw new RowError("it has no type");
  if (!isType(type)) throw new RowError(`it has the unknown type "${type}"`);
  const { type: _type, payload: _payload, damage, ...own } = fields;
  const columns = Object.fromEntries(
    Object.entries(own).map(([name, value]) => {
      const column = columnOf(type, name);
      return [column, columnValue(value, { name, isJson: isJson(type, column) })];
    }),
  );
  if (type === "observation") checkObservation(columns);
  if (type !== "capture") return { kind: "row", type, columns };
  const stored = payload === null
    ? storedAs(damage, columns["raw_bytes"] ?? null)
    : { encoding: "json", payload, raw_bytes: new TextEncoder().encode(payload).length };
  return { kind: "row", type, columns: { ...columns, ...stored } };
}

/** The payload stays the text that it is: parsing and writing it anew could change it. */
function partsOf(text: string): { readonly fields: Fields; readonly payload: string | null } {
  const at = text.startsWith('{"type":"capture"') ? text.indexOf(PAYLOAD) : -1;
  const last = text.lastIndexOf("}");
  if (at > 0 && !text.startsWith("null", at + PAYLOAD.length)) {
    const payload = text.slice(at + PAYLOAD.length, last);
    try {
      JSON.parse(payload);
      return { fields: objectOf(`${text.slice(0, at)}}`), payload };
    } catch {
      // Another program wrote the line anew, in another order.
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
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new RowError("it is no JSON object");
  }
  return value as Fields;
}

function isType(type: string): type is ExportType {
  return Object.hasOwn(COUNT_NAMES, type);
}

function isJson(type: ExportType, column: string): boolean {
  return JSON_COLUMNS[type]?.includes(column) === true;
}

function columnValue(
  value: unknown,
  { name, isJson }: { readonly name: string; readonly isJson: boolean },
): string | number | null {
  if (value === null) return null;
  if (isJson) return JSON.stringify(value);
  // A larger one could be put in, and never be read again.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RowError(`its field "${name}" is too large a number`);
  }
  if (typeof value === "string" || typeof value === "number") return value;
  throw new RowError(`its field "${name}" is neither a text nor a number`);
}

/** What could not be read when it was exported is put back as it was stored. */
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
