import assert from "node:assert/strict";
import { join } from "node:path";
import { testWith } from "../support/fixtures.ts";
import { busyStage, engineStage, linesOf } from "../support/engine.ts";
import { listReady } from "../../src/work/tasks_table.ts";
import { makeTask } from "../support/tasks.ts";
import { pause, until } from "../support/wait.ts";
import { workflowText } from "../support/workflows.ts";

const CHANGE_AND_MERGE = workflowText("change-and-merge");

const test = testWith(() => busyStage({ workflow: CHANGE_AND_MERGE }));

test("workflow approve merges, runs the step after it, and closes the task", async ({ json, run, git, begin, reaches }) => {
  const id = await begin("Louder");
  const waiting = await reaches(id, "pending_merge");
  assert.deepEqual(waiting.actions, ["approve", "reject", "cancel"]);
  assert.equal((await json(["task", "show", id])).body.task.status, "pending_merge");
  const before = (await json(["event", "list", "--type", "workflow.merge_pending"])).body.events;
  assert.equal(before.length, 1);
  const { review } = (await json(["workflow", "diff", id])).body;
  assert.deepEqual(review.files, [
    { path: "a.txt", added: 1, removed: 1 },
    { path: "b.txt", added: 1, removed: 0 },
  ]);
  assert.equal(review.summary, "2 files changed, +2/-1 lines");
  assert.deepEqual(review.conflicts, []);
  const diff = await run(["workflow", "diff", id]);
  assert.match(diff.stdout, /2 files changed, \+2\/-1 lines/);
  assert.match(diff.stdout, /\+THREE/);
  const { code, stdout } = await run(["workflow", "approve", id]);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^Merged into main as [\da-f]{40}/);
  const done = await reaches(id, "completed");
  assert.match(await git("log", "-1", "--format=%P %B"), /^\S{40} \S{40} Merge "Louder"/);
  assert.equal(await git("show", "main:a.txt"), "one\ntwo\nTHREE");
  assert.equal(done.steps.at(-1).outcome.output, "one\ntwo\nTHREE");
  assert.deepEqual(done.actions, []);
  assert.equal((await json(["task", "show", id])).body.task.status, "closed");
  const again = await json(["workflow", "approve", id]);
  assert.deepEqual([again.code, again.body.error.reason], [11, "INVALID_STATUS"]);
  const log = await run(["workflow", "log", id]);
  assert.match(log.stdout, /workflow\.step\.completed {2}bring {2}done/);
  assert.match(log.stdout, /workflow\.merged/);
});

const it = testWith(() => engineStage({ workflow: CHANGE_AND_MERGE }));

it("the working tree and the branch of a workflow are gone when it is completed", async (stage) => {
  const { run, git, begin, reaches } = stage;
  let tree: string;
  {
    await using _engine = await stage.startEngine();
    const id = await begin();
    tree = (await reaches(id, "pending_merge")).worktree;
    await run(["workflow", "approve", id]);
    await reaches(id, "completed");
  }
  assert.throws(() => Deno.statSync(tree), Deno.errors.NotFound);
  assert.equal(await git("branch", "--list", "conclaude/*"), "");
});

test("workflow approve names the files of a conflict, and leaves the target as it was", async ({ json, run, git, begin, reaches, write }) => {
  const id = await begin();
  await reaches(id, "pending_merge");
  write("a.txt", "one\ntwo\n3\n");
  await git("commit", "--quiet", "--all", "-m", "theirs");
  const head = await git("rev-parse", "main");
  assert.deepEqual((await json(["workflow", "diff", id])).body.review.conflicts, ["a.txt"]);
  const { code, body } = await json(["workflow", "approve", id]);
  assert.equal(code, 1);
  assert.deepEqual([body.error.reason, body.error.conflictFiles], ["MERGE_CONFLICTS", ["a.txt"]]);
  assert.equal(await git("rev-parse", "main"), head);
  assert.equal(await git("status", "--porcelain"), "");
  const { workflow } = (await json(["workflow", "show", id])).body;
  assert.deepEqual([workflow.status, workflow.decision], ["pending_merge", null]);
  // The way on that was named.
  const resolve = await new Deno.Command("/bin/sh", {
    args: [
      "-c",
      `${body.error.next}; git checkout --ours a.txt && git add a.txt && git commit --quiet --no-edit`,
    ],
    env: {
      GIT_AUTHOR_NAME: "t",
      GIT_AUTHOR_EMAIL: "t@t",
      GIT_COMMITTER_NAME: "t",
      GIT_COMMITTER_EMAIL: "t@t",
    },
    stdout: "null",
    stderr: "null",
  }).output();
  assert.equal(resolve.code, 0);
  assert.equal((await run(["workflow", "approve", id])).code, 0);
  assert.equal(await git("show", "main:a.txt"), "one\ntwo\nTHREE");
});

