/** What is said of a failure goes with it: where that has passed since, nobody is told that it still fails. */
import assert from "node:assert/strict";
import { type SummarizedPart, summarizeSession } from "../../../src/memory/session_summary.ts";

let last = 0;

function part(more: Partial<SummarizedPart> & Pick<SummarizedPart, "kind" | "title">) {
  const id = ++last;
  return {
    id,
    branch: "main",
    outcome: null,
    text: more.title,
    files: [],
    facts: {},
    resolvedBy: null,
    updatedAtMs: id,
    ...more,
  };
}
const ask = (title: string) => part({ kind: "prompt", title });
const say = (title: string) => part({ kind: "message", title });
const passed = () => part({ kind: "test", outcome: "success", title: "Tests pass: pytest -q" });
const fails = (title: string, by: SummarizedPart | number | null = null) =>
  part({
    kind: "test",
    outcome: "failure",
    title,
    facts: { command: "pytest -q", openRank: 0, of: title },
    resolvedBy: by === null || typeof by === "number" ? by : by.id,
  });
const TAX = "Tests fail: pytest -q (8 passed, 1 failed): tests/test_a.py::test_tax";
const LINT = "`npm run lint` failed: 1:1 error Unexpected var no-var";
const MIGRATION = "`npx prisma migrate deploy` failed: Error: P1001: Cannot reach database server";

/** What is left of what was said beside a failure, when a later turn has passed it. */
function leftOf(failure: string, said: string): readonly string[] {
  const pass = passed();
  const failed = fails(failure, pass);
  const parts = [ask("Rework a"), failed, say(said), ask("run it again"), pass, say("Flaky.")]
    .map((one, n) => ({ ...one, updatedAtMs: n }));
  return leftIn(parts);
}

function leftIn(parts: readonly SummarizedPart[]): readonly string[] {
  const { left = [] } = summarizeSession(parts)!.facts;
  return typeof left === "string" ? [left] : left.map(({ text }) => text);
}

Deno.test("what was said to fail is open no more once that has passed in the same session", () => {
  for (
    const [failure, said] of [
      [TAX, "test_tax still fails."],
      [TAX, "The tests still fail."],
      [TAX, "The build still fails."],
      [TAX, "The tests are not passing yet."],
      [LINT, "It does not build yet."],
      [TAX, "One test still fails: `test_tax`."],
      [LINT, "Lint still fails in a.js."],
      [MIGRATION, "The migration still fails, since the database is not running."],
    ] as const
  ) assert.deepEqual(leftOf(failure, said), [], said);
});

Deno.test("what fails besides is open still when something else has passed", () => {
  for (
    const [failure, said] of [
      [TAX, "The upload still fails in Safari."],
      [TAX, "The e2e tests still fail."],
      [TAX, "CI is still red."],
      [TAX, "The app does not start yet on Windows."],
      [LINT, "test_tax still fails."],
      [TAX, "test_tax has no docs yet: they still have to be written."],
    ] as const
  ) assert.deepEqual(leftOf(failure, said), [said], said);
});

Deno.test("what passed before it was said to fail, or fails in part, is open", () => {
  const said = "The tests still fail.";
  const before = passed();
  assert.deepEqual(leftIn([ask("Go"), fails(TAX, before), before, say(said)]), [said]);
  const pass = passed();
  const parts = [fails(TAX, pass), fails("Tests fail: pytest -q: test_b"), say(said), pass];
  assert.deepEqual(
    leftIn(parts.map((one, n) => ({ ...one, updatedAtMs: n }))),
    [said],
  );
});

Deno.test("what another session has mended is not in the summary of the one that left it", () => {
  const parts = [ask("Go"), fails(TAX, 1_000_000), say("Reworked. test_tax still fails.")];
  assert.deepEqual(leftIn(parts), []);
});
