/** Reads the lines of an export from bytes, and rows of tables from lines. */
import * as z from "zod/mini";
import { byteLines, type ByteSource } from "../../base/byte_lines.ts";
import { messageOf, quietly } from "../../base/errors.ts";
import { MAX_TIME_MS } from "../../base/time.ts";
import { columnOf } from "../../db/statement.ts";
import { OBSERVATION_KINDS } from "../../memory/observe/observation.ts";
import {
  EXPORTED_TABLES,
  type ImportedColumns,
  RowError,
  type TableRow,
} from "./exported_tables.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A line of an export: its first or last one, a row, or a faulty line with the reason. */
export type ExportLine =
  & {
    readonly number: number;
    readonly text: string;
    /** False for a last line without a line break, which may be cut. */
    readonly isWhole: boolean;
  }
  & (
    | { readonly kind: "meta" | "end"; readonly fields: Fields }
    | { readonly kind: "row"; readonly row: TableRow }
    | { readonly kind: "faulty"; readonly why: string }
  );

/** The greatest length of a line; the largest payload that can be configured is about an eighth of it. */
const MAX_LINE_BYTES = 512_000_000;

/** Reads the lines of an export that are not blank. @throws {Error} The file system's error. */
export function* linesIn(source: ByteSource, maxBytes = MAX_LINE_BYTES): Generator<ExportLine> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (const { number, bytes, isEnded: isWhole } of byteLines(source, { maxBytes })) {
    const text = bytes === null ? undefined : quietly(() => decoder.decode(bytes));
    const at = { number, text: text ?? "", isWhole };
    if (text === undefined) {
      const why = bytes === null ? "it is too long" : "it is not UTF-8";
      yield { ...at, kind: "faulty", why };
    } else if (text.trim() !== "") yield { ...at, ...readLine(text) };
  }
}

function readLine(text: string) {
  try {
    const { fields, payload } = partsOf(text);
    const { type } = fields;
    if (type === "meta" || type === "end") return { kind: type, fields } as const;
    return { kind: "row", row: rowOf(fields, payload) } as const;
  } catch (thrown) {
    if (!(thrown instanceof RowError)) throw thrown;
    return { kind: "faulty", why: thrown.message } as const;
  }
}

const TIME = z.optional(z.int().check(z.gte(0), z.lte(MAX_TIME_MS)));
const FILE = z.looseObject({ path: z.string(), digest: z.nullish(z.string()) });

/** Checks fields of an observation that readers rely on and that the table does not check. */
const OBSERVATION = z.looseObject({
  kind: z.optional(z.enum(OBSERVATION_KINDS)),
  outcome: z.nullish(z.enum(["success", "failure"])),
  files: z.optional(z.array(z.string())),
  facts: z.optional(z.record(z.string(), z.unknown())),
  observedFiles: z.optional(z.array(FILE)),
  repeats: z.optional(z.int().check(z.gte(1))),
  createdAtMs: TIME,
  updatedAtMs: TIME,
});

function rowOf(
  { type, payload: _payload, damage, ...own }: Fields,
  payload: string | null,
): TableRow {
  if (typeof type !== "string") throw new RowError("it has no type");
  const table = EXPORTED_TABLES.find((table) => table.type === type);
  if (table === undefined) throw new RowError(`it has the unknown type "${type}"`);
  const { json = [] } = table;
  const columns = Object.fromEntries(
    Object.entries(own).map(([name, value]) => {
      const column = name === `${type}Type` ? "type" : columnOf(name);
      const isJson = json.includes(column) && value !== null;
      return [column, isJson ? JSON.stringify(value) : plainValue(name, value)];
    }),
  );
  const [wrong] = type === "observation" ? OBSERVATION.safeParse(own).error?.issues ?? [] : [];
  if (wrong !== undefined) {
    throw new RowError(`its field "${String(wrong.path[0])}" is not what an observation has there`);
  }
  if (type !== "capture") return { type, columns };
  const stored = payload === null
    ? storedAs(damage, columns["raw_bytes"] ?? null)
    : { encoding: "json", payload, raw_bytes: new TextEncoder().encode(payload).length };
  return { type, columns: { ...columns, ...stored } };
}

/** The beginning of the last field of a capture; inside a string it would be `,\"payload\":`. */
const PAYLOAD = ',"payload":';

/** Splits a line into fields and the payload's exact text, which parsing and writing could change. */
function partsOf(text: string): { readonly fields: Fields; readonly payload: string | null } {
  const at = text.startsWith('{"type":"capture"') ? text.indexOf(PAYLOAD) : -1;
  if (at > 0 && !text.startsWith("null", at + PAYLOAD.length)) {
    const payload = text.slice(at + PAYLOAD.length, text.lastIndexOf("}"));
    try {
      JSON.parse(payload);
      return { fields: objectOf(`${text.slice(0, at)}}`), payload };
    } catch {
      // Another program has rewritten the line with its fields in another order.
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
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new RowError("it is no JSON object");
}

function plainValue(name: string, value: unknown): string | number | null {
  // SQLite could store a larger number, but the runtime could not read it.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RowError(`its field "${name}" is too large a number`);
  }
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  throw new RowError(`its field "${name}" is neither a text nor a number`);
}

/** Returns the stored form of a payload that the export could not decode. */
function storedAs(damage: unknown, rawBytes: ImportedColumns[string]): ImportedColumns {
  const { encoding, stored } = Object(damage);
  if (typeof stored !== "string" || encoding !== "json" && encoding !== "br") {
    throw new RowError("it has no payload");
  }
  try {
    const bytes = Uint8Array.fromBase64(stored);
    const payload = encoding === "json" ? new TextDecoder().decode(bytes) : bytes;
    return { encoding, payload, raw_bytes: rawBytes };
  } catch (thrown) {
    throw new RowError(`its stored payload is not base 64: ${messageOf(thrown)}`);
  }
}
