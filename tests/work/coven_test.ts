/** What the older daemon's records mean here, without any database. */
import "../../src/operations/config_sections.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { CovenPlan, findCoven, planCovenFiles, planCovenTasks } from "../../src/work/coven.ts";
import CASES from "../testdata/work_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

const folder = Deno.makeTempDirSync({ prefix: "conclaude-coven-" });
addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
Deno.mkdirSync(join(folder, ".coven"));

function read(state: unknown) {
  const text = typeof state === "string" ? state : JSON.stringify(state);
  Deno.writeTextFileSync(join(folder, ".coven/state.json"), text);
  const plan = new CovenPlan();
  const facts = { here: new Map(), isFinished: false, repository: null };
  planCovenTasks(findCoven(folder)!, plan, facts);
  return plan;
}

/** The columns of one task. */
const taskOf = (fields: Record<string, unknown>) =>
  read({ tasks: [{ id: "a", title: "A", ...fields }] }).tasks[0]!.row;

Deno.test("coven's words and times have their meaning here, in any spelling", () => {
  const columns = rowsOf<
    readonly [field: string, given: unknown, column: string, expected: unknown]
  >(Object.values(CASES.covenColumns).flat());
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

Deno.test("a setting of coven has the same value here in either spelling, or why it has none", () => {
  for (const [given, expected] of rowsOf<readonly [object, unknown]>(CASES.covenSettings)) {
    Deno.writeTextFileSync(join(folder, ".coven/config.json"), JSON.stringify(given));
    const plan = new CovenPlan();
    planCovenFiles(findCoven(folder)!, plan);
    const told = [plan.entries.map(({ value }) => value), plan.notTaken.map(({ why }) => why)];
    assert.deepEqual(told.flat(), [expected], JSON.stringify(given));
  }
  Deno.removeSync(join(folder, ".coven/config.json"));
});

Deno.test("the tree of imported tasks has a top and right depths, whatever their parents are", () => {
  const id = fc.constantFrom("a", "b", "c", "d", "e", "f", "gone");
  const task = fc.record({ parent_id: fc.option(id), depends_on: fc.array(id) });
  fc.assert(fc.property(fc.tuple(task, task, task, task, task, task), (given) => {
    const plan = read({ tasks: given.map((one, i) => ({ id: "abcdef"[i], ...one })) });
    const tasks = plan.tasks.map(({ row }) => row);
    assert.equal(tasks.length, 6);
    const depths = new Map(tasks.map((one) => [one["id"], Number(one["depth"])]));
    for (const { parent_id, depth } of tasks) {
      assert.equal(depth, parent_id === null ? 0 : depths.get(parent_id!)! + 1);
    }
  }));
});

Deno.test("every file of coven is read or named, and reading never throws", () => {
  const keys = fc.constantFrom("tasks", "beads", "workflows", "familiars", "version", "__proto__");
  fc.assert(fc.property(fc.dictionary(keys, fc.jsonValue()), (content) => void read(content)));
  fc.assert(fc.property(fc.string(), (text) => {
    const state = read(text);
    assert.ok(state.filesRead === 1 || state.notTaken.length === 1);
  }));
});
