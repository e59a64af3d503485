/** Facts about sessions: how they ended, and whether their process is gone. */
import assert from "node:assert/strict";
import { goneSessions, type LastTurn, sessionEnd } from "../../src/db/sessions.ts";
import type { Execution } from "../../src/db/captures.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import { saveEvent, tempDatabase } from "../support/records.ts";
import CASES from "../testdata/db_cases.json" with { type: "json" };
import type { ProcessState } from "../../src/system/process/process_identity.ts";

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

const SESSION = { sessionId: "s", claudePid: 10, claudeProcess: "start-a" };
const [dead, same, unread, other] = [
  { alive: false, mark: null },
  { alive: true, mark: "start-a" },
  { alive: true, mark: null },
  { alive: true, mark: "start-b" },
];
const PROCESSES: readonly (readonly [what: string, isGone: boolean, now?: ProcessState, more?: {
  readonly ownPid?: number;
  readonly claudeProcess?: null;
}])[] = [
  ["takes a dead process for gone", true, dead],
  ["takes the same process for alive", false, same],
  ["takes a process for alive whose start cannot be read", false, unread],
  ["takes a process for alive whose start is not known", false, other, { claudeProcess: null }],
  ["sees that a number belongs to another process now", true, other],
  ["leaves a session alone of whose process nothing is known", false],
  ["knows that a process which opens another session has left this one", true, same, {
    ownPid: 10,
  }],
];

for (const [what, isGone, now, { ownPid = null, ...more } = {}] of PROCESSES) {
  Deno.test(`goneSessions() ${what}`, () => {
    const processes = new Map(now === undefined ? [] : [[10, now]]);
    assert.equal(goneSessions([{ ...SESSION, ...more }], processes, ownPid).length === 1, isGone);
  });
}
