/** Masks the secrets in an imported row: a hook masks before it writes, but other programs may not. */
import { type RedactRules, redactText } from "../../secrets/redact.ts";
import { redactValue } from "../../secrets/redact_value.ts";
import { needsRedaction } from "../../secrets/look.ts";
import { indexedTerms } from "../../memory/search/terms.ts";
import { type ExportType, tableOf } from "./exported_tables.ts";
import type { ImportedColumns } from "./import_rows_table.ts";

/** Columns that name a row or its owner, or say how it is stored. All others are masked. */
const NAMES_OF_ROWS =
  /^(?:id|uid|\w+_id|depends_on|origin|process_mark|content_hash|encoding|payload)$/;

/** An escaped letter, which can hide a word from the cheap look. */
const ESCAPED_LETTER = /\\u00[2-7]/i;

/** Masks a row; without a secret it stays the same object. @param row `text`: all that the row says, as it came. */
export function redactRow(
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
