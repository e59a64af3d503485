/** What one session of the real Claude Code did, as the next ones are told of it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { makeRepository } from "../support/git.ts";
import { query } from "../support/look.ts";
import { say, type Steps, test, use } from "./harness.ts";

const run = (command: string) => use("Bash", { command });

const BROKEN = `import test from "node:test";
import assert from "node:assert";
import { addAmounts } from "./amounts.mjs";
test("addAmounts() adds cents", () => assert.equal(addAmounts(1, 2), 3));
`;

const ROUNDING = `import test from "node:test";
import assert from "node:assert";
test("amounts are rounded", () => assert.equal(Math.round(2.5), 2));
`;

/** Edits, fails a test, mends it at the second try, commits, and leaves a test that fails. */
const FIRST: Steps = [
  use("Write", {
    file_path: "{{PROJECT}}/amounts.mjs",
    content: "export function addAmounts(a, b) {\n  return a - b;\n}\n",
  }),
  use("Write", { file_path: "{{PROJECT}}/amounts.test.mjs", content: BROKEN }),
  run("node --test amounts.test.mjs"),
  use("Read", { file_path: "{{PROJECT}}/amounts.mjs" }),
  use("Edit", {
    file_path: "{{PROJECT}}/amounts.mjs",
    old_string: "return a - b;",
    new_string: "return b - a;",
  }),
  run("node --test amounts.test.mjs"),
  use("Edit", {
    file_path: "{{PROJECT}}/amounts.mjs",
    old_string: "return b - a;",
    new_string: "return a + b;",
  }),
  run("node --test amounts.test.mjs"),
  run(
    "git add -A && git -c user.name=t -c user.email=t@t commit -m 'Amounts are added, not subtracted'",
  ),
  use("Write", { file_path: "{{PROJECT}}/rounding.test.mjs", content: ROUNDING }),
  run("node --test rounding.test.mjs"),
  say("Amounts add up now; the rounding is not right yet."),
];

const begin = (project: string) => makeRepository(project, { branch: "feature/amounts" });

const HEADING = "Memory of this project";

test("the real Claude Code is told in its next session what was mended and what is open, elsewhere nothing, and never twice", async ({ folder, runScenario }) => {
  const home = join(folder, "home");
  const project = join(folder, "shop");
  const elsewhere = join(folder, "other");
  begin(project);
  begin(elsewhere);
  const session = (name: string, at: string, steps: Steps, args: readonly string[] = []) =>
    runScenario(name, {
      home,
      project: at,
      steps,
      args: ["--dangerously-skip-permissions", ...args],
    });

  const first = await session("first", project, FIRST);
  assert.equal(first.sentToModel.includes(HEADING), false);

  const second = await session("second", project, [say("Ready.")]);
  assert.ok(second.sentToModel.includes(HEADING), second.summary);
  assert.match(second.sentToModel, /Fixed (?:[^"\\]|\\.)*amounts\.mjs/);
  assert.match(second.sentToModel, /Left open on feature\/amounts/);
  assert.match(second.sentToModel, /rounding\.test\.mjs \(0 passed, 1 failed\)/);
  assert.match(second.sentToModel, /the rounding is not right yet/);

  const third = await session("third", elsewhere, [say("Ready.")]);
  assert.equal(third.sentToModel.includes(HEADING), false);
  assert.doesNotMatch(third.sentToModel, /amounts\.mjs|addAmounts|rounding/);

  const [told] = query(
    second.database,
    `SELECT session_id AS id
       FROM sessions
      WHERE project_dir = ?
      ORDER BY started_at_ms DESC
      LIMIT 1`,
    project,
  );
  const again = await session("again", project, [say("Still ready.")], [
    "--resume",
    String(told!["id"]),
  ]);
  const last = again.sentToModel.trim().split("\n").at(-1)!;
  assert.equal(last.split(HEADING).length - 1, 1, "what it was told before stands in it once");
});
