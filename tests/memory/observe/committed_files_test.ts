/** The files of a commit. */
import assert from "node:assert/strict";
import { committedFiles } from "../../../src/memory/observe/observe_commit.ts";
import { ran } from "../../support/commands_observed.ts";

Deno.test("a commit has the files that git names as new, gone, renamed or rewritten", () => {
  const output = "[main 1a2b3c4] Move it\n 4 files changed, 3 insertions(+)\n" +
    " create mode 100644 src/new.ts\n delete mode 100755 bin/old\n" +
    " rename src/{a.ts => b.ts} (90%)\n rename x.md => docs/x.md (100%)\n rewrite big.json (71%)\n" +
    ' create mode 100644 "\\303\\244.txt"';
  const told = ran("git commit -am 'Move it'", output);
  assert.equal(told.kind, "commit");
  assert.deepEqual(told.files.map(({ path }) => path), [
    "src/new.ts",
    "bin/old",
    "src/a.ts",
    "src/b.ts",
    "x.md",
    "docs/x.md",
    "big.json",
    "ä.txt",
  ]);
  assert.deepEqual(committedFiles("rename {a => b}/c.ts"), []);
  assert.deepEqual(committedFiles(" rename {a => b}/c.ts (99%)"), ["a/c.ts", "b/c.ts"]);
  assert.deepEqual(ran("git commit -qm x", "").files, []);
});

Deno.test("of two commits in one command the files are nobody's", () => {
  const two = "[main 1a2b3c4] a\n create mode 100644 a\n[main 2b3c4d5] b\n create mode 100644 b";
  const told = ran("git commit -m a a && git commit -m b b", two);
  assert.deepEqual([told.files, told.besides?.files], [[], []]);
});
