import assert from "node:assert/strict";
import type { TeamDatabase } from "./support/postgres.ts";
import {
  PROJECT_NAME,
  type TeamMachine,
  teamTest,
  type TwoMachines,
} from "./support/team_machine.ts";

/** A test of a task that alice made and both machines know. */
function claimTest(
  name: string,
  body: (at: TwoMachines & { readonly id: string }) => Promise<void>,
): void {
  teamTest(name, async (two) => {
    const { alice, bob } = two;
    await alice.join();
    await bob.join();
    const { task } = await alice.json(["task", "create", "--title", "Count the tea"]);
    await alice.json(["team", "sync"]);
    await bob.json(["team", "sync"]);
    await body({ ...two, id: task.id });
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

claimTest(
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

claimTest(
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

claimTest(
  "whoever has not heard of a completion is told of it at the claim",
  async ({ alice, bob, id }) => {
    await alice.json(["task", "claim", id]);
    await alice.json(["task", "complete", id]);
    const error = await refused(bob, "task", "claim", id);
    assert.equal(error.reason, "INVALID_STATUS");
    assert.match(error.why, /^alice has had it completed/);
  },
);

claimTest(
  "a claim without the server is settled by the next sync, and the loser is told",
  async ({ alice, bob, team, id }) => {
    const { task: mine } = await bob.json(["task", "claim", id, "--agent-id", "b1", "--offline"]);
    assert.equal(mine.claimedBy, "b1");
    await alice.json(["task", "claim", id, "--agent-id", "a1"]);
    await bob.json(["team", "sync"]);
    const lost = await taskOn(bob, id);
    assert.deepEqual([lost.claimedBy, lost.status], ["a1", "in_progress"]);
    const { held: [row] } = await bob.json(["team", "held"]);
    assert.equal(row.reason, "claim");
    assert.match(
      row.detail,
      /"a1" of alice has the task, .*"b1" claimed it here without the server/,
    );
    assert.match(
      (await bob.run(["status"])).stdout,
      /Lost to others of the team.*\n.*"a1" of alice/,
    );
    const told = await bob.json(["memory", "context"]);
    assert.match(JSON.stringify(told), /Lost to others of the team:.*of alice has the task/);
    assert.equal((await refused(bob, "task", "complete", id, "--agent-id", "b1")).code, 13);
    // What the loser sent took nothing from the holder.
    await alice.json(["team", "sync"]);
    await alice.json(["task", "complete", id, "--agent-id", "a1"]);
    await alice.json(["team", "sync"]);
    await bob.json(["team", "sync"]);
    assert.equal((await taskOn(bob, id)).status, "closed");
    assert.equal((await onServer(team, id)).rounds, "1");
  },
);

claimTest(
  "a claim and a completion without the server count once they are settled",
  async ({ alice, bob, team, id }) => {
    await bob.json(["task", "claim", id, "--agent-id", "b1", "--offline"]);
    await bob.json(["team", "sync"]);
    assert.equal((await onServer(team, id)).holder, "b1");
    await bob.json(["task", "complete", id, "--agent-id", "b1", "--offline"]);
    assert.equal((await onServer(team, id)).rounds, "0");
    await bob.json(["team", "sync"]);
    assert.equal((await onServer(team, id)).rounds, "1");
    await alice.json(["team", "sync"]);
    assert.equal((await taskOn(alice, id)).status, "closed");
  },
);

claimTest(
  "a completion without the server does not count when somebody else has the task by then",
  async ({ alice, bob, id }) => {
    const { task: old } = await bob.json(["task", "claim", id, "--agent-id", "b1", "--offline"]);
    await bob.json(["task", "complete", id, "--agent-id", "b1", "--offline"]);
    const { task } = await alice.json(["task", "claim", id, "--agent-id", "a1"]);
    assert.equal(task.claimToken, old.claimToken);
    await bob.json(["team", "sync"]);
    assert.equal((await taskOn(bob, id)).claimedBy, "a1");
    await alice.json(["team", "sync"]);
    assert.equal((await taskOn(alice, id)).claimedBy, "a1");
    await alice.json(["task", "complete", id, "--agent-id", "a1"]);
  },
);

claimTest(
  "without the server a shared task is not claimed, and the refusal says how",
  async ({ bob, id }) => {
    await bob.using((db) =>
      db.exec(
        `UPDATE team_projects SET way = json_set(way, '$.address', 'postgres://bob@127.0.0.1:1/t')`,
      )
    );
    const error = await refused(bob, "task", "claim", id);
    assert.equal(error.reason, "TEAM_UNREACHED");
    assert.equal(error.next, `conclaude task claim ${id} --offline`);
    assert.equal((await taskOn(bob, id)).claimedBy, null);
    await bob.json(["task", "claim", id, "--offline"]);
    // Giving it back takes nothing from anybody.
    await bob.json(["task", "release", id]);
  },
);

claimTest(
  "what cannot be claimed here is given back to the server",
  async ({ alice, team, id }) => {
    const { task: first } = await alice.json(["task", "create", "--title", "Weigh it first"]);
    await alice.json(["task", "update", id, "--depends-on", first.id]);
    assert.equal((await refused(alice, "task", "claim", id)).reason, "INVALID_STATUS");
    assert.equal((await onServer(team, id)).holder, null);
    // The next one that is ready is the other one.
    assert.equal((await alice.json(["task", "claim", "--next"])).task.id, first.id);
  },
);

claimTest(
  "a claim that others do not know of yet outlives their change of the task",
  async ({ alice, bob, id }) => {
    await alice.json(["task", "claim", id, "--agent-id", "a1"]);
    await bob.json(["task", "update", id, "--title", "Count all the tea"]);
    await bob.json(["team", "sync"]);
    await alice.json(["team", "sync"]);
    const { title, claimedBy } = await taskOn(alice, id);
    assert.deepEqual([title, claimedBy], ["Count all the tea", "a1"]);
    await bob.json(["team", "sync"]);
    assert.equal((await taskOn(bob, id)).claimedBy, "a1");
    assert.deepEqual((await alice.json(["team", "held"])).held, []);
  },
);

/** What the server knows of a task when a claim arrives that bob made without it, under the number 1. */
const ARRIVALS: readonly {
  readonly knows: string;
  readonly fence: number;
  readonly holder: "a1" | "b1" | null;
  readonly isOver?: true;
  /** The number of bob's claim afterwards; null where he lost it. */
  readonly given: number | null;
}[] = [
  { knows: "that nobody ever had it", fence: 0, holder: null, given: 1 },
  { knows: "that it was given back under the same number", fence: 1, holder: null, given: 2 },
  { knows: "his own claim, which ran out", fence: 1, holder: "b1", isOver: true, given: 2 },
  { knows: "a claim of alice under the same number", fence: 1, holder: "a1", given: null },
  { knows: "a claim of alice that ran out", fence: 1, holder: "a1", isOver: true, given: null },
  { knows: "that somebody had it since", fence: 2, holder: null, given: null },
];

claimTest(
  "a claim without the server counts unless somebody else had the task since",
  async ({ alice, bob, team }) => {
    const ids = new Map<string, string>();
    for (const { knows, fence, holder, isOver = false } of ARRIVALS) {
      const { task: { id } } = await bob.json(["task", "create", "--title", knows]);
      const claim = ["task", "claim", id, "--agent-id", "b1", "--offline"];
      assert.equal((await bob.json(claim)).task.claimToken, 1);
      await team.query(
        `INSERT INTO conclaude.claim (project, task, fence, holder, author, origin, lease_until)
         SELECT $1, $2, $3, $4::text, author, CASE WHEN $4::text IS NOT NULL THEN origin END,
                CASE WHEN $4::text IS NOT NULL THEN now() + $6::interval END
           FROM conclaude.seen
          WHERE author = $5`,
        [
          ...[PROJECT_NAME, id, fence, holder, (holder === "b1" ? bob : alice).login],
          isOver ? "-1 second" : "1 hour",
        ],
      );
      ids.set(knows, id);
    }
    await bob.json(["team", "sync"]);
    const { held } = await bob.json(["team", "held"]);
    for (const { knows, holder, given } of ARRIVALS) {
      const id = ids.get(knows)!;
      const { claimedBy, claimToken } = await taskOn(bob, id);
      const there = await onServer(team, id);
      const lost = held.filter(({ uid }: { uid: string }) => uid === id)
        .map(({ reason }: { reason: string }) => reason);
      if (given === null) assert.deepEqual([claimedBy, lost], [holder, ["claim"]], knows);
      else {
        assert.deepEqual([claimedBy, claimToken, lost], ["b1", given, []], knows);
        assert.deepEqual([there.holder, Number(there.fence)], ["b1", given], knows);
      }
    }
  },
);

claimTest(
  "a task that another machine has claimed is open here once the project is shared no more",
  async ({ alice, bob, id }) => {
    await alice.json(["task", "claim", id, "--agent-id", "a1"]);
    const { task: mine } = await bob.json(["task", "create", "--title", "Weigh the tea"]);
    await bob.json(["task", "claim", mine.id, "--agent-id", "b1"]);
    await alice.json(["team", "sync"]);
    await bob.json(["team", "sync"]);
    assert.equal((await taskOn(bob, id)).claimedBy, "a1");
    await bob.json(["team", "leave", "--yes"]);
    const { claimedBy, status } = await taskOn(bob, id);
    assert.deepEqual([claimedBy, status], [null, "open"]);
    const { task } = await bob.json(["task", "claim", id, "--agent-id", "b1"]);
    assert.equal(task.claimedBy, "b1");
    assert.equal((await taskOn(bob, mine.id)).claimedBy, "b1", "what was claimed here stays");
  },
);
