/** Workflows whose place, agent or result is not as it should be: what is said of it, and what helps. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { testWith } from "../support/fixtures.ts";
import { busyStage, type EngineStage, engineStage, linesOf } from "../support/engine.ts";
import { runProgram } from "../support/program.ts";
import { until } from "../support/wait.ts";
import { workflowText } from "../support/workflows.ts";
import { git } from "../support/git.ts";

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

const test = testWith(() => busyStage({ workflow: COMMITTED }));

test("a removed working tree is made again from its branch for a review and for a merge", async (stage) => {
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

test("a lost branch is named with a command that helps", async (stage) => {
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
  await using stage = await busyStage({ workflow: workflowText("script-and-merge") });
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

test("a target that was deleted is named with the command that brings it back", async (stage) => {
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

test("a merge that waits says so, and shows what git complains of", async (stage) => {
  const id = await stage.begin();
  await stage.reaches(id, "pending_merge");
  const { stdout } = await stage.run(["workflow", "show", id]);
  assert.match(stdout, /\[review\] {3}bring {2}merge$/m);
  stage.write("b.txt", "mine");
  const { error } = (await stage.json(["workflow", "approve", id])).body;
  assert.match(error.why, /would be overwritten by merge: b\.txt; Please move/);
});

const SESSION = "cad0ac4d-3933-45ad-9a1c-14aec05bb940";

/** Writes a file, and in a session that goes on what it is told into another one. */
const WORKS = `
echo "$*" >>$LOG/args
case $* in
*--resume*) cat >told.txt ;;
*) cat >/dev/null; echo work >work.txt ;;
esac
echo '{"type":"result","session_id":"${SESSION}","result":"Done."}'`;

const REVIEWED = workflowText("reviewed");

Deno.test("work that is sent back goes on in its agent's session with the reason, and waits for a review anew", async () => {
  await using stage = await busyStage({ agent: WORKS, workflow: "" });
  const { folder, json, run, write, begin, reaches } = stage;
  const checks = join(folder, "log", "checks");
  const steps = REVIEWED.replace("$LOG_FILE", checks);
  write(".conclaude/workflows/w.yaml", `name: w\ndescription: A test\nsteps:\n${steps}`);
  const id = await begin("the shed");
  await reaches(id, "pending_merge");
  const sendBack = ["workflow", "reject", id, "--send-back"];
  const without = await run(sendBack);
  assert.equal(without.code, 2);
  assert.match(without.stderr, /--reason/);
  const reason = "a.txt, line 3: louder\n\nThe rest is fine.";
  const { code, body } = await json([...sendBack, "--reason", reason]);
  assert.deepEqual([code, body.workflow.status, body.workflow.currentStep], [0, "running", "work"]);
  const { status, claimedBy } = body.task;
  assert.deepEqual([status, claimedBy], ["in_progress", `workflow:${body.workflow.id}`]);
  const { worktree } = await reaches(id, "pending_merge");
  assert.deepEqual(linesOf(join(folder, "log", "args")), ["", `--resume ${SESSION}`]);
  assert.equal(Deno.readTextFileSync(join(worktree, "told.txt")), reason);
  assert.equal(Deno.readTextFileSync(join(worktree, "work.txt")), "work\n");
  assert.deepEqual(linesOf(checks), ["check", "check"]);
  const { events } = (await json(["event", "list", "--type", "workflow.rejected"])).body;
  const reasons = events.map((event: { data: { reason: string } }) => event.data.reason);
  assert.deepEqual(reasons, [reason]);
  await run(["workflow", "approve", id]);
  await reaches(id, "completed");
  const again = await json([...sendBack, "--reason", "no"]);
  assert.deepEqual([again.code, again.body.error.reason], [11, "INVALID_STATUS"]);
});

Deno.test("work that no agent did cannot be sent back, and waits on after a check that takes too long", async () => {
  await using stage = await busyStage({ workflow: workflowText("script-and-merge") });
  const { json, begin, reaches } = stage;
  const id = await begin();
  await reaches(id, "pending_merge");
  const { code, body } = await json(["workflow", "reject", id, "--send-back", "--reason", "no"]);
  assert.deepEqual([code, body.error.reason], [11, "INVALID_STATUS"]);
  assert.match(body.error.why, /no agent has worked on it/);
  const leaking = (await json(["workflow", "approve", id])).body.error;
  assert.match(leaking.why, /exit code 1: (?!.*F3hI6)/s);
  const { error } = (await json(["workflow", "approve", id])).body;
  assert.match(error.why, /a check before the merge has failed: it did not end in 0\.2 seconds/);
  assert.equal((await reaches(id, "pending_merge")).status, "pending_merge");
});

