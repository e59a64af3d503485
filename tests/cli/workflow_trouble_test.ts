/** Workflows whose place, agent or result is not as it should be: what is said of it, and what helps. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { engineStage } from "../support/engine.ts";

const AGENT = `
  - name: work
    type: agent
    prompt: |
      Work.
      Then stop.
`;

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

Deno.test("an agent command that is not there is named", async () => {
  await using stage = await engineStage({ workflow: AGENT });
  stage.write(".conclaude.yaml", "orchestration: {agentCommand: no-such-agent, notify: false}\n");
  await using _engine = await stage.startEngine();
  const id = await stage.begin();
  const { reason } = await stage.reaches(id, "blocked", "failed");
  assert.equal(
    reason,
    'the agent command "no-such-agent" was not found (orchestration.agentCommand)',
  );
  const { stdout } = await stage.run(["agent", "output", id]);
  assert.match(stdout, /no-such-agent: not found/);
  assert.doesNotMatch(stdout, /conclaude-agent-/);
});

Deno.test("an agent's files are for its user alone while it runs; without them it ends, and that is said", async () => {
  await using stage = await engineStage({
    workflow: AGENT,
    agent: `cd "\${CONCLAUDE_DB_PATH%.db}.agents/$CONCLAUDE_AGENT_ID"
ls -l begun >$LOG/mode
rm -rf "$PWD"`,
  });
  const before = Deno.umask(0o022);
  try {
    await using _engine = await stage.startEngine();
    const id = await stage.begin();
    const { status, reason } = await stage.reaches(id, "blocked", "failed");
    assert.equal(status, "blocked");
    assert.match(reason, /its files in .* are gone: nobody knows how it ended/);
    const { agents } = (await stage.json(["agent", "list", "--all"])).body;
    assert.deepEqual(agents.map((agent: { status: string }) => agent.status), ["failed"]);
  } finally {
    Deno.umask(before);
  }
  assert.match(Deno.readTextFileSync(join(stage.folder, "log", "mode")), /^-rw-------/);
});

Deno.test("what an agent prints can be a word of a script, whatever it holds", async () => {
  const result = JSON.stringify({ success: true, outputs: { a: "x\0y" } }).replaceAll("\\", "\\\\");
  await using stage = await engineStage({
    workflow:
      `${AGENT}  - {name: told, type: script, command: "echo {{.work.output}} {{.work.outputs.a}}"}\n`,
    agent: `cat >/dev/null; printf 'one\\000two\n${result}\n'`,
  });
  await using _engine = await stage.startEngine();
  const { steps } = await stage.reaches(await stage.begin(), "completed", "blocked", "failed");
  assert.match(steps[1].outcome.output, /^onetwo\n[^]* xy$/);
});
