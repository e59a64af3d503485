import assert from "node:assert/strict";
import { join } from "node:path";
import { filesBelow } from "../support/look.ts";
import { needsPostgres, postgres, type TeamDatabase } from "./support/postgres.ts";
import { testWhere } from "../support/requirements.ts";
import { makeTask } from "../support/tasks.ts";
import { machine, setUpTeam, type TeamMachine } from "./support/team_machine.ts";

const WORD = "Xylophone";

testWhere(
  needsPostgres(),
  "a forgotten text is in no byte of any machine or of the server's tables once each has synced",
  async () => {
    const server = await postgres();
    const team = await server.database();
    await setUpTeam(team, ["alice", "bob", "carol"], server);
    using alice = machine("alice", team);
    using bob = machine("bob", team);
    using carol = machine("carol", team);
    using late = machine("carol", team);
    for (const one of [alice, bob, carol]) await one.join();
    const [uid] = await alice.notes([`The ${WORD} plan is secret.`, "The ledger stays."]);
    const task = await alice.using((db) =>
      makeTask(db, {
        title: `Tune the ${WORD}`,
        repository: alice.project,
        tags: [WORD.toLowerCase()],
      }).id
    );
    await alice.json(["task", "update", task, "--title", `Tune the ${WORD} again`]);
    await alice.json(["team", "sync"]);
    for (const one of [bob, carol]) {
      await one.json(["team", "sync"]);
      await one.json(["db", "backup"]);
      assert.ok(holding(one).length > 0, "it has arrived");
    }
    const old = join(bob.home, "..", `old-${bob.login}-${Date.now()}.jsonl`);
    await bob.json(["export", "--output", old]);

    const { receipt } = await alice.json(["memory", "forget", "--text", WORD, "--yes"]);
    await alice.json(["team", "sync"]);
    const waits = async () =>
      (await alice.json(["memory", "verify", receipt.id])).notForgotten
        .map(({ author }: { readonly author: string }) => author);
    assert.deepEqual(await waits(), ["bob", "carol"]);
    const { stdout } = await bob.run(["team", "sync"]);
    assert.match(stdout, /forgotten here: 2 rows, which alice forgot just now/);
    const { projects: [told] } = await bob.json(["team", "status"]);
    assert.deepEqual(
      told.forgot.map(({ author, rows }: Record<string, unknown>) => [author, rows]),
      [
        ["alice", 2],
      ],
    );
    await alice.json(["team", "sync"]);
    assert.deepEqual(await waits(), ["carol"]);
    const { projects: [status] } = await alice.json(["team", "status"]);
    assert.equal(status.notForgotten[0].author, "carol");
    assert.match(
      (await alice.run(["team", "status"])).stdout,
      /carol's machine \w{8} has yet to forget/,
    );
    await carol.json(["team", "sync"]);
    await alice.json(["team", "sync"]);
    assert.deepEqual(await waits(), []);
    // Whoever never had it has nothing to forget.
    assert.deepEqual((await late.join()).forgot, []);

    for (const one of [alice, bob, carol, late]) assert.deepEqual(holding(one), [], one.login);
    assert.deepEqual(await tablesHolding(team), []);
    for (const one of [alice, bob, carol, late]) {
      const left = await one.using((db) => ({
        notes: db.prepare("SELECT title FROM observations WHERE kind = 'note'").all().map((
          { title },
        ) => title),
        tasks: db.prepare("SELECT id FROM tasks").all().map(({ id }) => id),
      }));
      assert.deepEqual(left, { notes: ["The ledger stays."], tasks: [task] }, one.login);
      assert.equal((await one.json(["team", "verify"])).ok, true);
    }

    // An old export brings nothing back, neither here nor to the others.
    await bob.run(["import", old]);
    await bob.json(["team", "sync"]);
    await alice.json(["team", "sync"]);
    Deno.removeSync(old);
    for (const one of [alice, bob]) {
      assert.deepEqual(
        holding(one),
        [],
        `${one.login} after the import`,
      );
    }
    assert.deepEqual(await tablesHolding(team), []);
    // Nor does a member who pushes it again.
    const [{ refused }] = await team.query(
      `SELECT refused FROM conclaude.push((SELECT project FROM conclaude.head),
       (SELECT origin FROM conclaude.seen WHERE author = 'bob'), $1)`,
      [JSON.stringify([{
        n: 900,
        kind: "note",
        uid,
        op: "put",
        digest: "0".repeat(32),
        body: "{}",
      }])],
      "bob",
    );
    assert.equal(refused, "forgotten");
  },
);

/** The files of a machine with the word in either case. */
function holding({ home }: TeamMachine): string[] {
  const word = new RegExp(WORD, "i");
  return filesBelow(home).filter((path) =>
    word.test(new TextDecoder("latin1").decode(Deno.readFileSync(path)))
  );
}

async function tablesHolding(team: TeamDatabase): Promise<string[]> {
  const found = [];
  for (const table of ["head", "member", "seen", "log", "claim", "forgotten"]) {
    const rows = await team.query(
      `SELECT 1 FROM conclaude.${table} t WHERE t::text ILIKE '%${WORD}%'`,
    );
    if (rows.length > 0) found.push(table);
  }
  return found;
}
