/** The two lanes of hooks in sessions of the real Claude Code: what the next gate reads is there when it reads. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { gitSync, makeRepository } from "../support/git.ts";
import { runs } from "../support/lanes.ts";
import { query } from "../support/look.ts";
import { say, test, use } from "./harness.ts";

const CONFIG =
  "requirements: {reviewed: {scope: single_use, triggerTools: [Edit], autoResolveSkill: review}}\n";
const PAIRS = runs(200);

test(`a skill counts for the edit right behind it, and for that alone, ${PAIRS} times`, async ({ folder, runScenario }) => {
  const project = join(folder, "pairs", "project");
  const file_path = "{{PROJECT}}/notes.txt";
  const skill = use("Skill", { skill: "review" }).content;
  const edit = (from: number) =>
    use("Edit", { file_path, old_string: `${from};`, new_string: `${from + 1};` }).content;
  const run = await runScenario("pairs", {
    files: { ".conclaude.yaml": CONFIG, "notes.txt": "0;\n" },
    steps: [
      use("Read", { file_path }),
      // In one message, so that nothing but the hooks lies between them.
      ...Array.from({ length: PAIRS }, (_, at) => ({ content: [...skill, ...edit(at)] })),
      { content: edit(PAIRS) },
      say("All done."),
    ],
    async afterInstall() {
      makeRepository(project, { branch: "feature/x" });
      gitSync(project, "config", "user.name", "t");
      const skill = join(project, ".claude", "skills", "review");
      await Deno.mkdir(skill, { recursive: true });
      await Deno.writeTextFile(
        join(skill, "SKILL.md"),
        "---\ndescription: Reviews.\n---\nReview.\n",
      );
    },
  });
  assert.equal(await Deno.readTextFile(join(project, "notes.txt")), `${PAIRS};\n`, run.summary);
  const gates = query(
    run.database,
    `SELECT status
       FROM hook_executions
      WHERE hook_name = 'PreToolUse'
        AND tool_name = 'Edit'
      ORDER BY rowid`,
  ).map(({ status }) => status);
  assert.deepEqual(gates, [...Array(PAIRS).fill("success"), "blocked"]);
});
