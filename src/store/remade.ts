/** Observations that stay without some of the captures that they were made of. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { transaction } from "./database.ts";
import { type NewObservation, saveFiles } from "./observations.ts";
import { statement } from "./statement.ts";

/** An observation as the captures that stay tell it, and how often and when they saw it. */
export interface Remade extends
  Pick<
    NewObservation,
    "uid" | "project" | "branch" | "outcome" | "title" | "text" | "terms" | "files" | "facts"
  > {
  readonly id: number;
  readonly repeats: number;
  /** Epoch milliseconds. */
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Makes an observation of the captures that stay, the oldest first; null where they do not tell it by themselves. */
export type Remake = (
  id: number,
  captures: { readonly stay: readonly string[]; readonly go: ReadonlySet<string> },
) => Remade | null;

/** The captures that went into observations, the oldest first, by observation. */
export function capturesByObservation(
  db: DatabaseSync,
  observations: Iterable<number>,
): ReadonlyMap<number, readonly string[]> {
  const rows = db.prepare(
    `SELECT observation_id AS observation, id
       FROM pending_queue
      WHERE observation_id IN (SELECT value FROM json_each(?1))
      ORDER BY created_at_ms, id`,
  ).all(JSON.stringify([...observations]));
  const captures = new Map<number, string[]>();
  for (const { observation, id } of rows) {
    const of = captures.get(Number(observation));
    if (of === undefined) captures.set(Number(observation), [String(id)]);
    else of.push(String(id));
  }
  return captures;
}

/** The columns of an observation that its captures tell. */
export function columnsOf(one: Remade): Readonly<Record<string, SQLInputValue>> {
  const { files, facts, createdAtMs, updatedAtMs, ...same } = one;
  return {
    ...same,
    files: JSON.stringify(files.map(({ path }) => path)),
    facts: JSON.stringify(facts),
    created_at_ms: createdAtMs,
    updated_at_ms: updatedAtMs,
  };
}

/** Writes observations as they are made anew, in one transaction: all is then as if the other captures had never been. */
export function writeRemade(db: DatabaseSync, remade: readonly Remade[]): void {
  transaction(db, () => {
    for (const one of remade) {
      const { id, ...columns } = columnsOf(one);
      const set = Object.keys(columns).map((name) => `${name} = ?`).join(", ");
      statement(db, `UPDATE observations SET ${set} WHERE id = ?`)
        .run(...Object.values(columns), id!);
      statement(db, "DELETE FROM observation_files WHERE observation_id = ?").run(one.id);
      saveFiles(db, one.id, one.files);
    }
  });
}
