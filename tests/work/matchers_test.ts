import assert from "node:assert/strict";
import { parse } from "yaml";
import {
  chooseWorkflow,
  type ChoosingTask,
  parseMatchers,
  readMatchers,
} from "../../src/work/matchers.ts";
import { tempFolder } from "../support/folders.ts";
import { makeRepository } from "../support/git.ts";
import CASES from "../testdata/work_cases.json" with { type: "json" };

const TASK: ChoosingTask = {
  id: "t1",
  title: "T",
  body: "The Login is slow",
  type: "bug",
  priority: 2,
  tags: ["ui", "area"],
  workflow: null,
  parentId: null,
};
const NO_PARENT = { parentWorkflow: null, default: "implement" };

const read = (yaml: string) => parseMatchers(parse(yaml));

function matches(match: string, task: Partial<ChoosingTask> = {}): boolean {
  const { matchers, warnings } = read(`[{name: m, match: ${match}, workflow: w}]`);
  assert.deepEqual(warnings, []);
  return chooseWorkflow({ ...TASK, ...task }, matchers, NO_PARENT).by === "matcher";
}

Deno.test("chooseWorkflow() asks the task, then its tags, then the matchers in their order", () => {
  const { matchers } = read(`
matchers:
  - {name: none, match: {type: feature}, workflow: a}
  - {name: bugs, match: {type: [bug, task]}, workflow: b}
  - {name: all, match: {}, grimoire: c}`);
  const of = (task: Partial<ChoosingTask>) => {
    const { name, why, by } = chooseWorkflow({ ...TASK, ...task }, matchers, NO_PARENT);
    return [name, why, by];
  };
  assert.deepEqual(of({ workflow: "h", tags: ["workflow:x"] }), [
    "h",
    "the task asks for it",
    "hint",
  ]);
  assert.deepEqual(of({ tags: ["grimoire:y", "workflow:x"] }), ["x", "the tag workflow:x", "tag"]);
  assert.deepEqual(of({ tags: ["grimoire:y"] }), ["y", "the tag grimoire:y", "tag"]);
  assert.deepEqual(of({ tags: ["workflow:"] }), ["b", "the matcher 'bugs'", "matcher"]);
  assert.deepEqual(of({ type: "chore" }), ["c", "the matcher 'all'", "matcher"]);
  assert.deepEqual(chooseWorkflow(TASK, [], NO_PARENT).name, "implement");
  assert.deepEqual(chooseWorkflow(TASK, matchers, NO_PARENT).considered, [
    { name: "none", matched: false, why: "its type is bug" },
    { name: "bugs", matched: true, why: "all conditions are fulfilled" },
  ]);
});

Deno.test("a matcher matches when all its conditions are fulfilled", () => {
  const cases: Readonly<Record<string, boolean>> = CASES.matching;
  for (const [match, expected] of Object.entries(cases)) {
    assert.equal(matches(match), expected, match);
  }
});

Deno.test("a matcher that inherits takes the parent's workflow, and does not match without one", () => {
  const { matchers } = read("[{name: m, match: {has_parent: true}, inherit: true}]");
  const task = { ...TASK, parentId: "p" };
  const of = (parentWorkflow: string | null) =>
    chooseWorkflow(task, matchers, { parentWorkflow, default: "implement" });
  assert.deepEqual([of("p").name, of("p").why], ["p", "the matcher 'm', as the parent"]);
  assert.equal(of(null).by, "default");
  assert.equal(of(null).considered[0]!.why, "the parent never ran a workflow");
});

Deno.test("parseMatchers() leaves out a wrong matcher, and warns", () => {
  const cases: Readonly<Record<string, readonly string[]>> = CASES.matcherFaults;
  for (const [yaml, warnings] of Object.entries(cases)) {
    assert.deepEqual(read(yaml), { matchers: [], warnings }, yaml);
  }
});

Deno.test("parseMatchers() ignores an unknown field, and warns", () => {
  const { matchers, warnings } = read("[{name: m, workflow: w, match: {any_tag: [a], type: bug}}]");
  assert.equal(matchers.length, 1);
  assert.deepEqual(warnings, [
    `matcher 'm': unknown key "any_tag"; did you mean "any_tags"?; it is ignored`,
  ]);
});

Deno.test("parseMatchers() warns of matchers that stand after one that matches everything", () => {
  const { warnings } = read(`
- {name: i, inherit: true}
- {name: y, match: {}, workflow: w}
- {name: x, match: {type: bug}, workflow: w}`);
  assert.deepEqual(warnings, [
    "matcher 'x' will never be reached because 'y' matches everything",
  ]);
});

Deno.test("readMatchers() takes the file nearest to the project, also one that cannot be read", () => {
  using folder = tempFolder();
  const name = ".conclaude/workflow-matchers.yaml";
  const files = { [name]: "[{name: top, workflow: w}]", [`sub/${name}`]: "[{name: own" };
  makeRepository(folder.path, { files });
  const own = `${folder.path}/sub/${name}`;
  const found = () => {
    const { path, matchers, warnings } = readMatchers(`${folder.path}/sub`);
    return [path, matchers.map((one) => one.name), warnings.length];
  };
  assert.deepEqual(found(), [own, [], 1]);
  Deno.writeTextFileSync(own, "[{name: own, workflow: w}]" + " ".repeat(1 << 20));
  assert.deepEqual(found(), [own, ["own"], 0]);
  Deno.removeSync(own);
  assert.deepEqual(found(), [`${folder.path}/${name}`, ["top"], 0]);
  Deno.mkdirSync(own);
  assert.deepEqual(found(), [own, [], 1]);
});
