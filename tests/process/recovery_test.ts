/** What a daemon finds when the one before was killed: every case of the specification, with real processes. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { git } from "../support/git.ts";
import { tempHome } from "../support/program.ts";
import { type WorkedProject, workedProject } from "../support/worked_project.ts";
import { pause, until } from "../support/wait.ts";
import { end, killNow } from "../support/processes.ts";
import { testWith } from "../support/fixtures.ts";
import { isThere, textOf } from "../support/look.ts";
import { change } from "../support/on_home.ts";
import { workflowText } from "../support/workflows.ts";

const WORKFLOW = workflowText("long");

/** An agent, and a check that never passes. */
const CHECKED = workflowText("checked");

/** Does what the file `do` says, says that it runs, and waits for the file `go`. */
const AGENT = `#!/bin/sh
cat >/dev/null
echo run >>../../../../agent-runs
[ ! -f ../../../../do ] || . ../../../../do
echo "$$" >../../../../agent-pid
while [ ! -f ../../../../go ]; do sleep 0.05; done
echo over
`;

interface Begun {
  readonly project: WorkedProject;
  readonly taskId: string;
  /** How often a script or the agent has run. */
  runs(name: string): number;
  /** Lets the agent end. */
  go(): void;
}

/** A task whose agent runs, and whose daemon was killed; with `what` done by the agent before. */
async function begin(home: ReturnType<typeof tempHome>, what = ""): Promise<Begun> {
  const project = await workedProject(home, { workflows: { long: WORKFLOW }, agent: AGENT });
  Deno.writeTextFileSync(join(home.path, "do"), what);
  const taskId = await project.start("long");
  const daemon = project.daemon();
  await until("the agent runs", () => isThere(join(home.path, "agent-pid")));
  await killNow(daemon);
  return {
    project,
    taskId,
    runs: (name) => textOf(join(home.path, `${name}-runs`)).split("\n").length - 1,
    go: () => Deno.writeTextFileSync(join(home.path, "go"), ""),
  };
}

/** Ends the agent and its shell, as a machine does that goes down. */
function killAgent({ project }: Begun): void {
  const [agent] = project.rows("SELECT pid FROM agents WHERE name = 'work'");
  Deno.kill(-Number(agent!["pid"]), "SIGKILL");
}

function ended({ project }: Begun) {
  return project.rows("SELECT status, error FROM agents WHERE name = 'work' ORDER BY id");
}

const test = testWith(tempHome);

test.slowUnix("an agent that lives on is followed again: no line is lost, no step is run twice", async (home) => {
  const begun = await begin(home, "echo made >made.txt");
  const daemon = begun.project.daemon();
  begun.go();
  await begun.project.until(begun.taskId, "pending_merge");
  assert.deepEqual(["first", "agent", "last"].map(begun.runs), [1, 1, 1]);
  assert.deepEqual(ended(begun), [{ status: "completed", error: null }]);
  await end(daemon);
});

test.unix("an agent that ended while no daemon ran is settled by its files", async (home) => {
  const begun = await begin(home, "echo made >made.txt");
  begun.go();
  const [agent] = begun.project.rows("SELECT pid FROM agents WHERE name = 'work'");
  await until("the agent has left", () => !isThere(`/proc/${agent!["pid"]}/exe`));
  const daemon = begun.project.daemon();
  await begun.project.until(begun.taskId, "pending_merge");
  assert.deepEqual(["first", "agent", "last"].map(begun.runs), [1, 1, 1]);
  const [row] = begun.project.rows("SELECT output_file FROM agents WHERE name = 'work'");
  const lines = textOf(String(row!["output_file"])).trim().split("\n").map((line) =>
    JSON.parse(line)
  );
  assert.deepEqual(lines.map(({ seq, data }) => [seq, data]), [[1, "over"]]);
  await end(daemon);
});

test.slowUnix("an agent that died with uncommitted work fails, and its task is blocked until a person looks", async (home) => {
  const begun = await begin(home, "echo half >half.txt");
  killAgent(begun);
  const daemon = begun.project.daemon();
  const task = await begun.project.until(begun.taskId, "blocked");
  assert.match(task.reason, /daemon restarted with uncommitted work/);
  assert.equal(task.claimedBy, null);
  assert.deepEqual(ended(begun), [
    { status: "failed", error: "daemon restarted with uncommitted work" },
  ]);
  assert.equal(textOf(join(begun.project.tree(begun.taskId), "half.txt")), "half\n");
  // A person looks, and lets it go on: the agent's step is run again, the one before is not.
  begun.go();
  assert.equal((await begun.project.run("workflow", "retry", begun.taskId)).code, 0);
  await begun.project.until(begun.taskId, "pending_merge");
  assert.deepEqual(["first", "agent", "last"].map(begun.runs), [1, 2, 1]);
  await end(daemon);
});