Deno.test("white space at the end of a line is no conflict", async () => {
  await using stage = await busyStage({ workflow: workflowText("white-space") });
  const id = await stage.begin();
  await stage.reaches(id, "pending_merge");
  assert.equal((await stage.run(["workflow", "approve", id])).code, 0);
});

it("without a daemon an approval is recorded and carried out later, or taken back", async (stage) => {
  const { run, json, begin, reaches } = stage;
  const ids: string[] = [];
  {
    await using _engine = await stage.startEngine();
    for (const title of ["one", "two"]) ids.push(await begin(title));
    for (const id of ids) await reaches(id, "pending_merge");
  }
  for (const id of ids) {
    const { code, stdout } = await run(["workflow", "approve", id]);
    assert.deepEqual([code, /recorded.*conclaude daemon start/.test(stdout)], [0, true], stdout);
  }
  const rejected = await json(["workflow", "reject", ids[1]!]);
  assert.deepEqual([rejected.code, rejected.body.workflow.status], [0, "blocked"]);
  await using _engine = await stage.startEngine();
  await reaches(ids[0]!, "completed");
  assert.equal((await reaches(ids[1]!, "blocked")).reason, "merge rejected by user");
});

test("workflow reject blocks the workflow and its task with the reason, and keeps the work", async ({ json, begin, reaches }) => {
  const id = await begin();
  const { worktree } = await reaches(id, "pending_merge");
  const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
  const { body } = await json(["workflow", "reject", id, "--reason", `no tests ${secret}`]);
  const { workflow, task } = body;
  assert.deepEqual([workflow.status, task.status, task.claimedBy], ["blocked", "blocked", null]);
  assert.match(workflow.reason, /no tests .*redacted/i);
  assert.match(task.reason, /no tests/);
  assert.doesNotMatch(JSON.stringify(body), /ghp_0/);
  assert.deepEqual(workflow.actions, ["retry", "cancel"]);
  assert.equal(Deno.readTextFileSync(join(worktree, "b.txt")), "new\n");
  const retried = await json(["workflow", "retry", id]);
  assert.equal(retried.body.workflow.status, "pending_merge", "it is asked for again");
});

Deno.test("workflow retry runs exactly the step that had not finished", async () => {
  await using stage = await engineStage({ workflow: "" });
  const { folder, write, json, begin, reaches } = stage;
  const runs = join(folder, "log", "runs");
  write(
    ".conclaude/workflows/w.yaml",
    `name: w
description: Counts
timeout: 90m
steps:
  - name: first
    type: script
    command: echo first >>${runs}
  - name: second
    type: script
    command: echo second >>${runs}; test -e ${folder}/log/fixed || { echo why; exit 3; }
  - name: third
    type: script
    command: echo third >>${runs}
`,
  );
  await using _engine = await stage.startEngine();
  const id = await begin();
  const blocked = await reaches(id, "blocked");
  assert.match(blocked.reason, /exited with code 3/);
  assert.deepEqual(
    blocked.steps.map(({ name, status }: Record<string, unknown>) => `${name} ${status}`),
    ["first finished", "second finished", "third pending"],
  );
  assert.deepEqual(linesOf(runs), ["first", "second"]);
  Deno.writeTextFileSync(join(folder, "log", "fixed"), "");
  const retried = await json(["workflow", "retry", id.slice(-8)]);
  assert.deepEqual([retried.code, retried.body.task.status], [0, "in_progress"]);
  const { deadlineAtMs, updatedAtMs } = retried.body.workflow;
  assert.equal(deadlineAtMs - updatedAtMs, 90 * 60_000, "its own time begins anew");
  const done = await reaches(id, "completed");
  assert.deepEqual(linesOf(runs), ["first", "second", "second", "third"]);
  assert.deepEqual(done.steps.map(({ attempts }: { attempts: number }) => attempts), [1, 2, 1]);
  const again = await json(["workflow", "retry", id]);
  assert.deepEqual([again.code, again.body.error.reason], [11, "INVALID_STATUS"]);
});

