import assert from "node:assert/strict";
import { type TeamMachine, teamTest } from "./support/team_machine.ts";

/** The titles of the notes on a machine. */
function notesOf({ using }: TeamMachine): Promise<string[]> {
  return using((db) =>
    db.prepare("SELECT title FROM observations WHERE kind = 'note' ORDER BY title").all()
      .map(({ title }) => String(title))
  );
}

async function sync(one: TeamMachine) {
  const { projects: [report] } = await one.json(["team", "sync"]);
  return report;
}

teamTest(
  "a server that was restored from an older copy gets again what it lost, and the sync says so",
  async ({ team, alice, bob }) => {
    await alice.join();
    await bob.join();
    await alice.notes(["1 of alice", "2 of alice, to be forgotten"]);
    await bob.notes(["3 of bob"]);
    const { task } = await bob.json(["task", "create", "--title", "Count the tea"]);
    for (const one of [alice, bob, alice]) await sync(one);
    const restore = await team.backup();

    await alice.notes(["4 of alice"]);
    await bob.notes(["5 of bob"]);
    await alice.json(["task", "update", task.id, "--priority", "0"]);
    await alice.json(["memory", "forget", "--text", "2 of alice", "--yes"]);
    for (const one of [alice, bob, alice]) await sync(one);
    // Not even this machine has seen its number.
    await bob.notes(["6 of bob"]);
    await sync(bob);
    await restore();

    const said = await alice.run(["team", "sync"]);
    assert.match(
      said.stdout,
      /the server was restored from an older copy: it has the rows up to (\d+) of \d+.*\n {2}3 rows are sent again.*\n {2}next: conclaude team verify/,
    );
    // The daemon may have synced: whoever looks later is told as well.
    const told = /the server was restored just now: `conclaude team verify`/;
    assert.match((await alice.run(["team", "status"])).stdout, told);
    assert.match((await alice.run(["doctor"])).stdout, told);
    // Numbers are given anew, beyond those that were there.
    await alice.notes(Array.from({ length: 9 }, (_, n) => `7 of alice, ${n}`));
    await sync(alice);
    const { restored } = await sync(bob);
    assert.deepEqual([restored.again, restored.hasSeq < restored.hadSeq], [3, true]);
    for (const one of [alice, bob]) assert.equal((await sync(one)).restored, null, one.login);

    const bodies = await team.query("SELECT body FROM conclaude.log WHERE body IS NOT NULL");
    const there = bodies.map(({ body }) => JSON.parse(body));
    const titles = there.flatMap(({ kind, title }) => kind === "note" ? [title] : []).sort();
    const left = await notesOf(alice);
    assert.equal(left.length, 14);
    assert.ok(!left.some((title) => title.startsWith("2")));
    assert.deepEqual(titles, left, "the server has everything once, and not what was forgotten");
    assert.deepEqual(await notesOf(bob), left);
    for (const one of [alice, bob]) {
      assert.equal((await one.json(["task", "show", task.id])).task.priority, 0, one.login);
      assert.deepEqual((await one.json(["team", "held"])).held, [], one.login);
      assert.equal((await one.json(["team", "verify"])).ok, true, one.login);
      assert.doesNotMatch((await one.run(["team", "status"])).stdout, told, one.login);
    }
    const [{ dense }] = await team.query(
      "SELECT max(seq) = count(*) AND min(seq) = 1 AS dense FROM conclaude.log",
    );
    assert.equal(dense, true);
  },
);

teamTest(
  "a machine whose last rows alone are lost sends them again",
  async ({ team, alice, bob }) => {
    await alice.join();
    await bob.join();
    await sync(alice);
    const restore = await team.backup();
    await alice.notes(["acknowledged, and lost"]);
    // The push is the last that it does: it has not read its own row yet.
    assert.equal((await sync(alice)).sent, 1);
    await restore();
    await alice.notes(["written since"]);
    const { sent, restored } = await sync(alice);
    assert.deepEqual([sent, restored.again], [2, 1]);
    await sync(bob);
    assert.deepEqual(await notesOf(bob), ["acknowledged, and lost", "written since"]);
  },
);

teamTest(
  "a claim that a restored server has lost is told to it again",
  async ({ team, alice, bob }) => {
    await alice.join();
    await bob.join();
    const { task: { id } } = await alice.json(["task", "create", "--title", "Count the tea"]);
    for (const one of [alice, bob]) await sync(one);
    const restore = await team.backup();
    await alice.json(["task", "claim", id, "--agent-id", "a1"]);
    await sync(alice);
    await restore();
    for (let pass = 0; pass < 2; pass++) await sync(alice);
    const { code, stdout } = await bob.run(["--json", "task", "claim", id, "--agent-id", "b1"]);
    assert.equal(code, 12, stdout);
    assert.match(stdout, /"a1\\" of alice has claimed it/);
    await alice.json(["task", "complete", id, "--agent-id", "a1"]);
  },
);

/** Restores a machine that has sent a note since its backup, and writes another one. */
async function restoreMachine(alice: TeamMachine, bob: TeamMachine): Promise<void> {
  await alice.join();
  await bob.join();
  await sync(alice);
  const restore = await alice.backup();
  await alice.notes(["written before the restore"]);
  for (const one of [alice, bob]) await sync(one);
  restore();
  await alice.notes(["written after it"]);
}

teamTest(
  "a restored machine that pushes while it pulls keeps what it wrote before and after",
  async ({ team, alice, bob }) => {
    await restoreMachine(alice, bob);
    // The pull has its answer only after the push has given the same number anew.
    const locked = team.query(
      "BEGIN; LOCK TABLE conclaude.log IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(3); COMMIT",
    );
    await sync(alice);
    await locked;
    await sync(bob);
    const all = ["written after it", "written before the restore"];
    for (const one of [alice, bob]) assert.deepEqual(await notesOf(one), all, one.login);
  },
);

teamTest(
  "a restored machine is not a restored server",
  async ({ alice, bob }) => {
    await restoreMachine(alice, bob);
    const { restored } = await sync(alice);
    assert.equal(restored, null);
    await sync(bob);
    const all = ["written after it", "written before the restore"];
    for (const one of [alice, bob]) assert.deepEqual(await notesOf(one), all, one.login);
    const { machines } = await bob.json(["team", "members"]);
    const [heir] = machines.filter(({ author, heir }: Record<string, string>) =>
      author === "alice" && heir === null
    );
    assert.equal(
      machines.find(({ heir }: { heir: string | null }) => heir !== null).heir,
      heir.origin,
    );
  },
);
