/** Letters with more than two forms are forgotten in each of them. */
import assert from "node:assert/strict";
import { jsonOf, tempHome } from "../../support/program.ts";
import { run } from "../../support/verb.ts";

Deno.test("a text in capitals is forgotten where it ends in a final sigma, or begins with a dotted i", async () => {
  using home = tempHome();
  for (const text of ["The plan of σας begins", "A flight to i̇stanbul today", "The plan of σαν"]) {
    assert.equal((await run(home, "memory", "remember", text)).code, 0);
  }
  for (const text of ["ΣΑΣ", "İstanbul"]) {
    const { left, receipt } = jsonOf(
      await run(home, "memory", "forget", "--text", text, "--yes", "--json"),
    );
    assert.deepEqual([left, receipt.removed.observations], [[], 1], text);
  }
  const bytes = Deno.readTextFileSync(home.database);
  for (const text of ["σας", "i̇stanbul"]) assert.ok(!bytes.includes(text), text);
  assert.match((await run(home, "memory", "search", "plan")).stdout, /The plan of σαν/);
});
