/** Two hooks of one session, from two settings files, are sent the same event at the same moment: it is handled once. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { executions, isThere, type Row } from "../support/look.ts";
import { answerOf, feed, spawnProgram, startHook, startProgram } from "../support/process.ts";
import { until } from "../support/wait.ts";
import { type GuardedHome, guardedHome } from "../support/guarded.ts";
import { testWith } from "../support/fixtures.ts";

const SESSION = "5e551044-0000-4000-8000-000000000001";

/** A command that notes that it runs, and ends when it is let go: so the other hook comes while it is at work. */
const WAITING = "echo x >> ../ran; touch ../begun; until [ -e ../go ]; do sleep 0.05; done";

async function send(home: GuardedHome, event: string, fields: Row): Promise<Row> {
  const payload = { session_id: SESSION, cwd: join(home.path, "project"), ...fields };
  return answerOf(await startHook(event, payload, home)) ?? {};
}

/** One event, sent to two hooks. @returns The answer of the first; the second one's holds nothing back. */
async function sendTwice(home: GuardedHome, event: string, fields: Row): Promise<Row> {
  for (const name of ["begun", "go"]) {
    await Deno.remove(join(home.path, name)).catch(() => {});
  }
  const first = send(home, event, fields);
  await hasBegun(home);
  const { decision } = await send(home, event, fields);
  assert.equal(decision, undefined);
  Deno.writeTextFileSync(join(home.path, "go"), "");
  return await first;
}

const hasBegun = (home: GuardedHome) =>
  until("the command runs", () => isThere(join(home.path, "begun")));

const ran = (home: GuardedHome) => Deno.readTextFileSync(join(home.path, "ran"));
const twins = (home: GuardedHome) =>
  executions(home).filter(({ metadata }) => (metadata as Row)["twin"] === true);

const test = testWith(guardedHome);

test.unix("a stop reported by two hooks is judged and counted once", async (home) => {
  home.configure(`stop: {rounds: 3, commands: [{run: "${WAITING}"}]}`);
  const stop = async (active: boolean) =>
    String((await sendTwice(home, "Stop", { stop_hook_active: active }))["reason"]);
  assert.match(await stop(false), /^Round 1\/3[^]*stop 1 of at most 6/);
  assert.match(await stop(true), /^Round 2\/3[^]*stop 2 of at most 6/);
  assert.equal(await stop(true), "undefined");
  assert.equal(ran(home), "x\nx\nx\n");
  assert.equal(twins(home).length, 3);
  const args = ["counter", "list", "--json"];
  const { stdout } = await startProgram(args, { env: { HOME: home.path }, cwd: home.path });
  const types = JSON.parse(stdout).counters.map(({ type }: Row) => type);
  assert.deepEqual(types, ["stop_blocks"]);
});

test.unix("a failing command is told once, and the next stop is another one", async (home) => {
  home.configure(`stop: {commands: [{run: "${WAITING}; false"}]}`);
  for (const stop of [1, 2]) {
    const { reason } = await sendTwice(home, "Stop", { stop_hook_active: true });
    assert.match(String(reason), new RegExp(`stop ${stop} of at most 6`));
  }
});

test.unix("two hooks of one subagent run its commands once", async (home) => {
  home.configure(`subagentStop: {commands: {"*": [{run: "${WAITING}"}]}}`);
  await sendTwice(home, "SubagentStop", { agent_id: "a1", agent_type: "x" });
  await sendTwice(home, "SubagentStop", { agent_id: "a2", agent_type: "x" });
  assert.equal(ran(home), "x\nx\n");
});

test.unix("a stop whose hook was killed is judged by the one that comes after", async (home) => {
  const project = home.configure(`stop: {commands: [{run: "${WAITING}; exit 3"}]}`);
  const payload = { session_id: SESSION, cwd: project, stop_hook_active: false };
  const child = spawnProgram(["hook", "Stop"], { env: { HOME: home.path } });
  await feed(child, payload);
  await hasBegun(home);
  child.kill("SIGKILL");
  await child.output();
  Deno.writeTextFileSync(join(home.path, "go"), "");
  const { reason } = await send(home, "Stop", { stop_hook_active: false });
  assert.match(String(reason), /exit code 3/);
});
