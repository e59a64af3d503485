/** What people of a team rely on: what is refused, what wins, and what is not sent. */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  machine,
  passwordOf,
  PROJECT_NAME,
  teamTest,
  type TwoMachines,
} from "./support/team_machine.ts";
import { saveObservation } from "../../src/memory/drain/observations_table.ts";

function sharingTest(name: string, body: (two: TwoMachines) => Promise<void>): void {
  teamTest(name, async (two) => {
    await two.alice.join();
    await two.bob.join();
    await body(two);
  });
}

sharingTest("a delete wins over a change that arrived before it", async ({ alice, bob }) => {
  const { task } = await alice.json(["task", "create", "--title", "Paint the door"]);
  await alice.json(["team", "sync"]);
  await bob.json(["team", "sync"]);
  await bob.json(["task", "update", task.id, "--priority", "1"]);
  await bob.json(["team", "sync"]);
  await alice.json(["task", "delete", task.id]);
  await alice.json(["team", "sync"]);
  await bob.json(["team", "sync"]);
  for (const one of [alice, bob]) {
    assert.deepEqual((await one.json(["task", "list"])).tasks, [], one.login);
    assert.deepEqual((await one.json(["team", "held"])).held, [], one.login);
  }
});

sharingTest("a summary is sent without the prompts that it quotes", async ({ alice }) => {
  await alice.using((db) =>
    saveObservation(db, {
      ...{ uid: "summary/s", sessionId: "s", project: alice.project, branch: "main" },
      ...{ kind: "summary", outcome: null, title: "Session: a door", terms: "", files: [] },
      ...{ text: "Asked:\n- The Numbat door\n  is stuck\nDone:\n- oiled it\nLast: It opens." },
      ...{ facts: {}, sameAs: null, atMs: 1_000 },
    })
  );
  const { batches: [{ bytes }] } = await alice.json(["team", "preview"]);
  assert.match(bytes, /Done:.*oiled it.*Last: It opens/);
  assert.doesNotMatch(bytes, /Numbat/);
});

sharingTest("the preview shows a requirement that the next sync sends", async ({ alice, bob }) => {
  const file = join(alice.clone, ".conclaude.yaml");
  Deno.writeTextFileSync(file, "requirements: {plan: {message: 'Plan first'}}\n");
  const { batches: [{ bytes }] } = await alice.json(["team", "preview"]);
  assert.match(bytes, /requirement.*Plan first/);
  await alice.json(["team", "sync"]);
  await bob.json(["team", "sync"]);
  const { requirements: [plan] } = await bob.json(["team", "rules"]);
  assert.deepEqual([plan.name, plan.author], ["plan", "alice"]);
});

sharingTest("a login that nobody has made is not let in", async ({ alice }) => {
  for (const login of ["nobody7", "conclaude_member"]) {
    const { code, stderr } = await alice.run(["team", "members", "--add", login]);
    assert.equal(code, 1);
    assert.match(stderr, /Cannot let .* in\n.*nothing was changed/);
  }
  const { members } = await alice.json(["team", "members"]);
  assert.deepEqual(members.map(({ login }: { login: string }) => login), ["alice", "bob"]);
});

sharingTest(
  "a row that may hold a secret is held, and the rest goes on",
  async ({ alice, team }) => {
    const key = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    const [held, sent] = await alice.notes([`The disk opens with key=${key}`, "The disk is full."]);
    const { projects: [report] } = await alice.json(["team", "sync"]);
    assert.equal(report.sent, 1);
    const there = async () =>
      (await team.query("SELECT uid FROM conclaude.log ORDER BY seq")).map(({ uid }) => uid);
    assert.deepEqual(await there(), [sent]);
    assert.match(
      (await alice.run(["team", "held"])).stdout,
      /^secret {2}note \S+\n {2}"9f86…" may be the beginning of a secret/,
    );
    await alice.json(["team", "held", held!, "--send"]);
    await alice.json(["team", "sync"]);
    assert.deepEqual(await there(), [sent, held]);
  },
);

teamTest("what a join needs stays in the command that a refusal proposes", async (two) => {
  const { alice, server } = two;
  const given = ["--ca", server.caFile, "--name", "the tea shop", ...passwordOf(alice)];
  const { code, stderr } = await alice.run(["team", "join", alice.address, ...given]);
  assert.equal(code, 2);
  const [, next = ""] = /next: (conclaude team join .*)/.exec(stderr) ?? [];
  assert.match(next, /--name 'the tea shop'.* --yes$/);
  const words = next.match(/'[^']*'|\S+/g)!.map((word) => word.replaceAll("'", "")).slice(1);
  assert.equal((await alice.json(words)).name, "the tea shop");
});

teamTest("the address in a project's file names no login; the join does", async (two) => {
  const { alice } = two;
  const file = join(alice.clone, ".conclaude.yaml");
  const write = (address: string) =>
    Deno.writeTextFileSync(file, `team: {address: "${address}"}\n`);
  const joining = ["team", "join", ...passwordOf(alice), "--yes"];
  for (const secret of ["alice@", "alice:hunter2x9@"]) {
    write(alice.address.replace("alice@", secret));
    for (const verb of [joining, ["config", "validate"]]) {
      const { code, stdout, stderr } = await alice.run(verb);
      assert.notEqual(code, 0, verb.join(" "));
      assert.match(stdout + stderr, /holds a login or a password.*--login LOGIN.*\.pgpass/s);
      assert.doesNotMatch(stdout + stderr, /hunter2x9/);
    }
  }
  write(alice.address.replace("alice@", ""));
  const { code, stderr } = await alice.run(joining);
  assert.equal(code, 2);
  assert.match(stderr, /it names no login.*--login LOGIN/s);
  assert.equal((await alice.json([...joining, "--login", "alice"])).name, PROJECT_NAME);
});

sharingTest(
  "a database that a newer program has set up is not set up anew",
  async ({ alice, team }) => {
    const owner = machine(team.owner, team);
    await team.query(
      "CREATE OR REPLACE FUNCTION conclaude.version() RETURNS int LANGUAGE sql AS 'SELECT 999'",
    );
    const init = ["team", "init", team.address(team.owner), ...passwordOf(owner)];
    const { code, stderr } = await owner.run(init);
    assert.equal(code, 1);
    assert.match(stderr, /a newer conclaude has set it up/);
    await alice.notes(["kept for later"]);
    const [report] = (await alice.json(["team", "sync"])).projects;
    assert.match(report.notSent, /newer conclaude/);
    assert.equal(report.name, PROJECT_NAME);
    owner[Symbol.dispose]();
  },
);
