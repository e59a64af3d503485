/** Tables and indexes that are gone, or are not as this program makes them. */
import { DatabaseSync } from "node:sqlite";
import { migrate } from "./migrate.ts";

/** A part of the schema that is not as it has to be. */
export interface SchemaDifference {
  readonly type: "table" | "index" | "trigger";
  readonly name: string;
  /** What makes it. */
  readonly sql: string;
  /** False when it is there, but other than this program makes it. */
  readonly isGone: boolean;
}

/** How the tables and indexes differ from those that this program makes; empty when they do not. */
export function schemaDifferences(db: DatabaseSync): SchemaDifference[] {
  const fresh = new DatabaseSync(":memory:");
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
