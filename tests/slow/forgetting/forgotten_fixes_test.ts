/** A failure whose fix was forgotten: it is over, and names nothing that is gone. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { query, queryValue } from "../../support/look.ts";
import { change, printed as run } from "../../support/on_home.ts";
import {
  edit,
  failed,
  ran,
  said,
  start,
  type Workplace,
  workplace,
} from "../../support/told_sessions.ts";

/** A failure, and the fix that mended it. */
async function mended(at: Workplace): Promise<{ failure: number; fix: number }> {
  await failed(at, "pytest", "Exit code 1\nFAILED test_a.py::test_alpha - KeyError: user");
  await edit(at, "src/user.py", "user = 1\n");
  await ran(at, "pytest", "3 passed in 0.1s");
  await said(at, "It passes.");
  const [row] = query(
    at,
    "SELECT id AS failure, resolved_by AS fix FROM observations WHERE outcome = 'failure'",
  );
  assert.ok(Number(row!["fix"]) > 0);
  return { failure: Number(row!["failure"]), fix: Number(row!["fix"]) };
}

async function toldOf(at: Workplace, failure: number): Promise<string[]> {
  const shown = await run(at, at.project, "memory", "show", String(failure));
  const found = await run(at, at.project, "memory", "search", "test_alpha");
  return [shown, found].map((text) => /not mended|mended(?: by #\d+)?/.exec(text)![0]);
}

Deno.test("a failure whose fix was forgotten stays closed, with no number for its fix, here and where it is imported", async () => {
  using at = await workplace();
  using other = await workplace();
  const { failure, fix } = await mended(at);
  assert.deepEqual(await toldOf(at, failure), Array(2).fill(`mended by #${fix}`));
  const before = join(at.path, "before.jsonl");
  const after = join(at.path, "after.jsonl");
  await run(at, at.project, "export", "--output", before);
  const forgot = await run(at, at.project, "memory", "forget", String(fix), "--yes");
  assert.match(
    forgot,
    new RegExp(`^Observations that stay tell some of the same: #${failure}, #\\d+\\.$`, "m"),
  );
  assert.deepEqual(await toldOf(at, failure), ["mended", "mended"]);
  assert.equal(queryValue(at, "SELECT resolved_by FROM observations WHERE id = ?", failure), 0);
  assert.doesNotMatch(await start(at), /Left open/);
  await run(at, at.project, "export", "--output", after);
  await run(other, other.project, "import", after);
  assert.deepEqual(await toldOf(other, failure), ["mended", "mended"]);
  for (const lost of ["SELECT 1", "DELETE FROM observations WHERE outcome = 'failure'"]) {
    change(at, lost);
    await run(at, at.project, "import", before);
    assert.deepEqual(await toldOf(at, failure), ["mended", "mended"]);
  }
});
