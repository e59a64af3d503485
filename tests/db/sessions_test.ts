/** What is told of sessions: how they ended, and the newest of a project. */
import assert from "node:assert/strict";
import { type LastTurn, sessionEnd } from "../../src/db/sessions.ts";
import type { Execution } from "../../src/db/captures.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import { saveEvent, tempDatabase } from "../support/records.ts";
import CASES from "../testdata/db_cases.json" with { type: "json" };

/** Events by name, those that were held back with a `!`, and what is known of the turn after them. */
const EVENTS = rowsOf<readonly [events: string, turn: LastTurn | null]>(CASES.lastTurns);

const test = testWith(tempDatabase);

test("a turn begins with a prompt and ends with a Stop, unless these were held back, or with an error", ({ db }) => {
  for (const [n, [events, turn]] of EVENTS.entries()) {
    const sessionId = `s${n}`;
    for (const [atMs, event] of events.split(" ").entries()) {
      const status: Execution["status"] = event.startsWith("!") ? "blocked" : "success";
      const hookName = event.replace("!", "");
      const metadata = hookName === "StopFailure" ? { error: "overloaded" } : {};
      saveEvent(db, { atMs, sessionId, execution: { hookName, status, metadata } });
    }
    assert.deepEqual(sessionEnd(db, sessionId)?.turn, turn, events);
  }
});

test("an unknown session has no facts", (temp) => {
  assert.equal(sessionEnd(temp.db, "s"), null);
});
