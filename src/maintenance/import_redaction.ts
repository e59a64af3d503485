/** Masks what an export from elsewhere may hold: a hook masks before it writes, other programs need not have. */
import { type RedactRules, redactText } from "../secrets/redact.ts";
import { redactValue } from "../secrets/redact_value.ts";
import { needsRedaction } from "../secrets/look.ts";
import { indexedTerms } from "../memory/terms.ts";
import type { ExportType } from "../store/exported_tables.ts";
import type { ImportedColumns } from "../store/import_rows.ts";

/** Columns that say which row it is, or which one it belongs to, or how it is stored; of all others everything is masked. */
const NAMES_OF_ROWS =
  /^(?:id|uid|\w+_id|depends_on|origin|process_mark|content_hash|encoding|payload)$/;

/** JSON the keys of which say what is a secret. */
const VALUES: Readonly<Partial<Record<ExportType, readonly string[]>>> = {
  execution: ["metadata"],
  observation: ["facts"],
  capture: ["payload"],
  requirement: ["metadata"],
};

/** JSON the keys of which are ours: `claimToken` is a number that counts. */
const OWN_VALUES: Readonly<Partial<Record<ExportType, readonly string[]>>> = {
  observation: ["files", "observed_files"],
  capture: ["files_touched"],
  taskChange: ["changes"],
  agent: ["command"],
  workflow: ["definition"],
  workflowStep: ["outcome"],
  question: ["options"],
  event: ["data"],
};

/** A letter that does not stand for itself, by which a cheap look would miss a word. */
const ESCAPED_LETTER = /\\u00[2-7]/i;

/**
 * The row without what must not be kept; the same one where there is nothing to mask.
 *
 * @param line The row as it came.
 */
export function redactRow(
  { type, columns, line }: {
    readonly type: ExportType;
    readonly columns: ImportedColumns;
    readonly line: string;
  },
  rules: RedactRules,
): ImportedColumns {
  if (!needsRedaction(line, rules.patterns) && !ESCAPED_LETTER.test(line)) return columns;
  const changed: Record<string, string> = {};
  const json = [...VALUES[type] ?? [], ...OWN_VALUES[type] ?? []];
  const texts = Object.keys(columns).filter((name) =>
    !NAMES_OF_ROWS.test(name) && !json.includes(name)
  );
  const change = (names: readonly string[] = [], mask: (text: string) => string) => {
    for (const name of names) {
      const text = columns[name];
      if (typeof text !== "string") continue;
      const masked = mask(text);
      if (masked !== text) changed[name] = masked;
    }
  };
  change(texts, (text) => redactText(text, rules));
  change(VALUES[type], (text) => maskJson(text, (value) => redactValue(value, rules), rules));
  change(OWN_VALUES[type], (text) => maskJson(text, (value) => maskStrings(value, rules), rules));
  if (Object.keys(changed).length === 0) return columns;
  const masked = { ...columns, ...changed };
  if (type === "observation") return { ...masked, terms: termsOf(masked) };
  return "payload" in changed
    ? { ...masked, raw_bytes: new TextEncoder().encode(changed["payload"]).length }
    : masked;
}

/** Text that is masked in nothing stays as it is written. */
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

function termsOf({ title, text, files, project }: ImportedColumns): string {
  const paths: readonly unknown[] = JSON.parse(String(files ?? "[]"));
  return indexedTerms(
    [title, text, ...paths].join("\n"),
    typeof project === "string" ? project : null,
  );
}
