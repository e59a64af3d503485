import { DatabaseSync } from "node:sqlite";

/**
 * The pages where the tables with row numbers begin, of a database that nobody else has open; none where its schema
 * cannot be read. Those of the search index are left out: it is made anew of the observations. What is in its log is in
 * the file afterwards.
 */
export function tableRoots(path: string): readonly number[] {
  const db = new DatabaseSync(path);
  try {
    return db.prepare(
      `SELECT rootpage
         FROM sqlite_schema
         JOIN pragma_table_list USING (name)
        WHERE sqlite_schema.type = 'table'
          AND rootpage > 0
          AND wr = 0
          AND name NOT LIKE 'memory\\_index%' ESCAPE '\\'`,
    ).all().map(({ rootpage }) => Number(rootpage));
  } catch {
    // No schema, no table: what an export says of it stands.
    return [];
  } finally {
    db.close();
  }
}
