/** Rows that lie in `testdata/`, as the test that goes through them says what they are. */
export function rowsOf<Row>(rows: unknown): readonly Row[] {
  return rows as readonly Row[];
}
