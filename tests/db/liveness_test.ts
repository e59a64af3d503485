import assert from "node:assert/strict";
import { goneSessions } from "../../src/db/sessions.ts";
import type { ProcessState } from "../../src/system/process/process_identity.ts";

const SESSION = { sessionId: "s", claudePid: 10, claudeProcess: "start-a" };

function gone(
  processes: Readonly<Record<number, ProcessState>>,
  more = {},
  ownPid: number | null = null,
) {
  const map = new Map(Object.entries(processes).map(([pid, now]) => [Number(pid), now]));
  return goneSessions([{ ...SESSION, ...more }], map, ownPid).length === 1;
}

Deno.test("goneSessions() takes a dead process for gone", () => {
  assert.ok(gone({ 10: { alive: false, mark: null } }));
});

Deno.test("goneSessions() takes the same process for alive, also when its start cannot be read", () => {
  assert.ok(!gone({ 10: { alive: true, mark: "start-a" } }));
  assert.ok(!gone({ 10: { alive: true, mark: null } }));
  assert.ok(!gone({ 10: { alive: true, mark: "start-b" } }, { claudeProcess: null }));
});

Deno.test("goneSessions() sees that a number belongs to another process now", () => {
  assert.ok(gone({ 10: { alive: true, mark: "start-b" } }));
});

Deno.test("goneSessions() leaves a session alone of whose process nothing is known", () => {
  assert.ok(!gone({}));
});

Deno.test("goneSessions() knows that a process which opens another session has left this one", () => {
  assert.ok(gone({ 10: { alive: true, mark: "start-a" } }, {}, 10));
});
