/** The aliases in git's configuration files. */
import assert from "node:assert/strict";
import { foreignVerbs } from "../../src/policy/shell/git_verbs.ts";
import { aliasesIn, settingsIn } from "../../src/system/git/configured_aliases.ts";
import ALIASES from "../testdata/aliases.gitconfig" with { type: "text" };
import CASES from "../testdata/system_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

Deno.test("aliasesIn() reads the section of aliases as git does", () => {
  assert.deepEqual(Object.fromEntries(aliasesIn(settingsIn(ALIASES))), {
    ci: "commit",
    st: "status\t-sb",
    q: 'log --format="%h #"',
    two: "log -1",
    b: "a\\b\tc",
    one: "status",
  });
  assert.equal(aliasesIn(settingsIn("")).size, 0);
});

Deno.test("foreignVerbs() names what git would look for among its aliases", () => {
  const told = rowsOf<readonly [string, readonly (string | null)[]]>(CASES.aliases);
  for (const [command, verbs] of told) assert.deepEqual(foreignVerbs(command), verbs, command);
});
