/** Whether what an export says of an observation can be one: nothing of the table itself sees to that. */
import { OBSERVATION_KINDS } from "../memory/observation.ts";
import { type ImportedColumns, RowError } from "../store/import_rows.ts";
import { MAX_TIME_MS } from "../time.ts";

const KINDS: ReadonlySet<unknown> = new Set(OBSERVATION_KINDS);

/** What each column has to be; one that is not there is as it is by itself. */
const RULES: Readonly<Record<string, { readonly name: string; readonly isRight: Test }>> = {
  kind: { name: "kind", isRight: (value) => KINDS.has(value) },
  outcome: {
    name: "outcome",
    isRight: (value) => value === null || value === "success" || value === "failure",
  },
  files: { name: "files", isRight: jsonThat((value) => isList(value, isText)) },
  facts: { name: "facts", isRight: jsonThat(isObject) },
  observed_files: { name: "observedFiles", isRight: jsonThat((value) => isList(value, isFile)) },
  repeats: { name: "repeats", isRight: (value) => Number.isInteger(value) && Number(value) >= 1 },
  created_at_ms: { name: "createdAtMs", isRight: isTime },
  updated_at_ms: { name: "updatedAtMs", isRight: isTime },
};

type Test = (value: unknown) => boolean;

/** @throws {RowError} With the field that cannot be. */
export function checkObservation(columns: ImportedColumns): void {
  for (const [column, { name, isRight }] of Object.entries(RULES)) {
    const value = columns[column];
    if (value !== undefined && !isRight(value)) {
      throw new RowError(`its field "${name}" is not what an observation has there`);
    }
  }
}

function jsonThat(isRight: Test): Test {
  return (text) => typeof text === "string" && isRight(JSON.parse(text));
}

function isList(value: unknown, isPart: Test): boolean {
  return Array.isArray(value) && value.every(isPart);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isFile(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { path, digest = null } = value as Readonly<Record<string, unknown>>;
  return isText(path) && (digest === null || isText(digest));
}

function isTime(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_TIME_MS;
}