Deno.test("workflow cancel ends the agent, opens the task and keeps the working tree", async () => {
  await using stage = await busyStage({
    workflow: `
  - name: long
    type: script
    command: echo begun >b.txt; sleep 300
`,
  });
  const { json, begin, reaches, project } = stage;
  const id = await begin();
  const { worktree } = await reaches(id, "running");
  const tree = worktree ??
    join(project, ".conclaude", "worktrees", id.replaceAll("-", "").slice(-12));
  await until("the step has begun", () => linesOf(join(tree, "b.txt"))[0] === "begun");
  const { code, body } = await json(["workflow", "cancel", id, "--reason", "not needed"]);
  assert.deepEqual([code, body.workflow.status, body.task.status], [0, "cancelled", "open"]);
  assert.equal(body.task.claimedBy, null);
  const agents = async () => (await json(["agent", "list", "--all", "--task", id])).body.agents;
  await until("the agent has ended", async () => (await agents())[0].endedAtMs !== null);
  const [agent] = await agents();
  assert.deepEqual([agent.status, agent.killReason], ["killed", "not needed"]);
  assert.deepEqual(linesOf(join(tree, "b.txt")), ["begun"]);
  assert.equal((await json(["workflow", "cancel", id])).body.error.reason, "INVALID_STATUS");
});

Deno.test("a workflow goes on after a failed script where the step says so, and later steps can read the failure", async () => {
  await using stage = await busyStage({ workflow: workflowText("shaky") });
  const id = await stage.begin("foo; rm -rf {{.x}}");
  const { steps, reason } = await stage.reaches(id, "failed");
  const [shaky, told, leftOut] = steps;
  assert.deepEqual([shaky.outcome.output, shaky.outcome.exitCode], ["hi", 3]);
  assert.equal(told.outcome.output, "hi foo; rm -rf {{.x}}");
  assert.equal(leftOut.outcome.skipped, true);
  assert.match(reason, /maybe/);
});

Deno.test("workflow show lists the rounds of a loop with their depth and outcome", async () => {
  await using stage = await busyStage({ workflow: workflowText("rounds") });
  const id = await stage.begin();
  const { steps } = await stage.reaches(id, "completed");
  assert.deepEqual(
    steps.map(({ key, depth }: { key: string; depth: number }) => `${depth} ${key}`),
    [
      "0 rounds",
      "1 rounds#1/try",
      "1 rounds#1/enough",
      "1 rounds#1/rest",
      "1 rounds#2/try",
      "1 rounds#2/enough",
    ],
    "what a round that was left has not come to is not listed",
  );
  const { stdout } = await stage.run(["workflow", "show", id]);
  assert.match(stdout, /\[went on\] +try {2}script, round 1/);
  assert.match(stdout, /\[skipped\] +enough/);
});

