/** The real Claude Code, cut off by an error of the API: the next session is told what it was asked. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { findExecutable, reasonToSkip, runScenario, type Steps } from "./harness.ts";

const skipped = reasonToSkip();

const STEPS: Steps = [
  {
    content: [{
      type: "tool_use",
      name: "Write",
      input: { file_path: "{{PROJECT}}/a.mjs", content: "export const a = 1;\n" },
    }],
  },
  { content: [], status: 400, sticky: true },
];

Deno.test({
  name: "the real Claude Code is told in its next session what an error of the API cut off",
  ignore: skipped !== null,
  async fn() {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "conclaude-client-" }));
    try {
      const executable = await findExecutable(folder);
      const home = join(folder, "home");
      const project = join(folder, "shop");
      await Deno.mkdir(project);
      const session = (name: string, steps: Steps) =>
        runScenario(name, {
          ...{ executable, folder, home, project, steps, at: "user" as const },
          args: ["--dangerously-skip-permissions"],
        });
      const { payloads, summary } = await session("first", STEPS);
      assert.ok(!payloads.some(({ hook_event_name }) => hook_event_name === "Stop"), summary);
      const { sentToModel } = await session("second", [
        { content: [{ type: "text", text: "Ready." }] },
      ]);
      assert.match(sentToModel, /cut off \([^)]+\) while: Do the scripted task/);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
