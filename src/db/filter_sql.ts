/** A condition with one `?`, and its value. A condition with a null is left out. */
export type Condition = readonly [sql: string, value: string | number | null];

/** The `WHERE` of a statement, and its values in order. */
export interface Filter {
  /** `WHERE …`, or empty without conditions. */
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** Joins the conditions that have a value, so that SQLite can use an index for each. */
export function filterOf(conditions: readonly Condition[]): Filter {
  const parts: string[] = [];
  const values: (string | number)[] = [];
  for (const [sql, value] of conditions) {
    if (value === null) continue;
    parts.push(sql);
    values.push(value);
  }
  return { sql: parts.length === 0 ? "" : `WHERE ${parts.join("\n  AND ")}`, values };
}
