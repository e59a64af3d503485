/** A condition with one `?`, and the value for it; it does not count when the value is null. */
export type Condition = readonly [sql: string, value: string | number | null];

/** The part of a statement that filters, and its values in order. */
export interface Filter {
  /** `WHERE …`, or empty when no condition counts. */
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** Joins the conditions that have a value, so that a query names only what can use an index. */
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
