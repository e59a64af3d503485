/** Workflows whose place, agent or result is not as it should be: what is said of it, and what helps. */
import assert from "node:assert/strict";
import { engineStage } from "../support/engine.ts";

Deno.test("a script without its workdir fails as its on_fail says", async () => {
  await using stage = await engineStage({
    workflow: `
  - {name: shaky, type: script, command: ls, workdir: nosuch, on_fail: continue}
  - {name: file, type: script, command: ls, workdir: a.txt}
`,
  });
  await using _engine = await stage.startEngine();
  const { steps, status, reason } = await stage.reaches(await stage.begin(), "blocked", "failed");
  assert.deepEqual([status, reason], ["blocked", "workdir a.txt is no folder"]);
  const { success, error } = steps[0].outcome;
  assert.deepEqual([success, error], [false, "workdir nosuch does not exist"]);
});
