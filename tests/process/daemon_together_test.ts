/** What belongs together is written together, whatever breaks in between; and settings that change while the daemon runs. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { runDaemon } from "../support/daemon.ts";
import { change, configureUser } from "../support/on_home.ts";
import { type TempHome, tempHome } from "../support/program.ts";
import { workedProject } from "../support/worked_project.ts";
import { until } from "../support/wait.ts";
import { killNow } from "../support/processes.ts";
import { testWith } from "../support/fixtures.ts";
import { workflowText } from "../support/workflows.ts";

const skip = Deno.build.os === "windows";

const WORKFLOW = workflowText("short");

const WAITS = `#!/bin/sh
cat >/dev/null
while [ ! -f ../../../../go ]; do sleep 0.05; done
`;

/** Makes a kind of write fail, as a crash at this point would. */
function breakAt(home: TempHome, when: string): void {
  change(home, `CREATE TRIGGER broken ${when} BEGIN SELECT raise(ABORT, 'it broke here'); END`);
}

for (const table of ["workflows", "agents"]) {
  Deno.test({
    name: `a claim whose ${table.slice(0, -1)} cannot be written is no claim`,
    ignore: skip,
    async fn() {
      using home = tempHome();
      const project = await workedProject(home, { workflows: { short: WORKFLOW } });
      const taskId = await project.start("short");
      breakAt(home, `BEFORE INSERT ON ${table}`);
      const before = project.rows("SELECT * FROM tasks");
      const traces = () => [
        project.rows("SELECT * FROM tasks"),
        ...["workflows", "workflow_steps", "agents"].map((name) =>
          project.rows(`SELECT * FROM ${name}`)
        ),
        project.rows("SELECT * FROM task_history WHERE changes LIKE '%claimed_by%'"),
        project.rows("SELECT * FROM events WHERE type NOT LIKE 'task.%'"),
      ];
      {
        await using daemon = await runDaemon(home, { cwd: project.path });
        await until("it has been tried", () => daemon.stderr().includes("it broke here"));
      }
      assert.deepEqual(traces(), [before, [], [], [], [], []]);
      change(home, "DROP TRIGGER broken");
      await using _daemon = await runDaemon(home, { cwd: project.path });
      await project.until(taskId, "closed");
    },
  });
}

const test = testWith(tempHome);

test.unix("where the end of a workflow cannot be written, the workflow, its agent and its task stay running", async (home) => {
  const project = await workedProject(home, { workflows: { short: WORKFLOW }, agent: WAITS });
  const statuses = () =>
    ["tasks", "workflows", "agents"].map((table) =>
      project.rows(`SELECT status FROM ${table}`)[0]?.["status"]
    );
  let taskId = "";
  {
    await using daemon = await runDaemon(home, { cwd: project.path });
    taskId = await project.start("short");
    await until("the agent runs", () => statuses()[2] === "running");
    breakAt(home, "BEFORE UPDATE OF status ON workflows WHEN new.status = 'completed'");
    Deno.writeTextFileSync(join(home.path, "go"), "");
    await until("it has been tried", () => daemon.stderr().includes("it broke here"));
    await killNow(daemon.child);
  }
  assert.deepEqual(statuses(), ["in_progress", "running", "running"]);
  change(home, "DROP TRIGGER broken");
  await using _daemon = await runDaemon(home, { cwd: project.path });
  await project.until(taskId, "closed");
  assert.deepEqual(statuses(), ["closed", "completed", "completed"]);
});

test.slowUnix("changed settings count at once, and a wrong value counts as the default", async (home) => {
  const project = await workedProject(home, { workflows: { short: WORKFLOW }, agent: WAITS });
  const configure = (text: string) => configureUser(home, text);
  Deno.mkdirSync(join(home.path, ".conclaude"), { recursive: true });
  configure("store:\n  claimTimeoutMinutes: 7\norchestration:\n  maxConcurrentAgents: 1\n");
  await using daemon = await runDaemon(home, { cwd: project.path });
  const { id } = (await daemon.ask("POST", "/tasks", { body: { title: "mine" } })).body.task;
  const leaseMinutes = async () => {
    await daemon.ask("POST", `/tasks/${id}/claim`);
    const { task } = (await daemon.ask("POST", `/tasks/${id}/renew`)).body;
    return Math.round((task.leaseUntilMs - task.updatedAtMs) / 60_000);
  };
  const running = () => project.rows("SELECT id FROM agents WHERE status = 'running'").length;
  assert.equal(await leaseMinutes(), 7);
  await project.start("short", "one");
  await project.start("short", "two");
  await until("one runs", () => running() === 1);
  configure("store:\n  claimTimeoutMinutes: 9\norchestration:\n  maxConcurrentAgents: 2\n");
  await until("two run", () => running() === 2);
  await until("the new lease counts", async () => await leaseMinutes() === 9);
  configure("store:\n  claimTimeoutMinutes: x\n  nothing: 1\n");
  await until("the default counts", async () => await leaseMinutes() === 30);
  assert.match(daemon.stderr(), /store\.claimTimeoutMinutes: .*the default counts/);
  Deno.writeTextFileSync(join(home.path, "go"), "");
  await until("both have ended", () => running() === 0);
});

test("the metrics of the daemon count removed rows and claims that ran out", async (home) => {
  {
    await using daemon = await runDaemon(home);
    const { id } = (await daemon.ask("POST", "/tasks", { body: { title: "t" } })).body.task;
    await daemon.ask("POST", `/tasks/${id}/claim`);
  }
  change(home, "UPDATE tasks SET lease_until_ms = 1; UPDATE events SET created_at_ms = 1");
  await using daemon = await runDaemon(home);
  let text = "";
  await until("both are counted", async () => {
    ({ text } = await daemon.ask("GET", "/metrics"));
    return /conclaude_retention_removals_total [1-9]/.test(text);
  });
  assert.match(text, /^conclaude_lease_expiries_total 1$/m);
});