const BRING = workflowText("agent-and-merge");

/** A workflow that waits for a review. @returns Its task, and its working tree. */
async function waiting(stage: EngineStage): Promise<{ id: string; tree: string }> {
  const id = await stage.begin();
  const { worktree } = await stage.reaches(id, "pending_merge");
  return { id, tree: worktree };
}

/** Approves, and is refused; `main` is as it was. @returns Why. */
async function refused(stage: EngineStage, id: string): Promise<string> {
  const before = await stage.git("rev-parse", "main");
  const { code, body } = await stage.json(["workflow", "approve", id]);
  assert.equal(code, 1);
  assert.equal(body.error.reason, "MERGE_FAILED");
  assert.equal(await stage.git("rev-parse", "main"), before);
  return body.error.why;
}

/** The author of commits, since git has no configuration here. */
const SOMEBODY = ["-c", "user.name=t", "-c", "user.email=t@t"];
const AS_SOMEBODY = {
  GIT_AUTHOR_NAME: "t",
  GIT_AUTHOR_EMAIL: "t@t",
  GIT_COMMITTER_NAME: "t",
  GIT_COMMITTER_EMAIL: "t@t",
};

async function commitTheirs(stage: EngineStage): Promise<void> {
  stage.write("a.txt", "theirs\n");
  await stage.git("commit", "--quiet", "--all", "-m", "theirs");
}

Deno.test("conflicts that nobody has resolved are not merged, nor hidden from the review", async () => {
  await using stage = await busyStage({
    agent: "cat >/dev/null; echo ours >a.txt",
    workflow: BRING,
  });
  const { id, tree } = await waiting(stage);
  await commitTheirs(stage);
  // The first refusal commits the work, and names the way on.
  const first = (await stage.json(["workflow", "approve", id])).body.error;
  assert.equal(first.reason, "MERGE_CONFLICTS");
  await new Deno.Command("/bin/sh", {
    args: ["-c", first.next],
    env: AS_SOMEBODY,
    stdout: "null",
  }).output();
  assert.match(await refused(stage, id), /conflicts in a\.txt are not resolved/);
  assert.deepEqual((await stage.json(["workflow", "diff", id])).body.review.conflicts, ["a.txt"]);
  // Resolved, but not committed: the merge that is under way is ended.
  Deno.writeTextFileSync(join(tree, "a.txt"), "both\n");
  await git(tree, "add", "a.txt");
  assert.equal((await stage.run(["workflow", "approve", id])).code, 0);
  assert.equal(await stage.git("show", "main:a.txt"), "both");
});

Deno.test("a rebase that is under way is not merged half", async () => {
  await using stage = await busyStage({
    agent: `cat >/dev/null; echo ours >a.txt; git add a.txt; git ${
      SOMEBODY.join(" ")
    } commit -q -m ours`,
    workflow: BRING,
  });
  const { id, tree } = await waiting(stage);
  await commitTheirs(stage);
  await assert.rejects(git(tree, ...SOMEBODY, "rebase", "main"));
  Deno.writeTextFileSync(join(tree, "a.txt"), "both\n");
  await git(tree, "add", "a.txt");
  assert.match(await refused(stage, id), /a rebase is under way/);
  await git(tree, ...SOMEBODY, "-c", "core.editor=true", "rebase", "--continue");
  assert.equal((await stage.run(["workflow", "approve", id])).code, 0);
  assert.equal(await stage.git("show", "main:a.txt"), "both");
});

Deno.test("a repository inside of a working tree is not merged as an empty folder, and stays", async () => {
  await using stage = await busyStage({
    agent: "cat >/dev/null; mkdir lib; cd lib; git init -q; echo precious >p; git add p; " +
      "git -c user.name=t -c user.email=t@t commit -q -m p",
    workflow: BRING,
  });
  const { id, tree } = await waiting(stage);
  assert.match(await refused(stage, id), /lib in .* is a repository of its own/);
  assert.equal(Deno.readTextFileSync(join(tree, "lib/p")), "precious\n");
  Deno.removeSync(join(tree, "lib/.git"), { recursive: true });
  assert.equal((await stage.run(["workflow", "approve", id])).code, 0);
  assert.equal(await stage.git("show", "main:lib/p"), "precious");
});
