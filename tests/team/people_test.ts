/** What people of a team rely on: what is refused, what wins, and what is not sent. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { needsPostgres, postgres } from "../support/postgres.ts";
import { testWhere } from "../support/requirements.ts";
import {
  machine,
  passwordOf,
  PROJECT_NAME,
  setUpTeam,
  type TeamMachine,
} from "../support/team_machine.ts";
import { saveObservation } from "../../src/memory/drain/observations_table.ts";

function teamTest(
  name: string,
  work: (
    alice: TeamMachine,
    bob: TeamMachine,
    team: Awaited<ReturnType<Awaited<ReturnType<typeof postgres>>["database"]>>,
  ) => Promise<void>,
): void {
  testWhere(needsPostgres(), name, async () => {
    const server = await postgres();
    const team = await server.database();
    await setUpTeam(team, ["alice", "bob"], server);
    using alice = machine("alice", team);
    using bob = machine("bob", team);
    await alice.join();
    await bob.join();
    await work(alice, bob, team);
  });
}

teamTest("a delete wins over a change that arrived before it", async (alice, bob) => {
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

teamTest("a summary is sent without the prompts that it quotes", async (alice) => {
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

teamTest("the preview shows a requirement that the next sync sends", async (alice, bob) => {
  const file = join(alice.clone, ".conclaude.yaml");
  Deno.writeTextFileSync(file, "requirements: {plan: {message: 'Plan first'}}\n");
  const { batches: [{ bytes }] } = await alice.json(["team", "preview"]);
  assert.match(bytes, /requirement.*Plan first/);
  await alice.json(["team", "sync"]);
  await bob.json(["team", "sync"]);
  const { requirements: [plan] } = await bob.json(["team", "rules"]);
  assert.deepEqual([plan.name, plan.author], ["plan", "alice"]);
});

teamTest("a login that nobody has made is not let in", async (alice) => {
  for (const login of ["nobody7", "conclaude_member"]) {
    const { code, stderr } = await alice.run(["team", "members", "--add", login]);
    assert.equal(code, 1);
    assert.match(stderr, /Cannot let .* in\n.*nothing was changed/);
  }
  const { members } = await alice.json(["team", "members"]);
  assert.deepEqual(members.map(({ login }: { login: string }) => login), ["alice", "bob"]);
});

teamTest(
  "a database that a newer program has set up is not set up anew",
  async (alice, _, team) => {
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
