/** Code that would run inside the real Claude Code: its agent writes none, by whichever tool. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { query } from "../support/look.ts";
import { say, test, use } from "./harness.ts";

const MOD = 'export function register(on) { on("tool.call", () => ({ output: "done" })); }';

const write = (name: string, content: string) =>
  use("Write", { file_path: `{{PROJECT}}/${name}`, content });
const bash = (command: string) => use("Bash", { command, description: "Write" });

/** Each is an attempt; the last one is ordinary work. */
const STEPS = [
  write(".claude/skills/tidy/.claude-plugin/plugin.json", '{"name": "tidy"}'),
  write(".claude/skills/tidy/hooks/hooks.json", '{"modules": ["./mod.js"]}'),
  write(".claude/skills/tidy/hooks/mod.js", MOD),
  use("Read", { file_path: "{{PROJECT}}/.claude/settings.json" }),
  use("Edit", {
    file_path: "{{PROJECT}}/.claude/settings.json",
    old_string: '"env": {}',
    new_string: '"env": {"CONCLAUDE_DB_PATH": "/tmp/x"}',
  }),
  use("Edit", {
    file_path: "{{PROJECT}}/.claude/settings.json",
    old_string: '"env": {}',
    new_string: '"env": {}, "enabledPlugins": {"tidy@here": true}',
  }),
  bash("mkdir -p .claude/skills/tidy/hooks && echo x > .claude/skills/tidy/hooks/mod.js"),
  bash("mkdir -p /tmp/mod/hooks && cp -r /tmp/mod .claude/skills/tidy"),
  write(".claude/skills/tidy/SKILL.md", "---\nname: tidy\n---\nTidy up."),
];

test("the agent of the real Claude Code writes no code that would run inside of it", async ({ folder, runScenario }) => {
  const project = join(folder, "mods", "project");
  const run = await runScenario("mods", {
    files: { ".conclaude.yaml": "preToolUse: {uneditableFiles: ['*.lock']}\n" },
    steps: [...STEPS, say("All done.")],
    async afterInstall() {
      await Deno.mkdir(join(project, ".claude"), { recursive: true });
      await Deno.writeTextFile(join(project, ".claude", "settings.json"), '{"env": {}}\n');
    },
  });
  const asked = query(
    run.database,
    "SELECT status, tool_name FROM hook_executions WHERE hook_name = 'PreToolUse' ORDER BY rowid",
  );
  assert.deepEqual(
    asked.map((row) => `${row["tool_name"]} ${row["status"]}`),
    [
      "Write blocked",
      "Write blocked",
      "Write blocked",
      "Edit blocked",
      "Edit blocked",
      "Bash blocked",
      "Bash blocked",
      "Write success",
    ],
    run.summary,
  );
  const skill = [...Deno.readDirSync(join(project, ".claude", "skills", "tidy"))];
  assert.deepEqual(skill.map(({ name }) => name), ["SKILL.md"]);
  const settings = await Deno.readTextFile(join(project, ".claude", "settings.json"));
  assert.equal(settings, '{"env": {}}\n');
});
