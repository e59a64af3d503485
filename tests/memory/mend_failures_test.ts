/** Which failures a command that passes mends. */
import assert from "node:assert/strict";
import { creditedChanges } from "../../src/memory/drain/describe_fix.ts";
import { drainAt, saveUse, tempDatabase } from "../support/records.ts";
import CASES from "../testdata/memory_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

const BAD = "FAILED tests/t.py::a - assert 1 == 2\n1 failed, 4 passed in 0.12s";
const GOOD = "5 passed in 0.10s";
const JEST_BAD =
  "FAIL src/a.test.ts\n  ● adds\n\nTest Suites: 1 failed, 3 passed, 4 total\nTests: 1 failed, 4 passed, 5 total";

/** A command that fails with its output, and one that passes later, after an edit, with its output. */
type Mending = readonly [failing: string, bad: string, passing: string, good?: string];

/** A run that fails, and one that passes and mends it. */
const MENDED = rowsOf<Mending>(CASES.mended);

/** The same, for what is not of tests alone. */
const MENDED_SCRIPTS = rowsOf<Mending>(CASES.mendedScripts);
/** What looks alike, but does not say that what failed passes. */
const LEFT_OPEN = rowsOf<Mending>(CASES.leftOpen);

/** Holds that the command that passes mends the one that fails, or leaves it open, in each row by itself. */
async function assertEach(rows: readonly Mending[], end: "mended" | "open"): Promise<void> {
  for (const [failing, bad, passing, good = ""] of rows) {
    const open = await leftOpen([failing, bad, true], [passing, good]);
    assert.deepEqual(open, end === "open" ? [failing] : [], `${failing}: ${passing}: ${good}`);
  }
}

/** Lets commands run one after the other, an edit after each. @returns Which failures are open in the end. */
async function leftOpen(
  ...steps: readonly (readonly [command: string, output: string, failed?: boolean])[]
): Promise<readonly string[]> {
  using temp = await tempDatabase();
  const start = Date.UTC(2026, 6, 15);
  for (const [at, [command, output, failed = false]] of steps.entries()) {
    const atMs = start + at * 10_000;
    saveUse(temp.db, "Bash", used(command, output, failed), { atMs });
    saveUse(temp.db, "Edit", edited("/p/src/a.py", `b${at}`), { atMs: atMs + 1_000 });
  }
  temp.db.exec("UPDATE pending_queue SET branch = 'main'");
  drainAt(temp.db, start + 1_000_000);
  return temp.db.prepare(
    `SELECT facts
       FROM observations
      WHERE outcome = 'failure'
        AND resolved_by IS NULL
      ORDER BY id`,
  ).all().map(({ facts }) => JSON.parse(String(facts)))
    .filter(({ openRank }) => openRank !== null)
    .map(({ command }) => command);
}

const used = (command: string, output: string, failed = false) => ({
  tool_input: { command },
  ...failed
    ? { error: `Exit code 1\n${output}` }
    : { tool_response: { stdout: output, stderr: "" } },
});

const edited = (file_path: string, new_string: string) => ({
  tool_input: { file_path, old_string: "a", new_string },
  tool_response: {},
});

Deno.test("a passing test run mends the failures of the tests that it ran, however it is spelled", async () => {
  await assertEach([...MENDED, ...MENDED_SCRIPTS], "mended");
});

Deno.test("a run that may not have run the failed tests leaves them open", async () => {
  await assertEach(LEFT_OPEN, "open");
});

/** What fails with an error of its own, and what passes. */
function withOutput(rows: readonly (readonly [failing: string, passing: string])[]): Mending[] {
  return rows.map(([failing, passing]) => [failing, "error: boom", passing, "ok"]);
}

/** A command that fails, and a script that has run the same and passes. */
const PART_OF = rowsOf<readonly [failing: string, passing: string]>(CASES.partOf);

/** What does not say that the command would pass. */
const NOT_PART_OF = rowsOf<typeof PART_OF[number]>(CASES.notPartOf);

Deno.test("a script whose parts must all pass mends the failure of each part", async () => {
  await assertEach(withOutput(PART_OF), "mended");
});

Deno.test("a script leaves a failure open where its command may have failed, or ran in another folder", async () => {
  await assertEach(withOutput(NOT_PART_OF), "open");
});

