import assert from "node:assert/strict";
import fc from "fast-check";
import { branchName } from "../../src/work/engine/work_folder.ts";

Deno.test("branchName() keeps an id that is plain, and replaces what git refuses", () => {
  assert.equal(branchName("task-12.3"), "conclaude/task-12.3");
  assert.equal(branchName("a b..c~d^e:f?g*h[i\\j"), "conclaude/a-b-c-d-e-f-g-h-i-j");
  assert.equal(branchName("t1", "Fix: the (login) bug!"), "conclaude/t1-fix-the-login-bug");
  assert.equal(branchName("-.x.lock"), "conclaude/x");
  assert.equal(branchName(""), "conclaude/task");
});

Deno.test("branchName() is a valid name of a branch whatever the id is", async () => {
  const pieces = fc.constantFrom(
    ...[" ", "..", "~", "^", ":", "?", "*", "[", "\\", "/", "@", "{", ".lock", "-", "a", "é", "\n"],
  );
  const ids = fc.sample(fc.array(pieces, { maxLength: 9 }), { numRuns: 60, seed: 3 });
  for (const id of [...ids.map((all) => all.join("")), "x".repeat(500)]) {
    const { success } = await new Deno.Command("git", {
      args: ["check-ref-format", "--branch", branchName(id, id)],
      stdout: "null",
      stderr: "null",
    }).output();
    assert.ok(success, JSON.stringify([id, branchName(id, id)]));
  }
});
