import assert from "node:assert/strict";
import { teamTest } from "../support/team_machine.ts";

teamTest("what one machine wrote, another one of the team finds", async ({ alice, bob }) => {
  await alice.notes(["Zanzibar holds the ledger."]);
  const joined = await alice.join();
  assert.equal(joined.sent, 1);
  await bob.join();
  const found = await bob.json(["memory", "search", "zanzibar"]);
  assert.match(JSON.stringify(found), /Zanzibar holds the ledger/);
  const verified = await bob.json(["team", "verify"]);
  assert.equal(verified.ok, true);
});