Deno.test("a command that repairs what a check complains of mends the failure of the check", async () => {
  const mended = rowsOf<readonly [failing: string, passing: string]>(CASES.mendedByRepair);
  await assertEach(withOutput(mended), "mended");
  const others = rowsOf<typeof mended[number]>(CASES.notMendedByRepair);
  await assertEach(withOutput(others), "open");
});

Deno.test("the commands before the tests in a script have passed although no test ran, or tests failed", async () => {
  const none = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored";
  const rows: readonly (readonly [script: string, output: string, fails: boolean, open: number])[] =
    [
      ["make lib && cargo test", none, false, 0],
      ["make lib && cargo test", "error[E0308]: types\nerror: could not compile `a`", true, 2],
      ["cargo test && make lib", none, false, 0],
      ["npm run build && npm test", JEST_BAD, true, 1],
      ["npm run build && npm test", "boom", true, 2],
      ["npm run build; npm test", JEST_BAD, true, 2],
      ["npm test && npm run build", JEST_BAD, true, 2],
      ["make lib && npm test", JEST_BAD, true, 1],
    ];
  for (const [script, output, fails, open] of rows) {
    const [build = ""] = /make lib|npm run build/.exec(script) ?? [];
    const left = await leftOpen([build, "error: boom", true], [script, output, fails]);
    assert.deepEqual(left.length, open, script);
  }
});

Deno.test("a failure of a whole run and of a part of it gets one fix", async () => {
  using temp = await tempDatabase();
  const uses = [
    ["Bash", used("pytest", BAD, true)],
    ["Bash", used("pytest tests/t.py", BAD, true)],
    ["Edit", edited("/p/a.py", "b")],
    ["Bash", used("pytest", GOOD)],
  ] as const;
  for (const [at, [tool, payload]] of uses.entries()) {
    saveUse(temp.db, tool, payload, { atMs: 1_000 + at });
  }
  drainAt(temp.db, 10_000);
  const fixes = temp.db.prepare("SELECT title FROM observations WHERE kind = 'fix'").all();
  assert.deepEqual(fixes.map(({ title }) => title), ["Fixed tests/t.py::a by a.py"]);
  const open = temp.db.prepare(
    "SELECT count(*) AS n FROM observations WHERE outcome = 'failure' AND resolved_by IS NULL",
  ).get();
  assert.equal(open!["n"], 0);
});

Deno.test("where the shell hides the exit status, the output decides", async () => {
  await assertEach(rowsOf<Mending>(CASES.decidedByOutput), "mended");
  await assertEach(rowsOf<Mending>(CASES.leftByOutput), "open");
});

Deno.test("a wrong call of a program is mended by a right one", async () => {
  await assertEach(rowsOf<Mending>(CASES.decidedOtherwise), "mended");
});

Deno.test("a git operation that stopped is mended when it is finished or given up", async () => {
  await assertEach(rowsOf<Mending>(CASES.gitOperations), "mended");
  await assertEach([["git push", "! [rejected] main -> main", "git pull --rebase"]], "open");
});

Deno.test("a fix names the changed files that the failure names or that lie in its package, else all, at most four", () => {
  const credited = (error: string, paths: readonly string[], ...files: readonly string[]) =>
    creditedChanges(
      { title: error, text: error, facts: { error, paths } },
      files.map((file) => ({ files: [file] })),
    ).flatMap((change) => change.files);
  const all = ["a.go", "b/c.go", "README.md", "/tmp/x"];
  assert.deepEqual(credited("boom", [], ...all), ["a.go", "b/c.go"]);
  assert.deepEqual(credited("boom", ["b/."], ...all), ["b/c.go"]);
  assert.deepEqual(credited("a.go:3:5: undefined: x", [], ...all), ["a.go"]);
  assert.deepEqual(credited("boom", [], "README.md"), ["README.md"]);
  assert.deepEqual(credited("boom", [], "1.c", "2.c", "3.c", "4.c", "5.c", "1.c").length, 4);
});

Deno.test("a failure whose cause lies outside the code is mended by a command that changes something there", () => {
  const failure = {
    title: "Tests fail",
    text: "connect ECONNREFUSED 127.0.0.1:5432",
    facts: { error: "connect ECONNREFUSED 127.0.0.1:5432" },
  };
  const changes = [
    { files: ["src/a.ts"] },
    { files: [], part: "docker compose up -d", isOutside: true },
    { files: [], part: "sed -i s/a/b/ x", isOutside: false },
  ];
  assert.deepEqual(creditedChanges(failure, changes), [changes[1]]);
});