test.unix("an agent that died with commits has done work that can be reviewed and merged", async (home) => {
  const begun = await begin(
    home,
    "echo whole >whole.txt; git add whole.txt; git commit -q -m whole",
  );
  killAgent(begun);
  const daemon = begun.project.daemon();
  await begun.project.until(begun.taskId, "pending_merge");
  assert.equal((await begun.project.run("workflow", "approve", begun.taskId)).code, 0);
  await until("it is merged", () => isThere(join(begun.project.path, "whole.txt")));
  // What follows the agent's step goes on; the merge at the end has nothing left for a person to look at.
  await begun.project.until(begun.taskId, "closed");
  assert.deepEqual(["first", "agent", "last"].map(begun.runs), [1, 1, 1]);
  await end(daemon);
});

test.slowUnix("an agent that died without having done anything releases its task, which goes on at that step", async (home) => {
  const begun = await begin(home);
  killAgent(begun);
  begun.go();
  const daemon = begun.project.daemon();
  const { reason } = await begun.project.until(begun.taskId, "blocked");
  assert.match(reason, /^bring: nothing was changed/);
  assert.deepEqual(["first", "agent", "last"].map(begun.runs), [1, 2, 1]);
  assert.deepEqual(ended(begun), [
    { status: "failed", error: "daemon restarted" },
    { status: "completed", error: null },
  ]);
  const history = (await begun.project.json("task", "history", begun.taskId)).history;
  assert.ok(
    history.some((row: Record<string, unknown>) =>
      row.field === "status" && row.new === "open" && row.changedBy === "system"
    ),
  );
  await end(daemon);
});

test.slowUnix("a script that died is run again, whatever an agent before it has committed", async (home) => {
  const project = await workedProject(home, {
    workflows: { checked: CHECKED },
    agent: "#!/bin/sh\ncat >/dev/null; echo done >done.txt; git add .; git commit -q -m done\n",
  });
  const taskId = await project.start("checked");
  const first = project.daemon();
  const runs = () => textOf(join(home.path, "check-runs")).split("\n").length - 1;
  await until("the check runs", () => runs() === 1);
  await killNow(first);
  const [check] = project.rows("SELECT pid FROM agents WHERE name = 'check'");
  Deno.kill(-Number(check!["pid"]), "SIGKILL");
  const second = project.daemon();
  await until("the check runs again", () => runs() === 2);
  const [workflow] = project.rows("SELECT status FROM workflows");
  assert.equal(workflow!["status"], "running");
  Deno.writeTextFileSync(join(home.path, "go"), "");
  await project.until(taskId, "blocked");
  assert.equal(runs(), 2);
  assert.equal(isThere(join(project.path, "done.txt")), false);
  await end(second);
});

test.slowUnix("a process that got the number of an ended agent is left alone", async (home) => {
  const begun = await begin(home);
  killAgent(begun);
  const other = new Deno.Command("sleep", { args: ["300"] }).spawn();
  change(home.database, "UPDATE agents SET pid = ? WHERE name = 'work'", other.pid);
  begun.go();
  const daemon = begun.project.daemon();
  await begun.project.until(begun.taskId, "blocked");
  assert.equal(ended(begun)[0]!["status"], "failed");
  Deno.kill(other.pid, "SIGTERM");
  assert.equal((await other.status).signal, "SIGTERM");
  await end(daemon);
});

test.slowUnix("an agent whose daemon died before its release is started once", async (home) => {
  const project = await workedProject(home, { workflows: { long: WORKFLOW }, agent: AGENT });
  Deno.writeTextFileSync(join(home.path, "go"), "");
  const taskId = await project.start("long");
  // The moments between claim, process and release, by many short lives.
  for (let life = 0; life < 15; life++) {
    const daemon = project.daemon();
    await pause(60 + 12 * life);
    await killNow(daemon);
  }
  const daemon = project.daemon();
  await project.until(taskId, "blocked");
  const counts = ["first", "agent", "last"].map((name) =>
    textOf(join(home.path, `${name}-runs`)).split("\n").length - 1
  );
  assert.deepEqual(counts, [1, 1, 1]);
  await git(project.path, "fsck");
  await end(daemon);
});
