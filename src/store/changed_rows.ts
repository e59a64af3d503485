/** Rows that are changed by several steps, by table and row number, so that none is counted twice. */
export type ChangedRows = Map<string, Set<number>>;

/** @param rows Each with its number as `rowid`. @returns How many of them are new. */
export function noteChanged(
  changed: ChangedRows,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): number {
  let numbers = changed.get(table);
  if (numbers === undefined) changed.set(table, numbers = new Set());
  const before = numbers.size;
  for (const { rowid } of rows) numbers.add(Number(rowid));
  return numbers.size - before;
}
