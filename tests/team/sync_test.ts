import assert from "node:assert/strict";
import { isLogLong } from "../../src/db/database.ts";
import { teamTest } from "./support/team_machine.ts";
import { seededRandom } from "../support/tool_uses.ts";

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

teamTest(
  "much that was there before is taken in by short pages, and leaves no long log to hooks",
  async ({ server, alice, bob }) => {
    await alice.notes(Array.from({ length: 2_100 }, (_, n) => `Fact ${n}.`));
    const random = seededRandom(3);
    const long = () => Array.from({ length: 9_000 }, () => Math.floor(random() * 1e6)).join(" ");
    await alice.notes(Array.from({ length: 80 }, long));
    await alice.join();
    const before = Deno.readTextFileSync(server.logFile).length;
    await bob.join();
    for (const { database, login } of [alice, bob]) assert.ok(!isLogLong(database), login);
    const all = "SELECT count(*) AS n, sum(length(text)) AS chars FROM observations";
    const [theirs, ours] = await Promise.all(
      [alice, bob].map((one) => one.using((db) => db.prepare(all).get())),
    );
    assert.deepEqual(ours, theirs);
    const said = Deno.readTextFileSync(server.logFile).slice(before);
    const pages = said.match(/ LOG: .*SELECT h\.seq AS head/g)!.length;
    // Five for their number, and some for their length.
    assert.ok(pages > 5 + 2 && pages < 20, `${pages} pages`);
  },
);
