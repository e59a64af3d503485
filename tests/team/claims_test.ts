import assert from "node:assert/strict";
import { needsPostgres, postgres, type TeamDatabase } from "../support/postgres.ts";
import { testWhere } from "../support/requirements.ts";
import { machine, setUpTeam, type TeamMachine } from "../support/team_machine.ts";

/** A test with the machines of alice and bob, which share a task that alice made. */
function teamTest(
  name: string,
  body: (at: {
    readonly alice: TeamMachine;
    readonly bob: TeamMachine;
    readonly team: TeamDatabase;
    readonly id: string;
  }) => Promise<void>,
): void {
  testWhere(needsPostgres(), name, async () => {
    const server = await postgres();
    const team = await server.database();
    await setUpTeam(team, ["alice", "bob"], server);
    using alice = machine("alice", team);
    using bob = machine("bob", team);
    await alice.join();
    await bob.join();
    const { task } = await alice.json(["task", "create", "--title", "Count the tea"]);
    await alice.json(["team", "sync"]);
    await bob.json(["team", "sync"]);
    await body({ alice, bob, team, id: task.id });
  });
}

/** The server's word on a task. */
async function onServer({ query }: TeamDatabase, id: string) {
  const [row] = await query("SELECT * FROM conclaude.claim WHERE task = $1", [id]);
  return row;
}

/** Lets the lease of every claim run out on the server. */
async function letLapse({ query }: TeamDatabase): Promise<void> {
  await query("UPDATE conclaude.claim SET lease_until = now() - interval '1 second'");
}

/** Runs a verb that has to be refused. @returns What it says. */
// deno-lint-ignore no-explicit-any -- a test looks into whatever was printed
async function refused(at: TeamMachine, ...args: readonly string[]): Promise<any> {
  const { code, stdout, stderr } = await at.run(["--json", ...args]);
  assert.notEqual(code, 0, stdout + stderr);
  return JSON.parse(stdout).error;
}

function taskOn(at: TeamMachine, id: string) {
  return at.json(["task", "show", id]).then(({ task }) => task);
}

teamTest(
  "a task that one machine has claimed no other one gets, until it is given back",
  async ({ alice, bob, team, id }) => {
    const { task } = await alice.json(["task", "claim", id, "--agent-id", "a1"]);
    assert.equal(task.claimedBy, "a1");
    assert.equal((await onServer(team, id)).holder, "a1");
    // Bob's machine has not heard of it.
    const error = await refused(bob, "task", "claim", id, "--agent-id", "b1");
    assert.equal(error.reason, "ALREADY_CLAIMED");
    assert.match(error.why, /^"a1" of alice has claimed it, for \d+ more minutes/);
    assert.equal((await refused(bob, "task", "claim", "--next")).reason, "NOT_FOUND");
    await alice.json(["task", "release", id, "--agent-id", "a1"]);
    const claimed = await bob.json(["task", "claim", "--next", "--agent-id", "b1"]);
    assert.equal(claimed.task.id, id);
    assert.ok(claimed.task.claimToken > task.claimToken);
  },
);

teamTest(
  "a lapsed claim of another machine is taken over, and its old number completes nothing",
  async ({ alice, bob, team, id }) => {
    const { task: { claimToken } } = await alice.json(["task", "claim", id, "--agent-id", "a1"]);
    await alice.json(["team", "sync"]);
    await letLapse(team);
    const { task } = await bob.json(["task", "claim", "--next", "--agent-id", "b1"]);
    assert.equal(task.id, id);
    const error = await refused(
      ...[alice, "task", "complete", id, "--agent-id", "a1"] as const,
      ...["--claim-token", String(claimToken)],
    );
    assert.equal(error.reason, "NOT_CLAIM_OWNER");
    assert.match(error.why, /"b1" of bob has it now/);
    await bob.json(["task", "complete", id, "--agent-id", "b1"]);
    await bob.json(["team", "sync"]);
    await alice.json(["team", "sync"]);
    assert.equal((await taskOn(alice, id)).status, "closed");
    assert.equal((await onServer(team, id)).rounds, "1");
    assert.deepEqual((await alice.json(["team", "held"])).held, []);
  },
);

teamTest(
  "whoever has not heard of a completion is told of it at the claim",
  async ({ alice, bob, id }) => {
    await alice.json(["task", "claim", id]);
    await alice.json(["task", "complete", id]);
    const error = await refused(bob, "task", "claim", id);
    assert.equal(error.reason, "INVALID_STATUS");
    assert.match(error.why, /^alice has had it completed/);
  },
);
