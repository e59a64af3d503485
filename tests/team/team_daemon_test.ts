import assert from "node:assert/strict";
import { runDaemon } from "../support/daemon.ts";
import { type TeamMachine, teamTest } from "./support/team_machine.ts";
import { until } from "../support/wait.ts";

/** The daemon of a machine. */
function daemonOf({ home, database, clone }: TeamMachine) {
  return runDaemon({ path: home, database, [Symbol.dispose]: () => {} }, {
    args: ["--port", "0"],
    cwd: clone,
  });
}

teamTest(
  "the daemon syncs by itself, and its routes ask the server for claims",
  async ({ team, alice, bob }) => {
    await bob.join();
    await using daemon = await daemonOf(alice);
    // It learns of the project while it runs.
    await alice.join();
    const { task } = await alice.json(["task", "create", "--title", "Count the tea"]);
    await until("the task is on the server", async () => {
      const rows = await team.query("SELECT 1 FROM conclaude.log WHERE uid = $1", [task.id]);
      return rows.length > 0;
    });
    const claimed = await daemon.ask("POST", `/tasks/${task.id}/claim`, {
      headers: { "x-agent-id": "a1" },
      body: {},
    });
    assert.equal(claimed.status, 200, claimed.text);
    const holder = "SELECT holder, rounds FROM conclaude.claim WHERE task = $1";
    assert.equal((await team.query(holder, [task.id]))[0].holder, "a1");
    await bob.json(["team", "sync"]);
    const refused = await bob.run(["--json", "task", "claim", task.id]);
    assert.match(refused.stdout, /"ALREADY_CLAIMED"/);
    const done = await daemon.ask("POST", `/tasks/${task.id}/complete`, {
      headers: { "x-agent-id": "a1" },
      body: { summary: "24 chests" },
    });
    assert.equal(done.status, 200, done.text);
    await until("the server knows that it is done", async () => {
      const [{ rounds }] = await team.query(holder, [task.id]);
      return rounds === "1";
    });
    const { task: other } = await bob.json(["task", "create", "--title", "Weigh it"]);
    await bob.json(["task", "claim", other.id, "--agent-id", "b1"]);
    await bob.json(["team", "sync"]);
    await until("the daemon has taken it in", async () => {
      const found = await daemon.ask("GET", `/tasks/${other.id}`);
      return found.status === 200 && found.body.task.claimedBy === "b1";
    });
    const held = await daemon.ask("POST", `/tasks/${other.id}/claim`, {
      headers: { "x-agent-id": "a1" },
      body: {},
    });
    assert.equal(held.body.error.code, "ALREADY_CLAIMED", held.text);
  },
);
