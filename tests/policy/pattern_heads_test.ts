/** A pattern of a table is tried only on texts that begin with its first words. */
import assert from "node:assert/strict";
import { headOf, matchesWithHead } from "../../src/policy/shell/rows.ts";

Deno.test("a pattern has first words where every text that it matches begins with them", () => {
  const heads = [
    /^git push /,
    /^git pushe? /,
    /^rm(?=.* -r) /,
    /^mkfs(?:\.\w+)? /,
    /^gits? /,
    /^a*b/,
    /push/,
  ];
  assert.deepEqual(heads.map(headOf), ["git push", "git", "rm", "mkfs", "", "", ""]);
});

Deno.test("a text without a pattern's first words does not match, and a pattern without one is tried on all", () => {
  assert.equal(matchesWithHead(/^git push /, "git push origin"), true);
  assert.equal(matchesWithHead(/^git push /, "npm push origin"), false);
  assert.equal(matchesWithHead(/^git push /, "git pull origin"), false);
  assert.equal(matchesWithHead(/^gits? /, "git push"), true);
});
