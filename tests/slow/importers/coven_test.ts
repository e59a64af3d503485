/** What the older daemon's files mean here: the rules, without any database. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { convertMapping, convertOldConfig } from "../../../src/orchestration/coven/old_config.ts";
import { OldRecord } from "../../../src/orchestration/coven/old_record.ts";
import { type OldFile, readOldState } from "../../../src/orchestration/coven/old_state.ts";
import { type OldTask, readOldTask } from "../../../src/orchestration/coven/old_task.ts";
import { planAgent, planWorkflow } from "../../../src/orchestration/coven/run_plan.ts";
import { planTasks } from "../../../src/orchestration/coven/task_plan.ts";

const file = (name: string, content: unknown): OldFile => ({
  path: `/p/.coven/${name}.json`,
  name,
  text: typeof content === "string" ? content : JSON.stringify(content),
  problem: "",
});

function stateOf(state: unknown) {
  return readOldState({ state: file("state", state), workflows: [], agents: [], questions: [] });
}

function taskOf(fields: Record<string, unknown>): { task: OldTask; notes: string[] } {
  const notes: string[] = [];
  const task = readOldTask(
    new OldRecord({ id: "a", title: "A", ...fields }),
    null,
    (note) => notes.push(note),
  );
  assert.ok(typeof task !== "string");
  return { task, notes };
}

const planOf = (tasks: readonly OldTask[]) =>
  planTasks(tasks, { workOf: () => null, workflows: [], tell: () => {} });

Deno.test("statuses, types and priorities of old have their meaning, and what is unknown is told", () => {
  for (
    const [given, status] of [
      ...[["todo", "open"], ["In Progress", "in_progress"], ["in-progress", "in_progress"]],
      ...[["done", "closed"], ["pending_merge", "pending_merge"], ["blocked", "blocked"]],
    ] as const
  ) {
    assert.deepEqual([taskOf({ status: given }).task.status, taskOf({ status: given }).notes], [
      status,
      [],
    ]);
  }
  assert.deepEqual(["epic", "bug", "chore", null].map((type) => taskOf({ type }).task.type), [
    ...["feature", "bug", "task", "task"],
  ]);
  assert.deepEqual([0, "P1", "3", null].map((priority) => taskOf({ priority }).task.priority), [
    ...[0, 1, 3, 2],
  ]);
  const odd = taskOf({ status: "constructor", type: "saga", priority: 7 });
  assert.deepEqual([odd.task.status, odd.task.type, odd.task.priority], ["open", "task", 2]);
  assert.equal(odd.notes.length, 3);
});

Deno.test("Go's zero time is no time, and a moment may be a text, seconds or milliseconds", () => {
  const at = (value: unknown) => new OldRecord({ at: value }).time("at");
  assert.equal(at("0001-01-01T00:00:00Z"), null);
  assert.equal(at("2025-11-02T10:00:00.123456789Z"), 1762077600123);
  assert.equal(at("2025-11-02T11:00:00+01:00"), 1762077600000);
  assert.equal(at(1762077600), 1762077600000);
  assert.equal(at(1762077600000), 1762077600000);
  assert.equal(at("soon"), null);
});

Deno.test("a title of several lines becomes one, a long one stands whole in the body", () => {
  assert.equal(taskOf({ title: " Two\nlines " }).task.title, "Two lines");
  const { task, notes } = taskOf({ title: "x".repeat(600), body: "more" });
  assert.deepEqual([task.title.length, task.body, notes.length], [
    500,
    `${"x".repeat(600)}\n\nmore`,
    1,
  ]);
  assert.equal(taskOf({ title: "" }).task.title, "a");
});

Deno.test("parents come before their children, and nothing waits in a circle, whatever the files say", () => {
  const id = fc.constantFrom("a", "b", "c", "d", "e", "f", "gone");
  const task = fc.record({
    parent_id: fc.option(id),
    depends_on: fc.array(id),
    deleted_at: fc.option(fc.constant("2025-01-01T00:00:00Z")),
  });
  fc.assert(fc.property(fc.tuple(task, task, task, task, task, task), (given) => {
    const tasks = given.map((fields, i) => taskOf({ ...fields, id: "abcdef"[i] }).task);
    const planned = planOf(tasks);
    assert.equal(planned.length, 6);
    const placed = new Map<string, number>();
    for (const { old, parentId, depth } of planned) {
      assert.equal(depth, parentId === null ? 0 : placed.get(parentId)! + 1);
      placed.set(old.id, depth);
    }
    const needs = new Map(planned.map(({ old, dependsOn }) => [old.id, dependsOn]));
    const walk = (at: string, path: readonly string[]): void => {
      assert.ok(!path.includes(at), [...path, at].join());
      for (const next of needs.get(at)!) walk(next, [...path, at]);
    };
    for (const one of needs.keys()) walk(one, []);
  }));
});

Deno.test("an agent that names its step where its task belongs is an agent of the task", () => {
  const { agents } = stateOf({ familiars: { "b-1-step-1": { task_id: "b-1-step-1", pid: 7 } } });
  assert.deepEqual(agents.map(({ taskId, name }) => [taskId, name]), [["b-1", "step-1"]]);
});

Deno.test("whatever a file holds, it is read or named, and nothing throws", () => {
  const keys = fc.constantFrom(
    "tasks",
    "workflows",
    "familiars",
    "questions",
    "version",
    "__proto__",
  );
  fc.assert(fc.property(fc.dictionary(keys, fc.jsonValue()), (content) => {
    const state = stateOf(content);
    planOf(state.tasks);
    for (const workflow of state.workflows) planWorkflow(workflow, () => new Map());
    for (const agent of state.agents) planAgent(agent);
  }));
  fc.assert(fc.property(fc.string(), (text) => {
    const state = stateOf(text);
    assert.equal(state.skipped.length + state.filesRead, 1);
  }));
});

Deno.test("both schemas of the configuration come to the same keys", () => {
  const snake = convertOldConfig({ max_concurrent_agents: 5, agent_command: "claude-beta" });
  const camel = convertOldConfig({ maxConcurrentAgents: 5, agentCommand: "claude-beta" });
  assert.deepEqual(snake, camel);
  assert.deepEqual(snake.entries.map(({ path }) => path.join(".")), [
    ...["orchestration.agentCommand", "orchestration.maxConcurrentAgents"],
  ]);
  const { entries, notTaken } = convertOldConfig({
    preMergeChecks: { enabled: true, commands: ["a", "b"] },
    store: { claimTimeoutMinutes: 0, constructor: 1 },
    constructor: 1,
  });
  assert.deepEqual(entries, [{ path: ["orchestration", "check"], value: "(a) && (b)" }]);
  assert.equal(notTaken.length, 3);
});

Deno.test("a mapping by type becomes matchers; an epic is a feature unless that has its own", () => {
  const { matchers, defaultWorkflow } = convertMapping({
    default: "implement-bead",
    by_type: { epic: "plan", feature: "build", bug: "fix" },
  });
  assert.equal(defaultWorkflow, "implement-bead");
  assert.deepEqual(matchers, [
    { name: "type-feature", match: { type: ["feature"] }, workflow: "build" },
    { name: "type-bug", match: { type: ["bug"] }, workflow: "fix" },
  ]);
});
