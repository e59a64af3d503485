/** Workflows whose place, agent or result is not as it should be: what is said of it, and what helps. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { busyStage, engineStage } from "../support/engine.ts";
import { runProgram } from "../support/program.ts";
import { until } from "../support/wait.ts";
import { workflowText } from "../support/workflows.ts";

const AGENT = workflowText("agent");

Deno.test("a script without its workdir fails as its on_fail says", async () => {
  await using stage = await busyStage({
    workflow: `
  - {name: shaky, type: script, command: ls, workdir: nosuch, on_fail: continue}
  - {name: file, type: script, command: ls, workdir: a.txt}
`,
  });
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
    'the agent command "no-such-agent" was not found (orchestration.agentCommand; conclaude doctor)',
  );
  const { checks } = (await stage.json(["doctor"])).body;
  const row = checks.find(({ name }: { name: string }) => name === "agents");
  assert.deepEqual([row.status, row.message], [
    "warn",
    "agents' steps cannot be done: no-such-agent is not on the PATH",
  ]);
  const { stdout } = await stage.run(["agent", "output", id]);
  assert.match(stdout, /no-such-agent: not found/);
  assert.doesNotMatch(stdout, /conclaude-agent-/);
});

Deno.test("only the user can read the files of a running agent, and an agent without them ends with an error", async () => {
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

Deno.test("any output of an agent can be a word of a script", async () => {
  const result = JSON.stringify({ success: true, outputs: { a: "x\0y" } }).replaceAll("\\", "\\\\");
  await using stage = await busyStage({
    workflow:
      `${AGENT}- {name: told, type: script, command: "echo {{.work.output}} {{.work.outputs.a}}"}\n`,
    agent: `cat >/dev/null; printf 'one\\000two\n${result}\n'`,
  });
  const { steps } = await stage.reaches(await stage.begin(), "completed", "blocked", "failed");
  assert.match(steps[1].outcome.output, /^onetwo\n[^]* xy$/);
});

/** Work that is committed on the branch, and a merge with a check. */
const COMMITTED = workflowText("committed-script");

Deno.test("a removed working tree is made again from its branch for a review and for a merge", async () => {
  await using stage = await busyStage({ workflow: COMMITTED });
  const id = await stage.begin();
  const { worktree } = await stage.reaches(id, "pending_merge");
  Deno.removeSync(worktree, { recursive: true });
  const { review } = (await stage.json(["workflow", "diff", id])).body;
  assert.deepEqual(review.files, [{ path: "b.txt", added: 1, removed: 0 }]);
  Deno.removeSync(worktree, { recursive: true });
  const { code, stderr } = await stage.run(["workflow", "approve", id]);
  assert.equal(code, 0, stderr);
  const { steps } = await stage.reaches(id, "completed");
  assert.equal(steps.at(-1).outcome.output, "new");
  assert.equal(await stage.git("show", "main:b.txt"), "new");
});

Deno.test("a lost branch is named with a command that helps", async () => {
  await using stage = await busyStage({ workflow: COMMITTED });
  const id = await stage.begin();
  const { id: workflow, worktree, branch } = await stage.reaches(id, "pending_merge");
  Deno.removeSync(worktree, { recursive: true });
  await stage.git("worktree", "prune");
  await stage.git("branch", "-D", branch);
  for (const verb of ["diff", "approve"]) {
    const { body } = await stage.json(["workflow", verb, id]);
    assert.ok(body.error.why.includes(`${worktree} and its branch ${branch} are gone`), verb);
    const next = `conclaude workflow cancel ${workflow} && conclaude workflow start ${id}`;
    assert.equal(body.error.next, next);
  }
  const rejected = await stage.run(["workflow", "reject", id]);
  assert.match(rejected.stdout, /Its working tree .* is gone\./);
  await stage.run(["workflow", "cancel", workflow]);
  await stage.run(["workflow", "start", id]);
  await until(
    "it may be merged",
    async () =>
      (await stage.json(["workflow", "show", id])).body.workflow.status === "pending_merge",
  );
  assert.equal((await stage.run(["workflow", "approve", id])).code, 0);
});

