/** The tables by which changes are judged, each row by its own example and counterexample. */
import assert from "node:assert/strict";
import OWNERS from "../../src/policy/effects/owners.json" with { type: "json" };
import { isOwned, mentions } from "../../src/policy/effects/compare.ts";
import { isSameState } from "../../src/policy/effects/file_state.ts";
import { RISKY_KEYS, riskyLines } from "../../src/policy/effects/policy_change.ts";
import CASES from "../testdata/policy_cases.json" with { type: "json" };

Deno.test("a lock file is written by its package manager, and by no other program", () => {
  for (const { files, by, example, counterexample } of OWNERS) {
    for (const file of files.split(" ")) {
      assert.ok(isOwned(`/p/a/${file}`, [example]), `${file} by ${example}`);
      assert.ok(isOwned(`/p/${file}`, [`/usr/bin/${by.split(" ")[0]} install x`]), file);
      assert.equal(isOwned(`/p/${file}`, [counterexample]), false, `${file} by ${counterexample}`);
      assert.equal(isOwned(`/p/x${file}`, [example]), false, file);
    }
  }
});

Deno.test("a line of git's settings is risky where it runs something or sends commits elsewhere", () => {
  for (const { pattern, example, counterexample } of RISKY_KEYS) {
    assert.match(example, pattern);
    assert.ok(RISKY_KEYS.every(({ pattern }) => !pattern.test(counterexample)), counterexample);
  }
  assert.deepEqual(
    riskyLines(
      '[core]\n\tbare = false\n\thooksPath = /dev/null\n[branch "main"]\n\tremote = o\n[alias]\n\ts = status\n\tp = !git push -f\n' +
        '[remote "o"]\n\turl = x\n\tpush = +refs/heads/*\n',
    ),
    CASES.riskySettings,
  );
});

Deno.test("another name for a file is no change of it, everything else is", () => {
  const state = "3 100 7 33188 1 2000";
  assert.ok(isSameState(state, "3 100 7 33188 2 3000"));
  for (const other of CASES.otherStamps) {
    assert.equal(isSameState(state, other), false, other);
  }
});

Deno.test("a command speaks of a file by its name, its ending or a folder above it", () => {
  const path = "/home/ana/p/src/generated/api.ts";
  for (const command of ["rm api.ts", "rm -r generated", "sed -i s/a/b/ src/g*/*.ts"]) {
    assert.ok(mentions(command, path), command);
  }
  for (const command of ["npm test", "ls"]) assert.equal(mentions(command, path), false, command);
});
