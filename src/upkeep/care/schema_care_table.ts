/** Finds tables and indexes that are missing or differ from those that this program makes. */
import type { DatabaseSync } from "node:sqlite";
import { migrate } from "../../db/migrate.ts";
import { connect } from "../../db/connect.ts";

/** A table, index or trigger that is missing or differs. */
export interface SchemaDifference {
  readonly type: "table" | "index" | "trigger";
  readonly name: string;
  /** The statement that makes it. */
  readonly sql: string;
  /** False when it is there and differs. */
  readonly isGone: boolean;
}

/** The parts of a database that are missing or differ. */
export function schemaDifferences(db: DatabaseSync): SchemaDifference[] {
  const fresh = connect(":memory:");
  try {
    migrate(fresh, ":memory:");
    const present = new Map(partsOf(db).map((part) => [keyOf(part), part.sql]));
    return partsOf(fresh).flatMap((part) => {
      const found = present.get(keyOf(part));
      return found === part.sql ? [] : [{ ...part, isGone: found === undefined }];
    });
  } finally {
    fresh.close();
  }
}

/** The same, a sentence each. */
export function schemaFaults(found: readonly SchemaDifference[]): string[] {
  return found.map(({ type, name, isGone }) =>
    `the ${type} ${name} ${isGone ? "is missing" : "is not as this program makes it"}`
  );
}

/** Whether it belongs to the search index, which is made anew as a whole. */
export function isOfSearchIndex({ name, sql }: Pick<SchemaDifference, "name" | "sql">): boolean {
  return name.startsWith("memory_index") || /\bINTO memory_index\b/.test(sql);
}

type Part = Pick<SchemaDifference, "type" | "name" | "sql">;

/** In the order in which they were made: a table comes before its indexes. */
function partsOf(db: DatabaseSync): Part[] {
  return db.prepare(
    `SELECT type, name, sql
       FROM sqlite_schema
      WHERE sql IS NOT NULL
      ORDER BY rowid`,
  ).all() as unknown as Part[];
}

function keyOf({ type, name }: Part): string {
  return `${type} ${name}`;
}
