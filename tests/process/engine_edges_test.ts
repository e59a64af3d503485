/** What agents do that nobody wants, and what comes of it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { git } from "../support/git.ts";
import { tempHome } from "../support/program.ts";
import { workedProject } from "../support/worked_project.ts";
import { slowTest } from "../support/lanes.ts";
import { pause, until } from "../support/wait.ts";
import { end } from "../support/processes.ts";
import { testWith } from "../support/fixtures.ts";
import { isThere, textOf } from "../support/look.ts";
import { change } from "../support/on_home.ts";
import { workflowText } from "../support/workflows.ts";

const MERGED = workflowText("merged");

const LINES = 50_000;

const test = testWith(tempHome);

test.slowUnix("an agent with endless output delays no other request, and no line is lost", async (home) => {
  const agent =
    `#!/bin/sh\ncat >/dev/null\nyes abcdefghij | head -n ${LINES}\necho x >made.txt\necho last\n`;
  const project = await workedProject(home, { workflows: { merged: MERGED }, agent });
  const taskId = await project.start("merged");
  const daemon = project.daemon();
  await until(
    "the agent runs",
    () => project.rows("SELECT 1 FROM agents WHERE status = 'running'").length > 0,
  );
  for (let i = 0; i < 10; i++) {
    const { answers } = await project.json("daemon", "status");
    assert.equal(answers, true);
  }
  await project.until(taskId, "pending_merge");
  const [row] = project.rows("SELECT output_file FROM agents");
  const lines = (await Deno.readTextFile(String(row!["output_file"]))).trim().split("\n");
  assert.equal(lines.length, LINES + 1);
  assert.equal(JSON.parse(lines.at(-1)!).data, "last");
  assert.equal(JSON.parse(lines.at(-1)!).seq, LINES + 1);
  await end(daemon);
});

test.unix("the work in the working tree is merged, whichever branch the agent switched to", async (home) => {
  const agent = "#!/bin/sh\ncat >/dev/null\ngit switch -q -c mine\n" +
    "echo p >precious.txt\ngit add precious.txt\ngit commit -q -m p\n";
  const project = await workedProject(home, { workflows: { merged: MERGED }, agent });
  const taskId = await project.start("merged");
  const daemon = project.daemon();
  await project.until(taskId, "pending_merge");
  const approved = await project.json("workflow", "approve", taskId);
  assert.equal(approved.workflow.status, "completed");
  assert.equal(await Deno.readTextFile(join(project.path, "precious.txt")), "p\n");
  const [merge] = (await git(project.path, "log", "--merges", "--format=%H")).split("\n");
  assert.equal(approved.workflow.mergeCommit, merge);
  await end(daemon);
});

test.slowUnix("work without changes is not merged, and takes no other merge for its own", async (home) => {
  const agent = "#!/bin/sh\ncat >/dev/null\n[ ! -f ../../../../make ] || echo x >made.txt\n";
  const project = await workedProject(home, { workflows: { merged: MERGED }, agent });
  const daemon = project.daemon();
  const idle = await project.start("merged", "Idle");
  await project.until(idle, "blocked");
  await Deno.writeTextFile(join(home.path, "make"), "");
  const busy = await project.start("merged", "Busy");
  await project.until(busy, "pending_merge");
  await project.json("workflow", "approve", busy);
  const { workflow } = await project.json("workflow", "show", idle);
  assert.deepEqual([workflow.status, workflow.mergeCommit], ["blocked", null]);
  await end(daemon);
});

slowTest("processes that left the agent's group are ended with it", async () => {
  using home = tempHome();
  const agent = "#!/bin/sh\ncat >/dev/null\n" +
    "setsid sh -c 'echo $$ >../../../../escaped; exec sleep 4441' &\nsleep 4442\n";
  const project = await workedProject(home, { workflows: { merged: MERGED }, agent });
  const taskId = await project.start("merged");
  const daemon = project.daemon();
  const escaped = join(home.path, "escaped");
  await until("it has escaped", () => textOf(escaped).endsWith("\n"));
  const pid = Number(textOf(escaped));
  const [row] = project.rows("SELECT id FROM agents");
  assert.equal((await project.run("agent", "kill", String(row!["id"]))).code, 0);
  await project.until(taskId, "blocked");
  await until("it is gone", () => !isThere(`/proc/${pid}`));
  await end(daemon);
}, Deno.build.os === "linux" ? null : "needs Linux");

test.unix("files that an agent makes have the permissions of its user's umask", async (home) => {
  const agent = "#!/bin/sh\ncat >/dev/null\necho x >made.txt\n";
  const project = await workedProject(home, { workflows: { merged: MERGED }, agent });
  const before = Deno.umask(0o022);
  try {
    assert.equal((await project.run("daemon", "start")).code, 0);
  } finally {
    Deno.umask(before);
  }
  const taskId = await project.start("merged");
  await project.until(taskId, "pending_merge");
  await project.json("workflow", "approve", taskId);
  await project.until(taskId, "closed");
  const mode = (await Deno.stat(join(project.path, "made.txt"))).mode! & 0o777;
  assert.equal(mode, 0o644);
  await project.run("daemon", "stop");
  await pause(100);
});

test.unix("settings that become unreadable count as before, and nothing is removed meanwhile", async (home) => {
  const project = await workedProject(home, { workflows: { merged: MERGED } });
  const file = join(project.path, ".conclaude.yaml");
  const settings = await Deno.readTextFile(file);
  await Deno.writeTextFile(file, `${settings}store:\n  taskSoftDeleteDays: 0\n`);
  const { task } = await project.json("task", "create", "--title", "Old");
  await project.json("task", "delete", task.id);
  change(home.database, "UPDATE tasks SET deleted_at_ms = 1");
  await Deno.writeTextFile(file, `${settings}store:\n  taskSoftDeleteDays: 0\n  x: {{\n`);
  const refused = await project.run("retention", "run");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /nothing was removed/);
  const daemon = project.daemon();
  await until("the daemon answers", async () => (await project.json("daemon", "status")).answers);
  await pause(500);
  assert.equal(project.rows("SELECT 1 FROM tasks").length, 1);
  await end(daemon);
});
