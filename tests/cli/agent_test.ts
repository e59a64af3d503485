import assert from "node:assert/strict";
import { join } from "node:path";
import { isAlive } from "../support/processes.ts";
import { engineStage, linesOf } from "../support/engine.ts";
import { until } from "../support/wait.ts";
import { workflowText } from "../support/workflows.ts";

/** Starts a child that writes its number, and stays. */
const STAYS = `
cat >/dev/null
sh -c 'trap "" TERM; echo $$ >'$LOG'/child; while :; do sleep 1; done' &
echo 'Working on it'
wait`;

const ONE_AGENT = `
  - name: stay
    type: agent
    prompt: |
      Stay
`;

for (const isDaemonThere of [true, false]) {
  Deno.test(
    `agent kill ends the whole group ${isDaemonThere ? "through" : "without"} the daemon`,
    // The engine has let go of a process that it had started.
    { sanitizeOps: isDaemonThere, sanitizeResources: isDaemonThere },
    async () => {
      await using stage = await engineStage({ agent: STAYS, workflow: ONE_AGENT });
      const { folder, json, run, begin, reaches } = stage;
      const engine = await stage.startEngine();
      const id = await begin();
      const child = () => linesOf(join(folder, "log", "child"))[0] ?? "";
      await until("the child runs", () => child() !== "");
      const [agent] = (await json(["agent", "list"])).body.agents;
      assert.deepEqual([agent.name, agent.status, agent.taskId], ["stay", "running", id]);
      const pid = child();
      assert.ok(isAlive(pid));
      if (!isDaemonThere) await engine[Symbol.asyncDispose]();
      const killed = await run(["agent", "kill", agent.id.slice(-8), "--reason", "too slow"]);
      assert.equal(killed.code, 0, killed.stderr);
      assert.match(killed.stdout, isDaemonThere ? /by the daemon/ : /has ended, with all/);
      if (!isDaemonThere) assert.ok(!isAlive(pid));
      await until("the child has left", () => !isAlive(pid));
      await until("the agent has left", () => !isAlive(String(agent.pid)));
      const { reason } = await reaches(id, "blocked");
      assert.match(reason, /killed: too slow/);
      const shown = (await json(["agent", "show", agent.id])).body.agent;
      assert.deepEqual([shown.status, shown.killReason], ["killed", "too slow"]);
      const again = await json(["agent", "kill", agent.id]);
      assert.deepEqual([again.code, again.body.error.reason], [11, "INVALID_TRANSITION"]);
      assert.match((await run(["agent", "output", agent.id])).stdout, /^Working on it$/m);
      if (isDaemonThere) await engine[Symbol.asyncDispose]();
    },
  );
}

Deno.test("agent output has every line with its number, and shows people the text", async () => {
  await using stage = await engineStage({
    agent: `
cat >/dev/null
echo '{"type":"system","subtype":"init","session_id":"s1"}'
echo '{"type":"assistant","message":{"content":[{"type":"text","text":"Hello\\u001b[31m"}]}}'
echo '{"type":"result","result":"Hello\\u001b[31m"}'
echo oops >&2
printf 'last'`,
    workflow: workflowText("speak"),
  });
  const { json, run, begin, reaches } = stage;
  {
    await using _engine = await stage.startEngine();
    await reaches(await begin(), "completed");
  }
  const { agents } = (await json(["agent", "list", "--all"])).body;
  const [list, speak] = agents;
  assert.deepEqual([list.name, list.kind, speak.name], ["list", "script", "speak"]);
  const output = async (...args: string[]) => (await json(["agent", "output", ...args])).body;
  const whole = await output(speak.id);
  const last = whole.lineCount;
  assert.equal(last, 5);
  assert.deepEqual(whole.lines.map(({ seq }: { seq: number }) => seq), [1, 2, 3, 4, 5]);
  assert.deepEqual(Object.keys(whole.lines[0]), ["seq", "ts", "stream", "data"]);
  assert.deepEqual([whole.agentId, whole.taskId, whole.lastSeq], [speak.id, speak.taskId, last]);
  const after = await output(speak.id, "--since", "3");
  assert.deepEqual([after.lines[0].seq, after.lineCount, after.lastSeq], [4, 2, 5]);
  assert.deepEqual((await output(speak.id, "--since", "5")).lastSeq, 5);
  assert.deepEqual((await output(speak.id, "--since", "9999")).lastSeq, 5, "there is no such line");
  assert.equal((await output(speak.id, "--since", "1", "--limit", "2")).lastSeq, 3);
  const people = (await run(["agent", "output", speak.id])).stdout;
  assert.equal(people.match(/Hello/g)?.length, 1);
  assert.ok(!people.includes("\u001b") && /oops/.test(people) && /last/.test(people));
  assert.match((await run(["agent", "output", speak.id, "--raw"])).stdout, /"subtype":"init"/);
  const followed = await run(["agent", "output", speak.id, "--follow", "--json"]);
  assert.equal(followed.stdout.trim().split("\n").length, 5);
  const ofTask = await output(speak.taskId.slice(-8));
  assert.equal(ofTask.lineCount, 7);
  assert.deepEqual(ofTask.lines.at(-1).data, "two");
  assert.equal((await run(["agent", "output", speak.taskId, "--since", "1"])).code, 2);
  assert.equal((await output("ffff0000")).error.reason, "AGENT_NOT_FOUND");
  assert.match((await run(["agent", "list"])).stdout, /No agents at work/);
  assert.equal((await json(["agent", "list", "--kind", "script", "--all"])).body.agents.length, 1);
  assert.equal((await run(["agent", "list", "--kind", "robot"])).code, 2);
});

Deno.test("workflow cancel ends the agent itself where no daemon runs", {
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  await using stage = await engineStage({ agent: STAYS, workflow: ONE_AGENT });
  const engine = await stage.startEngine();
  const id = await stage.begin();
  const child = () => linesOf(join(stage.folder, "log", "child"))[0] ?? "";
  await until("the child runs", () => child() !== "");
  await engine[Symbol.asyncDispose]();
  const { code, body } = await stage.json(["workflow", "cancel", id]);
  assert.deepEqual([code, body.workflow.status, body.task.status], [0, "cancelled", "open"]);
  assert.ok(!isAlive(child()));
  const [agent] = (await stage.json(["agent", "list", "--all"])).body.agents;
  assert.equal(agent.status, "killed");
});
