import assert from "node:assert/strict";
import { needsPostgres, postgres } from "../support/postgres.ts";
import { testWhere } from "../support/requirements.ts";
import { machine, setUpTeam } from "../support/team_machine.ts";

testWhere(needsPostgres(), "what one machine wrote, another one of the team finds", async () => {
  const server = await postgres();
  const team = await server.database();
  await setUpTeam(team, ["alice", "bob"], server);
  using alice = machine("alice", team);
  using bob = machine("bob", team);
  await alice.notes(["Zanzibar holds the ledger."]);
  const joined = await alice.join();
  assert.equal(joined.sent, 1);
  await bob.join();
  const found = await bob.json(["memory", "search", "zanzibar"]);
  assert.match(JSON.stringify(found), /Zanzibar holds the ledger/);
  const verified = await bob.json(["team", "verify"]);
  assert.equal(verified.ok, true);
});
