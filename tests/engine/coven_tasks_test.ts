/** What the older daemon's records mean here, without any database. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { readCoven } from "../../src/engine/coven_tasks.ts";

function read(state: unknown) {
  const text = typeof state === "string" ? state : JSON.stringify(state);
  return readCoven({
    files: {
      state: [{ path: "/p/.coven/state.json", text }],
      workflows: [],
      familiars: [],
      questions: [],
    },
    origin: "coven:/p:task:",
    here: new Map(),
    isFinished: false,
    home: { project_dir: "/p", repository: null },
    workOf: () => null,
    nowMs: 1_800_000_000_000,
  });
}

/** The columns of one task. */
const taskOf = (fields: Record<string, unknown>) =>
  read({ tasks: [{ id: "a", title: "A", ...fields }] }).rows[0]!.columns;

Deno.test("coven's words and times have their meaning here, in any spelling", () => {
  const columns = [
    ["status", "In Progress", "status", "open"],
    ["status", "done", "status", "closed"],
    ["state", "pending-merge", "status", "blocked"],
    ["type", "epic", "type", "feature"],
    ["priority", "P1", "priority", 1],
    ["createdAt", "2025-11-02T11:00:00+01:00", "created_at_ms", 1762077600000],
    ["created_at", 1762077600, "created_at_ms", 1762077600000],
    // Go's zero time is no time.
    ["deleted_at", "0001-01-01T00:00:00Z", "deleted_at_ms", null],
    ["title", " Two\nlines ", "title", "Two lines"],
  ] as const;
  for (const [field, given, column, expected] of columns) {
    assert.equal(taskOf({ [field]: given })[column], expected, `${field}: ${given}`);
  }
  const { title, body } = taskOf({ title: "x".repeat(600), body: "more" });
  assert.deepEqual([String(title).length, body], [500, `${"x".repeat(600)}\n\nmore`]);
  const odd = read({ tasks: [{ id: "a", title: "A", status: "constructor", priority: 7, x: 1 }] });
  assert.deepEqual(odd.notTaken.map(({ name }) => name), [
    "task a: status",
    "task a: priority",
    "task a: x",
  ]);
});

Deno.test("whatever tasks say of each other, the tree has a top and nothing waits in a circle", () => {
  const id = fc.constantFrom("a", "b", "c", "d", "e", "f", "gone");
  const task = fc.record({
    parent_id: fc.option(id),
    depends_on: fc.array(id),
    deleted_at: fc.option(fc.constant("2025-01-01T00:00:00Z")),
  });
  fc.assert(fc.property(fc.tuple(task, task, task, task, task, task), (given) => {
    const { rows } = read({ tasks: given.map((one, i) => ({ id: "abcdef"[i], ...one })) });
    const tasks = rows.filter(({ type }) => type === "task").map(({ columns }) => columns);
    assert.equal(tasks.length, 6);
    const depths = new Map(tasks.map((one) => [one["id"], Number(one["depth"])]));
    for (const { parent_id, depth } of tasks) {
      assert.equal(depth, parent_id === null ? 0 : depths.get(parent_id!)! + 1);
    }
    const needs = Map.groupBy(
      rows.filter(({ type }) => type === "taskDependency").map(({ columns }) => columns),
      ({ task_id }) => task_id,
    );
    const walk = (at: unknown, path: readonly unknown[]): void => {
      assert.ok(!path.includes(at));
      for (const { depends_on } of needs.get(at as string) ?? []) walk(depends_on, [...path, at]);
    };
    for (const { id } of tasks) walk(id, []);
  }));
});

Deno.test("whatever a file of coven holds, it is read or named, and nothing throws", () => {
  const keys = fc.constantFrom("tasks", "beads", "workflows", "familiars", "version", "__proto__");
  fc.assert(fc.property(fc.dictionary(keys, fc.jsonValue()), (content) => void read(content)));
  fc.assert(fc.property(fc.string(), (text) => {
    const state = read(text);
    assert.ok(state.filesRead === 1 || state.notTaken.length === 1);
  }));
});
