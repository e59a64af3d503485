/** How the search index is made. */
import type { DatabaseSync } from "node:sqlite";
import memory from "../../migrations/0016_memory.sql" with { type: "text" };
import indexedTogether from "../../migrations/0020_indexed_together.sql" with { type: "text" };

/** The table of the index and the triggers that keep it, as the migrations leave them, by name. */
export const INDEX_DEFINITIONS: ReadonlyMap<string, string> = new Map(
  Array.from(
    `${memory}\n${indexedTogether}`.matchAll(
      /^CREATE (?:VIRTUAL TABLE|TRIGGER) (\w+)[^]*?^(?:\)|END);$/gm,
    ),
    ([sql, name]) => [name!, sql],
  ),
);

/** Makes the index, with its triggers, where there is none, of the observations that are there. */
export function makeIndex(db: DatabaseSync): void {
  for (const sql of INDEX_DEFINITIONS.values()) db.exec(sql);
  db.exec("INSERT INTO memory_index (memory_index, rank) VALUES ('secure-delete', 1)");
  db.exec("INSERT INTO memory_index (memory_index) VALUES ('rebuild')");
}
