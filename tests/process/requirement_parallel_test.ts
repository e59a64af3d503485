/** Requirements under many processes at once, and after some were killed. */
import assert from "node:assert/strict";
import { damages, query } from "../support/look.ts";
import { RequiredProject, SESSION } from "../support/required_project.ts";
import { slowTest } from "../support/lanes.ts";

slowTest("twenty people who satisfy different requirements at once are all recorded", async () => {
  const names = Array.from({ length: 20 }, (_, i) => `req_${i}`);
  using project = new RequiredProject(
    `requirements: {${names.map((name) => `${name}: {}`).join(", ")}}\n`,
  );
  await project.send("SessionStart");
  await Promise.all(names.map((name) => project.req("satisfy", name, "--session", "cad0ac4d")));
  for (const name of names) {
    const [row, ...more] = project.state(name);
    assert.deepEqual([row!["session_id"], more.length], [SESSION, 0]);
  }
  assert.deepEqual(damages(project.home), []);
  assert.equal(await project.edit(), null);
});

Deno.test("thirty tools at once with one review: answers and record fit some order", async () => {
  using project = new RequiredProject(
    "requirements: {review: {scope: single_use, triggerTools: [{tool: Bash, commandPattern: 'git\\s+commit'}]}}\n",
  );
  await project.req("satisfy", "review", "--session", SESSION);
  const command = "git commit -m x";
  const uses = Array.from({ length: 30 }, (_, i) => i);
  const answers = await Promise.all(uses.map(async (i) => {
    const id = { tool_use_id: `toolu_${i}` };
    const denied = await project.bash(command, id);
    if (denied === null && i % 3 === 0) await project.used("Bash", { command }, id);
    return denied;
  }));
  // In the order in which they were written, none is denied before the first commit, and all are after it.
  let usedUp = false;
  const rows = query(project.home, "SELECT hook_name, status FROM hook_executions ORDER BY rowid");
  for (const { hook_name: event, status } of rows) {
    if (event === "PostToolUse") usedUp = true;
    else assert.equal(status, usedUp ? "blocked" : "success");
  }
  assert.ok(answers.includes(null));
  assert.notEqual(await project.bash(command), null);
  assert.deepEqual(damages(project.home), []);
});
