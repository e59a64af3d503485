/** Puts many observations into the search index at once; why is told in migration 20. */
import type { DatabaseSync } from "node:sqlite";
import { transaction } from "./database.ts";
import { statement } from "./statement.ts";

/**
 * Runs `work` in one write transaction, and puts the observations that it writes into the search index at the end: until
 * then `work` itself does not find them there. Rolls back and rethrows when it throws.
 */
export function indexTogether<Result>(db: DatabaseSync, work: () => Result): Result {
  return transaction(db, () => {
    const { until } = statement(db, "SELECT coalesce(max(id), 0) AS until FROM observations")
      .get() as { readonly until: number };
    statement(db, "INSERT OR REPLACE INTO meta (key, value) VALUES ('indexed_until', ?)")
      .run(String(until));
    const result = work();
    statement(db, "DELETE FROM meta WHERE key = 'indexed_until'").run();
    statement(
      db,
      `INSERT INTO memory_index (rowid, title, text, terms)
       SELECT id, title, text, terms
         FROM observations
        WHERE id > ?
        ORDER BY id`,
    ).run(until);
    return result;
  });
}
