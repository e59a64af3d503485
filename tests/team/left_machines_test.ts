/** Machines that left: nobody waits for them, and what they may keep is named. */
import assert from "node:assert/strict";
import { type TeamMachine, teamTest } from "./support/team_machine.ts";

async function sync(...machines: readonly TeamMachine[]): Promise<void> {
  for (const one of machines) await one.json(["team", "sync"]);
}

/** Forgets a text on a machine, and says whose machines the receipt waits for, and which are out of reach. */
async function forget(at: TeamMachine, text: string) {
  const { receipt } = await at.json(["memory", "forget", "--text", text, "--yes"]);
  await sync(at);
  return await receiptOf(at, receipt.id);
}

async function receiptOf(at: TeamMachine, id: string) {
  const { notForgotten, outOfReach } = await at.json(["memory", "verify", id]);
  const authors = (machines: readonly { readonly author: string }[]) =>
    machines.map(({ author }) => author);
  const { stdout } = await at.run(["memory", "verify", id]);
  return { waits: authors(notForgotten), out: authors(outOfReach), stdout, id };
}

teamTest(
  "a machine that left is out of reach for what it had, and for nothing later",
  async ({ alice, bob }) => {
    await alice.join();
    await bob.join();
    await alice.notes(["Xylophone"]);
    await sync(alice, bob);
    assert.equal((await bob.json(["team", "leave", "--yes"])).isTold, true);
    const had = await forget(alice, "Xylophone");
    assert.deepEqual([had.waits, had.out], [[], ["bob"]]);
    assert.match(had.stdout, /bob's machine \w{8} left .*out of reach/);
    assert.match((await alice.run(["team", "status"])).stdout, /bob's machine \w{8} left/);
    assert.match((await alice.run(["team", "members"])).stdout, /bob .*left just now/);

    await alice.notes(["Zither"]);
    await sync(alice);
    const later = await forget(alice, "Zither");
    assert.deepEqual([later.waits, later.out], [[], []]);

    // Under a new name it is another machine, and has forgotten as soon as it has read.
    await bob.join();
    await alice.notes(["Mandolin"]);
    await sync(alice, bob);
    const again = await forget(alice, "Mandolin");
    assert.deepEqual([again.waits, again.out], [["bob"], []]);
    await sync(bob, alice);
    assert.deepEqual((await receiptOf(alice, again.id)).waits, []);
  },
);

teamTest(
  "a machine that left without the server, or is lost, is named by its person, and is back when it syncs",
  async ({ team, alice, bob }) => {
    await alice.join();
    const { origin } = await bob.join();
    await alice.notes(["Xylophone"]);
    await sync(alice, bob);
    const had = await forget(alice, "Xylophone");
    assert.deepEqual([had.waits, had.out], [["bob"], []]);
    const machine = origin.slice(-8);
    const refused = await alice.run(["team", "members", "--gone", machine]);
    assert.match(refused.stderr, /it is bob's, who alone can say so/);

    const restore = await bob.backup();
    await bob.using((db) => {
      db.exec(
        "UPDATE team_projects SET way = json_set(way, '$.address', 'postgres://bob@127.0.0.1:1/t')",
      );
    });
    const left = await bob.run(["team", "leave", "--yes"]);
    assert.match(
      left.stdout,
      new RegExp(`The server was not told: .*members --gone ${machine} `, "s"),
    );
    await bob.json([
      ...["team", "members", "--gone", machine, "--name", "git.example.org/team/shop"],
      ...[bob.address, "--password-file", `${bob.home}/password`],
    ]);
    await sync(alice);
    const gone = await receiptOf(alice, had.id);
    assert.deepEqual([gone.waits, gone.out], [[], ["bob"]]);

    // Its database is found again.
    restore();
    await sync(bob);
    await alice.notes(["Zither"]);
    await sync(alice);
    const back = await receiptOf(alice, had.id);
    assert.deepEqual([back.waits, back.out], [[], []]);
    const [row] = await team.query("SELECT left_seq FROM conclaude.seen WHERE author = 'bob'");
    assert.equal(row.left_seq, null);
  },
);

teamTest(
  "a machine whose database was restored is waited for under its new name alone",
  async ({ alice, bob }) => {
    await alice.join();
    await bob.join();
    const restore = await bob.backup();
    await alice.notes(["Xylophone"]);
    await bob.notes(["Zither"]);
    await sync(alice, bob, alice);
    restore();
    await sync(bob);
    const had = await forget(alice, "Xylophone");
    assert.deepEqual([had.waits, had.out], [["bob"], ["bob"]]);
    assert.match(had.stdout, /goes on as \w{8} since .*restored or copied/);
    await sync(bob, alice);
    assert.deepEqual((await receiptOf(alice, had.id)).waits, []);
  },
);