Deno.test("workflow files and preview name every fault, and execute nothing", async () => {
  await using stage = await engineStage({
    workflow: `
  - name: look
    type: script
    command: touch ${"{{.task.title}}"}
`,
  });
  const { write, json, run, project } = stage;
  write(".conclaude/workflows/bad.yaml", workflowText("bad"));
  write(".conclaude/workflows/torn.yaml", "name: [");
  const other = "name: zzz\ndescription: d\nsteps: [{name: a, type: script, command: ls}]\n";
  write(".conclaude/workflows/other.yaml", other);
  const { files } = (await json(["workflow", "files"])).body;
  const named = Object.fromEntries(files.map((file: { name: string }) => [file.name, file]));
  assert.deepEqual(Object.keys(named), [
    "bad",
    "implement",
    "other",
    "plan",
    "prepare-pr",
    "torn",
    "w",
  ]);
  assert.equal(named["implement"].path, null);
  assert.deepEqual(named["implement"].faults, []);
  assert.equal(named["w"].path, join(project, ".conclaude", "workflows", "w.yaml"));
  assert.match(named["bad"].faults.join("\n"), /duplicate step name.*a/);
  assert.equal(named["torn"].faults.length, 1);
  const bad = await json(["workflow", "preview", "bad"]);
  assert.equal(bad.code, 1);
  assert.match(bad.body.errors.join("\n"), /step "b": script step requires a command/);
  assert.match(bad.body.errors.join("\n"), /duplicate step name/);
  write(
    ".conclaude/workflows/bad.yaml",
    "name: bad\ndescription: d\nsteps: [{name: a, type: agent, prompt: nowhere}]\n",
  );
  const unprompted = await json(["workflow", "preview", "bad"]);
  assert.match(unprompted.body.errors.join("\n"), /step "a": there is no prompt "nowhere"/);
  assert.match(named["other"].warnings.join(), /the file's name counts: other/);
  const renamed = await json(["workflow", "preview", "other"]);
  assert.deepEqual([renamed.code, renamed.body.warnings], [0, named["other"].warnings]);
  const made = await json(["task", "create", "--title", "$(touch c.txt)"]);
  const good = await json(["workflow", "preview", "w", "--task", made.body.task.id]);
  assert.deepEqual([good.code, good.body.steps[0].command], [0, 'touch "$(touch c.txt)"']);
  assert.throws(() => Deno.statSync(join(project, "c.txt")), Deno.errors.NotFound);
  assert.equal((await run(["workflow", "preview", "implement-bead"])).code, 0);
  const missing = await json(["workflow", "preview", "nothing"]);
  assert.deepEqual([missing.code, missing.body.error.reason], [10, "WORKFLOW_NOT_FOUND"]);
});

it("a workflow file that cannot be read breaks no other workflow", async ({ write, json, project }) => {
  const folder = join(project, ".conclaude", "workflows");
  write(".conclaude/workflows/dir.yaml/inside.txt", "");
  write(".conclaude/workflows/.hidden.yaml", "name: [");
  write(".conclaude/workflows/binary.yaml", "\x7fELF\0\0");
  Deno.symlinkSync("nobody@nowhere.1", join(folder, ".#w.yaml"));
  Deno.symlinkSync("nowhere.yaml", join(folder, "gone.yaml"));
  Deno.symlinkSync("w.yaml", join(folder, "link.yaml"));
  const { code, body } = await json(["workflow", "files"]);
  assert.equal(code, 0, JSON.stringify(body));
  const faults = Object.fromEntries(
    body.files.map((file: { name: string; faults: string[] }) => [file.name, file.faults]),
  );
  assert.deepEqual(
    Object.keys(faults),
    ["binary", "dir", "gone", "implement", "link", "plan", "prepare-pr", "w"],
  );
  assert.deepEqual([faults["dir"], faults["binary"]], [["it is no file"], [
    "the file holds no text",
  ]]);
  assert.match(faults["gone"][0], /^the file cannot be read: /);
  assert.deepEqual([faults["w"], faults["link"]], [[], []]);
  assert.equal((await json(["workflow", "preview", "w"])).code, 0);
  const gone = await json(["workflow", "preview", "gone"]);
  assert.equal(gone.code, 1);
  assert.match(gone.body.errors[0], /^the file cannot be read: /);
});

Deno.test("a task gets its workflow by hint, tag, matcher or default, as the scheduler sees it", async () => {
  await using stage = await engineStage({ workflow: "- {name: only, type: script, command: ':'}" });
  const { write, json, reaches } = stage;
  const matchers = ".conclaude/workflow-matchers.yaml";
  const make = async (...flags: string[]): Promise<string> =>
    (await json(["task", "create", "--title", "t", ...flags])).body.task.id;
  const match = async (id: string) => (await json(["workflow", "match", id])).body.match;
  const told = async (id: string) => {
    const { name, by } = await match(id);
    return `${name} ${by}`;
  };
  const bug = await make("--type", "bug");
  assert.equal(await told(bug), "implement default");
  write(
    matchers,
    `matchers:
  - {name: bugs, match: {type: [bug]}, workflow: w}
  - {name: all, workflow: plan}
  - {name: late, match: {type: [task]}, workflow: implement}
`,
  );
  assert.equal(await told(bug), "w matcher", "the file is read at each look");
  assert.equal(await told(await make("--type", "bug", "--workflow", "plan")), "plan hint");
  assert.equal(await told(await make("--type", "bug", "--tags", "workflow:x")), "x tag");
  assert.equal(await told(await make()), "plan matcher");
  const { warnings, considered, exists } = await match(bug);
  assert.match(warnings[0], /'late' will never be reached because 'all' matches everything/);
  assert.deepEqual([considered.length, exists], [1, true]);
  const preview = await json(["workflow", "preview", "w"]);
  assert.match(preview.body.warnings[0], /'late' will never be reached/);
  await json(["workflow", "start", bug]);
  await using _engine = await stage.startEngine();
  assert.equal((await reaches(bug, "completed")).name, "w");
});

Deno.test("timers and requests have their turn between two of many ready tasks", async () => {
  const workflow = '- {name: never, type: script, command: ":", when: "false"}';
  await using stage = await engineStage({ workflow });
  const queued = { projectDir: stage.project, workflow: "w", isQueued: true };
  for (let count = 0; count < 30; count++) makeTask(stage.db, queued);
  await using _engine = await stage.startEngine();
  await pause(0);
  const left = () => listReady(stage.db, { project: null, limit: 30, isQueued: true }).length;
  assert.ok(left() > 0);
  await until("all are done", () => left() === 0);
});

Deno.test("workflow list shows those of this repository, by status", async () => {
  await using stage = await engineStage({
    workflow: "- {name: no, type: script, command: exit 1}",
  });
  const { json, run, begin, reaches } = stage;
  assert.match((await run(["workflow", "list"])).stdout, /No workflows here/);
  const task = (await json(["task", "create", "--title", "none yet"])).body.task.id;
  const none = await json(["workflow", "show", task]);
  assert.deepEqual([none.code, none.body.error.reason], [10, "WORKFLOW_NOT_FOUND"]);
  assert.equal((await json(["workflow", "show", "ffff0000"])).code, 10);
  await using _engine = await stage.startEngine();
  const id = await begin("Fails");
  const { id: workflowId } = await reaches(id, "blocked");
  const listed = (await json(["workflow", "list", "--status", "blocked,failed"])).body;
  assert.deepEqual(listed.workflows.map(({ id }: { id: string }) => id), [workflowId]);
  assert.equal((await json(["workflow", "list", "--status", "running"])).body.workflows.length, 0);
  assert.equal((await run(["workflow", "list", "--status", "done"])).code, 2);
  assert.match((await run(["workflow", "list"])).stdout, /blocked {2,}no .*Fails/);
  assert.equal((await json(["workflow", "show", workflowId.slice(-8)])).body.workflow.taskId, id);
});

Deno.test("the workflow and the matchers of the documentation are right as they stand", async () => {
  const page = Deno.readTextFileSync(new URL("../../docs/workflows.md", import.meta.url));
  const [workflow, matchers] = ["name: careful", "matchers:"].map((beginning) =>
    new RegExp("```yaml\\n(" + beginning + "[^]*?)```").exec(page)![1]!
  );
  await using stage = await engineStage({ workflow: "" });
  const { write, json } = stage;
  write(".conclaude/workflows/careful.yaml", workflow!);
  write(".conclaude/workflow-matchers.yaml", matchers!);
  const { code, body } = await json(["workflow", "preview", "careful"]);
  assert.deepEqual([code, body.errors, body.warnings], [0, [], []]);
  const tellOf = async (...flags: string[]) => {
    const made = await json(["task", "create", "--title", "t", ...flags]);
    return (await json(["workflow", "match", made.body.task.id])).body.match.name;
  };
  assert.equal(await tellOf("--type", "bug", "--priority", "1"), "careful");
  assert.equal(await tellOf("--type", "bug", "--priority", "1", "--tags", "ui"), "implement");
  assert.equal(await tellOf("--tags", "spec", "--body", "## Goals"), "plan");
});

for (const review of ["", "\n    require_review: false"]) {
  Deno.test(`work that changed nothing is not merged, and the workflow says so${review === "" ? "" : ", also without a review"}`, async () => {
    await using stage = await busyStage({
      workflow: `
  - {name: work, type: script, command: "true"}
  - name: bring
    type: merge${review}
`,
    });
    const { json, run, git, begin, reaches } = stage;
    const before = await git("rev-parse", "main");
    const id = await begin("Look only");
    const { reason, taskId } = await reaches(id, "blocked");
    assert.match(reason, /^nothing was changed, so there is nothing to merge; `conclaude task/);
    assert.match((await run(["workflow", "show", id])).stdout, /reason: +nothing was changed/);
    assert.match((await run(["workflow", "log", id])).stdout, /workflow\.unchanged/);
    assert.equal(await git("rev-parse", "main"), before);
    const { body } = await json(["task", "complete", taskId]);
    assert.equal(body.task.status, "closed");
  });
}
