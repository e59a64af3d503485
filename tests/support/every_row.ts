/** A database with rows of every kind. */
import type { DatabaseSync } from "node:sqlite";
import { compactPayloads } from "../../src/db/payloads.ts";
import CASES from "../testdata/db_cases.json" with { type: "json" };
import ROWS from "../testdata/every_row.sql" with { type: "text" };
import { drainAt, saveEvent } from "./records.ts";
import { rowsOf } from "./fixtures.ts";

/** What was used in the session `a`: tests that fail, an edit, tests that pass; so there is a fix. */
const USES = rowsOf<readonly [toolName: string, outcome: "success" | "failure", payload: object]>(
  CASES.usesOfEveryKind,
);

/** Fills a new database with rows of every kind; payloads as text, compressed, and damaged. */
export function fillEveryTable(db: DatabaseSync): void {
  USES.forEach(([toolName, outcome, payload], i) => {
    saveEvent(db, {
      atMs: 10_000 + i * 1000,
      sessionId: "a",
      execution: { metadata: { n: i }, errorMessage: i === 0 ? "it failed" : null },
      counters: ["edits", "tool_uses"],
      capture: {
        toolName,
        outcome,
        toolUseId: `toolu_${i}`,
        payload: JSON.stringify({ tool_name: toolName, ...payload, pad: "x".repeat(2000) }),
      },
    });
  });
  drainAt(db, 50_000);
  compactPayloads(db);
  saveEvent(db, {
    atMs: 60_000,
    sessionId: "c",
    capture: { payload: '{"n":12345678901234567890,"n":1e400}' },
  });
  saveEvent(db, { atMs: 61_000, sessionId: "c", capture: {} });
  saveEvent(db, { atMs: 62_000, sessionId: "c", capture: {} });
  db.exec(
    "UPDATE pending_queue SET payload = x'0102ff', encoding = 'br' WHERE created_at_ms = 61000",
  );
  db.exec("UPDATE pending_queue SET payload = '{broken' WHERE created_at_ms = 62000");
  db.exec(ROWS);
}
