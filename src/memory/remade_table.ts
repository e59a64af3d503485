/** Writes observations anew that lose some of their captures. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { transaction } from "../db/transaction.ts";
import { type NewObservation, saveFiles } from "./drain/observations_table.ts";
import { statement } from "../db/statement.ts";

/** An observation as its remaining captures make it, with how often and when they saw it. */
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

/** Makes an observation of its remaining captures, the oldest first; null where they are not enough. */
export type Remake = (
  id: number,
  captures: { readonly stay: readonly string[]; readonly go: ReadonlySet<string> },
) => Remade | null;

/** The columns of an observation that come from its captures. */
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

/** Writes the observations in one transaction, as if the other captures had never been there. */
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
