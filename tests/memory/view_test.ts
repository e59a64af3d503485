import assert from "node:assert/strict";
import { outcomeWord } from "../../src/memory/search/observation_view.ts";

Deno.test("a failure is shown as mended, with what mended it, or as not mended", () => {
  const title = "`make` failed (exit 2)";
  const failed = { kind: "failure", outcome: "failure", resolvedBy: null, title } as const;
  assert.equal(outcomeWord(failed), "not mended");
  assert.equal(outcomeWord({ ...failed, kind: "test" }), "not mended");
  assert.equal(outcomeWord({ ...failed, resolvedBy: 7 }), "mended by #7");
  assert.equal(outcomeWord({ ...failed, resolvedBy: 0 }), "mended");
  const nothing = "`git commit -m x` failed (exit 1): nothing to commit, working tree clean";
  assert.equal(outcomeWord({ ...failed, title: nothing }), "");
  // A plan that was refused has failed at nothing.
  assert.equal(outcomeWord({ ...failed, kind: "decision" }), "");
  assert.equal(outcomeWord({ ...failed, outcome: "success" }), "");
  assert.equal(outcomeWord({ ...failed, kind: "decision", outcome: null }), "");
  assert.equal(
    outcomeWord({ ...failed, kind: "decision", outcome: null, resolvedBy: 7 }),
    "superseded by #7",
  );
});
