/** The real Claude Code, cut off by an error of the API: the next session is told what it was asked. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { say, type Steps, test, use } from "./harness.ts";

const STEPS: Steps = [
  use("Write", { file_path: "{{PROJECT}}/a.mjs", content: "export const a = 1;\n" }),
  { content: [], status: 400, sticky: true },
];

test("the real Claude Code is told in its next session what an error of the API cut off", async ({ folder, runScenario }) => {
  const home = join(folder, "home");
  const project = join(folder, "shop");
  await Deno.mkdir(project);
  const session = (name: string, steps: Steps) =>
    runScenario(name, {
      ...{ home, project, steps },
      args: ["--dangerously-skip-permissions"],
    });
  const { payloads, summary } = await session("first", STEPS);
  assert.ok(!payloads.some(({ hook_event_name }) => hook_event_name === "Stop"), summary);
  const { sentToModel } = await session("second", [say("Ready.")]);
  assert.match(sentToModel, /cut off \([^)]+\) while: Do the scripted task/);
});
