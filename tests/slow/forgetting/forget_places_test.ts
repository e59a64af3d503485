import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { textMatcher } from "../../../src/memory/forget_text.ts";
import {
  changePlaces,
  newRun,
  textPlaces,
} from "../../../src/upkeep/forget/forget_places_table.ts";
import { testWith } from "../../support/fixtures.ts";
import { tempDatabase } from "../../support/records.ts";

const WORD = 'Zanzibar "Quux"';
const RECEIPT = "0198f0e1-0000-7000-8000-00000000a001";

/** Counts the rows with the word by table, and takes it out of them when that is asked for. */
function change(db: DatabaseSync, mode: "look" | "forget", sessions: string[] | null = null) {
  const places = textPlaces(db, textMatcher(WORD.toUpperCase()), sessions);
  return changePlaces(db, places, newRun(mode === "look" ? null : { id: RECEIPT, salt: "" }));
}

/** Tables that are emptied of whole rows elsewhere, or that nobody's words are in. */
const ELSEWHERE =
  /^(?:observations|observation_files|pending_queue|sessions_to_summarize|forget_receipts|forgotten|memory_index|sqlite_)/;

/** Columns that say which row it is, or what kind of one. */
const KEPT =
  /^(?:id|.*_id|status|kind|type|scope|source|decision|entity_type|hook_name|satisfied_by|triggered_by|trigger_state|subject|content_hash|process_mark|claude_process|depends_on|origin|key|priority)$/;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
  readonly notnull: number;
}

/** A row with the word in every column that takes one. @returns The columns with it. */
function fill(db: DatabaseSync, table: string): string[] {
  const columns = db.prepare('SELECT name, type, pk, "notnull" FROM pragma_table_info(?)').all(
    table,
  ) as unknown as Column[];
  const sql = String(db.prepare("SELECT sql FROM sqlite_schema WHERE name = ?").get(table)!["sql"]);
  const isWordy = ({ name, type }: Column) => type === "TEXT" && !KEPT.test(name);
  const values = columns.filter(({ name, notnull, pk }) => notnull || pk || !KEPT.test(name)).map(
    (column) => {
      const { name, type } = column;
      const choice = new RegExp(`\\b${name}\\s+TEXT[^,]*?CHECK \\(${name} IN \\('([^']+)'`).exec(
        sql,
      )?.[1];
      if (choice !== undefined) return [name, choice] as const;
      if (isWordy(column)) return [name, JSON.stringify([`a ${WORD}`, { [WORD]: "é" }])] as const;
      return [name, type === "TEXT" ? "x" : 1] as const;
    },
  );
  db.prepare(
    `INSERT INTO ${table} (${values.map(([name]) => name).join(", ")})
     VALUES (${values.map(() => "?").join(", ")})`,
  ).run(...values.map(([, value]) => value));
  return columns.filter(isWordy).map(({ name }) => name);
}

const test = testWith(tempDatabase);

test("a forgotten text is removed from every column that may hold a person's words", ({ db }) => {
  db.exec("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    .map(({ name }) => String(name)).filter((name) => !ELSEWHERE.test(name));
  const filled = tables.filter((table) => fill(db, table).length > 0);
  assert.ok(filled.length >= 14, filled.join());
  const counts = change(db, "look");
  assert.deepEqual(Object.keys(counts).sort(), filled.sort());
  assert.deepEqual(change(db, "forget"), counts);
  assert.deepEqual(change(db, "look"), {});
  for (const table of filled) {
    for (const row of db.prepare(`SELECT * FROM ${table}`).all()) {
      for (
        const value of Object.values(row).filter((value) => String(value).includes("forgotten"))
      ) {
        assert.deepEqual(
          JSON.parse(String(value)),
          ["a [forgotten]", { "[forgotten]": "é" }],
          table,
        );
      }
    }
  }
});

test("in a scope of sessions only their rows are changed", ({ db }) => {
  for (const session of ["a", "b"]) {
    db.prepare(
      "INSERT INTO prompt_queues (session_id, initial_prompt, created_at_ms, updated_at_ms) VALUES (?, ?, 1, 1)",
    ).run(session, `do ${WORD}`);
  }
  assert.deepEqual(change(db, "forget", ["b"]), {
    prompt_queues: 1,
  });
  const rows = db.prepare("SELECT initial_prompt AS text FROM prompt_queues ORDER BY session_id")
    .all();
  assert.deepEqual(rows.map(({ text }) => text), [`do ${WORD}`, "do [forgotten]"]);
});
