/** What a command finds that works at another state of the files, or with other settings, says nothing of this one. */
import assert from "node:assert/strict";
import { failed, ran } from "../../support/commands_observed.ts";
import { assertLeftOpen, assertMended, leftOpen, type Mending } from "../../support/left_open.ts";

const BAD = "FAILED tests/t.py::a - assert 1 == 2\n1 failed, 4 passed in 0.12s";
const GOOD = "5 passed in 0.10s";
const JEST_BAD = "FAIL src/a.test.ts\n  ● adds\n\nTests: 1 failed, 4 passed, 5 total";
const JEST_GOOD = "Tests:       5 passed, 5 total";

const LEFT_OPEN: readonly Mending[] = [
  ["pytest", BAD, "git stash && pytest; git stash pop", `Saved\n${GOOD}\nDropped`],
  ["pytest", BAD, "git stash -u && pytest", GOOD],
  ["pytest", BAD, "git checkout -q other && pytest && git checkout -q main", GOOD],
  ["pytest", BAD, "git switch other; pytest", GOOD],
  ["pytest", BAD, "git worktree add ../x && cd ../x && pytest", GOOD],
  ["pytest", BAD, "git reset -q --hard HEAD~1 && pytest", GOOD],
  ["pytest", BAD, "git restore --source HEAD~1 . && pytest", GOOD],
  ["pytest", BAD, "git bisect start HEAD HEAD~4 && git bisect run pytest", GOOD],
  ["make", "a.c:3:5: error: x", "git stash && make", "cc a.c"],
  ["NODE_ENV=production npm test", JEST_BAD, "npm test", JEST_GOOD],
  ["npm test", JEST_BAD, "NODE_ENV=production npm test", JEST_GOOD],
  ["NODE_ENV=production npm test", JEST_BAD, "NODE_ENV=test npm test", JEST_GOOD],
  ["npm test", JEST_BAD, "env NODE_ENV=production npm test", JEST_GOOD],
  ["env TZ=UTC pytest", BAD, "pytest", GOOD],
  ["env DB=a make", "a.c:3:5: error: x", "make", "cc a.c"],
  ["npm test", JEST_BAD, "export NODE_ENV=production; npm test", JEST_GOOD],
  ["DB=a make", "a.c:3:5: error: x", "make", "cc a.c"],
  ["pushd a && npm test", JEST_BAD, "pushd b && npm test", JEST_GOOD],
  ["cd a && npm test", JEST_BAD, "pushd b && npm test && popd", JEST_GOOD],
  ["(cd a && npm test)", JEST_BAD, "(cd a && ls) && npm test", JEST_GOOD],
  ["npm test", JEST_BAD, "cd a && npm test", JEST_GOOD],
];

const MENDED: readonly Mending[] = [
  ["pytest", BAD, "git pull --rebase && pytest", GOOD],
  ["pytest", BAD, "git stash pop && pytest", GOOD],
  ["pytest", BAD, "git checkout -q -b mine && pytest", GOOD],
  ["pytest", BAD, "pytest && git checkout -q main", GOOD],
  ["pytest", BAD, "git reset -q HEAD a.py; pytest", GOOD],
  ["NODE_ENV=test npm test", JEST_BAD, "NODE_ENV=test npm test -- --ci", JEST_GOOD],
  ["NODE_ENV=test npm test", JEST_BAD, "env NODE_ENV=test npm test", JEST_GOOD],
  ["env TZ=UTC pytest", BAD, "TZ=UTC pytest", GOOD],
  ["env DB=a ./deploy.sh", "no", "DB=a ./deploy.sh", "ok"],
  ["cd a && DB=a ./deploy.sh", "no", "cd a && env DB=a ./deploy.sh", "ok"],
  ["npm test", JEST_BAD, "CI=true FORCE_COLOR=0 npm test", JEST_GOOD],
  ["RUST_BACKTRACE=1 make", "a.c:3:5: error: x", "make", "cc a.c"],
  ["cd app && CI=1 make", "a.c:3:5: error: x", "cd app && make", "cc a.c"],
  ["pushd a && npm test", JEST_BAD, "cd a && npm test -- --ci", JEST_GOOD],
  ["cd a && npm test", JEST_BAD, "pushd a; npm test -- --ci; popd", JEST_GOOD],
  ["npm test", JEST_BAD, "(cd a && ls) && npm test", JEST_GOOD],
  ["npm test", JEST_BAD, "cd a && ls && cd - && npm test", JEST_GOOD],
];

Deno.test("what passes in another state, folder or environment leaves open what failed in this one", async () => {
  await assertLeftOpen(LEFT_OPEN);
});

Deno.test("what passes in the same state mends, whatever is set that changes nothing", async () => {
  await assertMended(MENDED);
});

Deno.test("what fails in another state is not left open in this one, and nothing that passes here mends it", async () => {
  const elsewhere = "git stash && pytest; git stash pop";
  assert.deepEqual(await leftOpen([elsewhere, BAD, true]), []);
  const told = failed(elsewhere, BAD);
  assert.deepEqual(
    [told.kind, told.outcome, told.facts.isElsewhere, told.facts.openRank],
    ["test", "failure", true, null],
  );
  assert.notEqual(told.sameAs, failed("pytest", BAD).sameAs);
  assert.equal(ran("pytest", GOOD).facts.isElsewhere, undefined);
});