Deno.test("uncommitted work of a removed working tree is not merged as an empty change", async () => {
  await using stage = await busyStage({
    workflow: `
  - {name: work, type: script, command: echo new >b.txt}
  - {name: bring, type: merge}
`,
  });
  const id = await stage.begin();
  const { worktree } = await stage.reaches(id, "pending_merge");
  Deno.removeSync(worktree, { recursive: true });
  const { error } = (await stage.json(["workflow", "approve", id])).body;
  assert.match(error.why, /is gone, and nothing was committed on conclaude\//);
  assert.equal((await stage.reaches(id, "pending_merge")).mergeCommit, null);
});

Deno.test("a step does not begin when the work of earlier steps is gone", async () => {
  await using stage = await busyStage({
    workflow: `
  - {name: first, type: script, command: echo x >x}
  - {name: second, type: script, command: test -f ok}
`,
  });
  const id = await stage.begin();
  const { worktree, branch } = await stage.reaches(id, "blocked");
  Deno.removeSync(worktree, { recursive: true });
  await stage.git("worktree", "prune");
  await stage.git("branch", "-D", branch);
  await stage.run(["workflow", "retry", id]);
  await until("it says what is gone", async () =>
    /are gone; to have the work done anew/.test(
      (await stage.json(["workflow", "show", id])).body.workflow.reason,
    ));
});

Deno.test("a target that was deleted is named with the command that brings it back", async () => {
  await using stage = await busyStage({ workflow: COMMITTED });
  const id = await stage.begin();
  await stage.reaches(id, "pending_merge");
  await stage.git("switch", "--quiet", "-c", "other");
  await stage.git("branch", "-D", "main");
  const { error } = (await stage.json(["workflow", "approve", id])).body;
  assert.match(error.why, /^there is no branch main any more/);
  const { success } = await new Deno.Command("sh", { args: ["-c", error.next] }).output();
  assert.ok(success, error.next);
  assert.equal((await stage.run(["workflow", "approve", id])).code, 0);
});

Deno.test("outside of a repository nothing is merged, and nobody works in the home folder itself", async () => {
  const steps = "[{name: a, type: script, command: pwd}]";
  const merge = "[{name: bring, type: merge}]";
  await using stage = await busyStage({ workflow: AGENT });
  const home = join(stage.folder, "home");
  const plain = join(home, "plain");
  for (const folder of [home, plain]) {
    Deno.mkdirSync(join(folder, ".conclaude/workflows"), { recursive: true });
    for (const [name, text] of [["some", steps], ["merged", merge]]) {
      const file = join(folder, ".conclaude/workflows", `${name}.yaml`);
      Deno.writeTextFileSync(file, `name: ${name}\ndescription: d\nsteps: ${text}\n`);
    }
  }
  const at = async (cwd: string, ...args: string[]) => {
    const { stdout, stderr } = await runProgram([...args, "--json"], { cwd, env: { HOME: home } });
    return JSON.parse(stdout || stderr);
  };
  const make = async (cwd: string, workflow: string, ...flags: string[]) =>
    (await at(cwd, "task", "create", "--title", "T", "--workflow", workflow, ...flags)).task.id;
  const cases: [string, string, RegExp][] = [
    [plain, "merged", /is in no git repository, so its step "bring" has nothing to merge$/],
    [home, "some", /agents do not work in the home folder itself$/],
  ];
  for (const [cwd, workflow, why] of cases) {
    const id = await make(cwd, workflow);
    assert.match((await at(cwd, "workflow", "start", id)).error.why, why);
    const start = ["task", "create", "--title", "T", "--workflow", workflow, "--start"];
    assert.match((await at(cwd, ...start)).error.why, why);
    assert.match((await at(cwd, "workflow", "preview", workflow)).errors.join(), why);
    // Over HTTP nobody has looked.
    stage.db.prepare("UPDATE tasks SET queued_at_ms = 1 WHERE id = ?").run(id);
    await until(
      "it is blocked",
      async () => (await at(cwd, "task", "show", id)).task.status === "blocked",
    );
    assert.match((await at(cwd, "task", "show", id)).task.reason, why);
  }
  const done = await make(plain, "some", "--start");
  assert.equal((await stage.reaches(done, "completed", "failed")).status, "completed");
});

Deno.test("a merge that waits says so, and shows what git complains of", async () => {
  await using stage = await busyStage({ workflow: COMMITTED });
  const id = await stage.begin();
  await stage.reaches(id, "pending_merge");
  const { stdout } = await stage.run(["workflow", "show", id]);
  assert.match(stdout, /\[review\] {3}bring {2}merge$/m);
  stage.write("b.txt", "mine");
  const { error } = (await stage.json(["workflow", "approve", id])).body;
  assert.match(error.why, /would be overwritten by merge: b\.txt; Please move/);
});
