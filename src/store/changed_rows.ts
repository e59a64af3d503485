/** The numbers of changed rows, by table: several steps change a row that counts once. */
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
