/** What becomes of failures in memory, through the real hooks: which are one, which are mended by what, and which are told. */
import assert from "node:assert/strict";
import { query } from "../support/look.ts";
import {
  edit,
  failed,
  ran,
  said,
  start,
  type Workplace,
  workplace,
} from "../support/told_sessions.ts";

const ALPHA =
  "Exit code 1\nFAILED tests/test_a.py::test_alpha - ConnectionRefusedError: redis\n1 failed, 2 passed in 0.1s";
const BETA =
  "Exit code 1\nFAILED tests/test_b.py::test_beta - KeyError: user\n1 failed, 2 passed in 0.1s";

/** The failures that memory has, each with how often it was seen and what mended it. */
function failures(at: Workplace) {
  return query(
    at,
    `SELECT f.title, f.repeats, m.title AS mendedBy
       FROM observations AS f
       LEFT JOIN observations AS m ON m.id = f.resolved_by
      WHERE f.outcome = 'failure'
      ORDER BY f.id`,
  ).map(({ title, repeats, mendedBy }) => [title, repeats, mendedBy]);
}

/** What a new session is told is open. */
async function open(at: Workplace): Promise<string[]> {
  const told = await start(at);
  return /Left open on main:\n((?:- .*\n?)+)/.exec(told)?.[1]?.trim().split("\n")
    .map((line) => line.replace(/^- #\d+ just now(?:, said)?: /, "")) ?? [];
}

Deno.test("a test that fails after another one is a failure of its own, and each has its own fix", async () => {
  using at = await workplace();
  await failed(at, "pytest", ALPHA);
  await edit(at, "src/redis.py", "port = 6379\n");
  await failed(at, "pytest", BETA);
  await edit(at, "src/user.py", "user = 1\n");
  await ran(at, "pytest", "3 passed in 0.1s");
  await said(at, "It passes.");
  assert.deepEqual(failures(at), [
    [
      "Tests fail: pytest (2 passed, 1 failed): tests/test_a.py::test_alpha",
      1,
      "Fixed tests/test_a.py::test_alpha by src/redis.py",
    ],
    [
      "Tests fail: pytest (2 passed, 1 failed): tests/test_b.py::test_beta",
      1,
      "Fixed tests/test_b.py::test_beta by src/user.py",
    ],
  ]);
});

Deno.test("what fails again in the same way is counted, whatever the times, lines and counts are", async () => {
  using at = await workplace();
  await failed(at, "pytest", ALPHA);
  await failed(at, "pytest -q", ALPHA.replace("2 passed in 0.1s", "5 passed in 2.7s"));
  await failed(at, "npm run build", "Exit code 2\nsrc/a.ts(1,1): error TS2304: No name foo.");
  await failed(at, "npm run build", "Exit code 2\nsrc/a.ts(7,3): error TS2304: No name foo.");
  await failed(at, "make docs", "Exit code 2\n12:03:01 error: no theme, after 31 ms");
  await failed(at, "make docs", "Exit code 2\n12:04:59 error: no theme, after 1.2 s");
  await said(at, "It fails.");
  assert.deepEqual(failures(at).map(([, repeats]) => repeats), [2, 2, 2]);
});

Deno.test("of a command that fails in one way after the other the last is told as open, and a pass mends all", async () => {
  using at = await workplace();
  const compiles = "Exit code 101\nerror[E0425]: cannot find value `c` in this scope";
  await failed(
    at,
    "cargo test",
    "Exit code 101\ntest tests::adds ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored",
  );
  await edit(at, "src/lib.rs", "a + c");
  await failed(at, "cargo test", compiles);
  await failed(at, "npm run build", "Exit code 2\nsrc/a.ts(1,1): error TS2304: No name foo.");
  await edit(at, "src/a.ts", "bar");
  await failed(at, "npm run build", "Exit code 2\nsrc/b.ts(9,9): error TS7006: Implicit any.");
  await said(at, "Both fail.");
  assert.equal(failures(at).length, 4);
  assert.deepEqual(await open(at), [
    "Tests fail: cargo test: error[E0425]: cannot find value `c` in this scope",
    "`npm run build` failed (exit 2): src/b.ts(9,9): error TS7006: Implicit any.",
  ]);
  assert.match(await start(at), /Last sessions:\n.*, 2 open$/m);
  await edit(at, "src/b.ts", "x: string");
  await ran(at, "npm run build", "built");
  await ran(at, "cargo test", "test result: ok. 2 passed; 0 failed; 0 ignored");
  await said(at, "Both pass.");
  assert.deepEqual(failures(at).map(([, , mendedBy]) => mendedBy), [
    "Fixed tests::adds by src/lib.rs",
    "Fixed error[E0425]: cannot find value `c` in this scope by src/a.ts, src/b.ts",
    "Fixed src/a.ts(1,1): error TS2304: No name foo. by src/a.ts",
    "Fixed src/b.ts(9,9): error TS7006: Implicit any. by src/b.ts",
  ]);
  assert.deepEqual(await open(at), []);
});

Deno.test("a script of parts that must all pass closes what its parts had left open, in their folders", async () => {
  using at = await workplace();
  await failed(at, "npx tsc --noEmit", "Exit code 2\na.ts(1,1): error TS1: x");
  await failed(at, "cd web && npm run build", "Exit code 2\nb.ts(1,1): error TS1: x");
  await failed(at, "git push", "Exit code 1\n! [rejected] main -> main (fetch first)");
  await failed(at, "npm run lint && npm run pack", "Exit code 1\nerror: no entry point");
  await failed(
    at,
    "npx vitest run",
    "Exit code 1\n FAIL  src/a.test.ts > adds\n Tests  1 failed | 3 passed (4)",
  );
  await edit(at, "src/a.ts", "x");
  await ran(at, "npx tsc --noEmit && echo OK", "OK");
  await ran(at, `cd ${at.project}/web && npm ci && npm run build`, "built");
  await ran(at, "git pull --rebase && git push", "ok");
  await ran(at, "npm run lint && npm run copy", "ok");
  await ran(
    at,
    "npx vitest run src/a.test.ts",
    " ✓ src/a.test.ts (2 tests) 3ms\n Tests  2 passed (2)",
  );
  await said(at, "All of it went well.");
  assert.deepEqual(await open(at), [
    "`npm run lint && npm run pack` failed (exit 1): error: no entry point",
  ]);
});

Deno.test("cargo's failing tests are known by the heads of their outputs, where a filter cuts the list off", async () => {
  using at = await workplace();
  const tail =
    "---- tests::adds stdout ----\nthread 'tests::adds' panicked at src/lib.rs:4:9:\nno\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored";
  await failed(at, "cargo test", `Exit code 101\ntest tests::adds ... FAILED\n\n${tail}`);
  await failed(at, "cargo test 2>&1 | tail -8", `Exit code 101\n${tail}`);
  await said(at, "It fails.");
  assert.deepEqual(failures(at), [[
    "Tests fail: cargo test (1 passed, 1 failed): tests::adds",
    2,
    null,
  ]]);
});
