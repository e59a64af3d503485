/** An agent that a command starts beside this one is in doubt, and denied under strict. */
import assert from "node:assert/strict";
import AGENTS from "../../src/policy/guards/second_agents.json" with { type: "json" };
import { JudgedProject } from "../support/judged_project.ts";

Deno.test("another agent that acts by itself is in doubt, and denied under strict", async () => {
  using at = new JudgedProject("preToolUse: {}\n", ["a.txt"]);
  const started = [
    ...AGENTS.map(({ example }) => example),
    "cd sub && sh -c 'codex exec \"fix it\"'",
    "HOME=/tmp/x claude -p 'fix it'",
    "export CLAUDE_CONFIG_DIR=/tmp/x; claude -p 'fix it'",
    "claude -p x --settings '{\"disableAllHooks\":true}'",
    "npx -y @openai/codex --version || codex -a never x",
  ];
  for (const command of started) {
    const { blocks, doubts } = await at.judge("Bash", command);
    assert.deepEqual([command, blocks, doubts.length > 0], [command, [], true]);
    const strict = await at.judge("Bash", command, { isStrict: true });
    assert.deepEqual(strict.blocks.map(({ rule }) => rule), ["preToolUse.strict"], command);
  }
  const plain = [
    ...AGENTS.map(({ counterexample }) => counterexample),
    "claude -p 'what is this?'",
    "git commit -m 'codex exec --full-auto'",
    "grep -rn gemini src",
  ];
  for (const command of plain) {
    assert.deepEqual(await at.judge("Bash", command), { blocks: [], doubts: [] }, command);
  }
});
