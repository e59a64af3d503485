/** What an observation keeps as JSON, where a damaged page may have left none. */
import type { DatabaseSync } from "node:sqlite";

/** The facts in SQL; none where they cannot be read. */
export const FACTS = "iif(json_valid(facts), facts, '{}')";

const UNREADABLE = "NOT json_valid(facts) OR NOT json_valid(files)";

/** Observations whose facts or files cannot be read. */
export function countUnreadable(db: DatabaseSync): number {
  return Number(
    db.prepare(`SELECT count(*) AS n FROM observations WHERE ${UNREADABLE}`).get()!["n"],
  );
}

/** Takes out what cannot be read of them. @returns Of how many. */
export function clearUnreadable(db: DatabaseSync): number {
  return Number(
    db.prepare(
      `UPDATE observations
          SET facts = ${FACTS},
              files = iif(json_valid(files), files, '[]')
        WHERE ${UNREADABLE}`,
    ).run().changes,
  );
}
