/** Which failures a command that passes mends. */
import assert from "node:assert/strict";
import { creditedChanges } from "../../src/memory/drain/describe_fix.ts";
import { drainCaptures } from "../../src/memory/drain/capture_drain.ts";
import { assertLeftOpen, assertMended, leftOpen, type Mending } from "../support/left_open.ts";
import { saveEvent, tempDatabase } from "../support/records.ts";
import { removeForgottenAgain } from "../../src/upkeep/forget/forget_places_table.ts";

const BAD = "FAILED tests/t.py::a - assert 1 == 2\n1 failed, 4 passed in 0.12s";
const TWO_BAD = "FAILED tests/t.py::a - no\nFAILED tests/u.py::b - no\n2 failed in 0.1s";
const GOOD = "5 passed in 0.10s";
const JEST_BAD =
  "FAIL src/a.test.ts\n  ● adds\n\nTest Suites: 1 failed, 3 passed, 4 total\nTests: 1 failed, 4 passed, 5 total";
const JEST_GOOD = "Tests:       5 passed, 5 total";
const DENO_BAD =
  "adds => ./tests/a_test.ts:11:6\nerror: no\n\nadds => ./tests/a_test.ts:11:6\n\nFAILED | 3 passed | 1 failed (1s)";
const DENO_GOOD = "ok | 4 passed | 0 failed (1s)";
const GO_BAD = "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/a\t0.2s";
const VITEST_BAD = " FAIL  src/a.test.ts > adds\n Tests  1 failed | 3 passed (4)";
const VITEST_TWO = " FAIL  src/a.test.ts > adds\n FAIL  src/b.test.ts > b\n Tests  2 failed (4)";
const VITEST_GOOD = " ✓ src/a.test.ts (2 tests) 3ms\n Tests  2 passed (2)";
const GO_GOOD = "ok  \texample.com/a\t0.2s";

/** A run that fails, and one that passes after an edit and mends it. */
const MENDED: readonly (readonly [failing: string, bad: string, passing: string, good: string])[] =
  [
    ["pytest tests/t.py", BAD, "pytest tests/t.py", GOOD],
    ["pytest tests/t.py", BAD, "pytest", GOOD],
    ["pytest tests/t.py::a", BAD, "pytest tests", GOOD],
    ["pytest tests/t.py -k a", BAD, "pytest tests/t.py", GOOD],
    ["pytest", BAD, "pytest tests/t.py", GOOD],
    ["pytest -x", BAD, "pytest tests/t.py", GOOD],
    ["pytest", BAD, "pytest tests/t.py::a", GOOD],
    ["pytest", TWO_BAD, "pytest tests/u.py tests/t.py", GOOD],
    ["pytest -q tests/t.py", BAD, "pytest -x tests/t.py -vv", GOOD],
    ["pytest --tb short -n4 tests/t.py", BAD, "pytest --tb=long ./tests/t.py", GOOD],
    ["CI=1 pytest tests/t.py", BAD, "pytest tests/t.py", GOOD],
    ["CI=1 pytest tests/t.py 2>&1 | tail -20", BAD, "pytest tests/t.py", GOOD],
    ["pytest tests/t.py", BAD, "python3 -m pytest tests/t.py", GOOD],
    ["timeout 60 uv run pytest", BAD, ".venv/bin/pytest -q | tail -3", GOOD],
    ["poetry run pytest tests/t.py", BAD, "pytest -q && git commit -qm x", ""],
    ["npx jest src/a.test.ts", JEST_BAD, "yarn jest --silent", JEST_GOOD],
    ["npm test", JEST_BAD, "npm run test -- --verbose", JEST_GOOD],
    ["npm t -- src/a.test.ts", JEST_BAD, "pnpm test", JEST_GOOD],
    ["npx vitest run src/a.test.ts", JEST_BAD, "npx vitest run", JEST_GOOD],
    ["deno test -A tests/a_test.ts", DENO_BAD, "deno test --allow-all", DENO_GOOD],
    ["go test ./a", GO_BAD, "go test -count=1 ./...", GO_GOOD],
    ["go test -v ./a", GO_BAD, "go test ./a/...", GO_GOOD],
    [
      "cargo test adds",
      "test result: FAILED. 0 passed; 1 failed",
      "cargo t -q",
      "test result: ok. 9 passed",
    ],
    [
      "bundle exec rspec spec/a_spec.rb:3",
      "1 example, 1 failure",
      "rspec",
      "5 examples, 0 failures",
    ],
    [
      "vendor/bin/phpunit tests/A.php",
      "Tests: 1, Assertions: 1, Failures: 1.",
      "php vendor/bin/phpunit",
      "OK",
    ],
    ["./gradlew test --tests A", "A > b FAILED", "./gradlew test -q", "BUILD SUCCESSFUL"],
    ["make lint && pytest tests/t.py", BAD, "pytest", GOOD],
    ["ruff check && pytest", "E501 too long", "ruff check && pytest", GOOD],
    ["make test", "boom", "make test", "fine"],
    ["npx vitest run", VITEST_BAD, "npx vitest run src/a.test.ts", VITEST_GOOD],
    ["npx vitest run", VITEST_TWO, "npx vitest run src/a.test.ts src/b.test.ts", VITEST_GOOD],
    ["go test ./...", GO_BAD, "go test ./... -run TestA", GO_GOOD],
    ["go test ./...", GO_BAD, "go test -run '^TestA$' ./...", GO_GOOD],
    ["go test ./a", GO_BAD, "go test ./... -run 'Test(A|B)'", GO_GOOD],
  ];

/** The same, for what is not of tests alone. */
const MENDED_SCRIPTS: typeof MENDED = [
  [
    "set -o pipefail; npx tsc | tail -5",
    "a.ts(1,1): error TS1: x",
    "set -o pipefail; npx tsc | tail -5",
    "",
  ],
  ["set -euo pipefail\nnpm ci\nmake", "make: no", "set -euo pipefail\nnpm ci\nmake", "ok"],
  ["cd web\nexport CI=1\nnpm test", JEST_BAD, "cd web && npm test", JEST_GOOD],
  ["cd web && npm test", JEST_BAD, "cd web\nexport CI=1\nnpm test", JEST_GOOD],
];
/** What looks alike, but does not say that what failed passes. */
const LEFT_OPEN: typeof MENDED = [
  ["pytest tests/t.py", BAD, "pytest tests/u.py", GOOD],
  ["pytest tests/t.py", BAD, "pytest tests/t", GOOD],
  ["pytest", TWO_BAD, "pytest tests/t.py", GOOD],
  ["pytest", "2 failed in 0.1s", "pytest tests/t.py", GOOD],
  ["pytest | tail -2", "FAILED tests/t.py::a - no\n2 failed in 0.1s", "pytest tests/t.py", GOOD],
  ["make x && cargo test", "error", "make x && cargo test | tail", "error: could not compile"],
  ["pytest -x", BAD, "pytest tests/u.py", GOOD],
  ["pytest", BAD, "pytest tests/t.py::b", GOOD],
  ["pytest tests/t.py", BAD, "pytest -k b", GOOD],
  ["pytest tests/t.py", BAD, "pytest tests/t.py -k b", GOOD],
  ["cd api && pytest tests/t.py", BAD, "cd web && pytest", GOOD],
  ["npx jest", JEST_BAD, "npx vitest run", JEST_GOOD],
  ["npm test -w a", JEST_BAD, "npm test", JEST_GOOD],
  ["npm test", JEST_BAD, "npm run test:unit", JEST_GOOD],
  ["npx jest", JEST_BAD, "npx jest --passWithNoTests src/b.test.ts", JEST_GOOD],
  ["go test ./a/b", GO_BAD.replace("com/a", "com/a/b"), "go test ./a", GO_GOOD],
  ["go test ./a", GO_BAD, "go test", GO_GOOD.replace("com/a", "com")],
  [
    "cargo test adds",
    "test result: FAILED. 0 passed; 1 failed",
    "cargo test 2>&1 | tail",
    "error: could not compile",
  ],
  [
    "deno test -A",
    DENO_BAD,
    "deno test -A --filter x",
    "ok | 0 passed | 0 failed | 4 filtered out (1s)",
  ],
  ["deno test -A", DENO_BAD, "deno test -A", "ok | 0 passed | 0 failed (1s)"],
  ["pytest && ruff check", "5 passed in 0.1s\nE501 too long", "pytest", GOOD],
  ["pytest tests/t.py", BAD, "pytest tests/t.py || true", "no"],
  ["pytest tests/t.py", BAD, "cd ../other && pytest tests/t.py", GOOD],
  ["pytest", BAD, "cd services/billing && pytest", GOOD],
  ["cargo build", "error[E0308]: types", "cargo build 2>&1 | tail -3", "could not compile"],
  ["npm run build", "error TS2345: x", 'npm run build; echo "exit=$?"', "error TS2345: x\nexit=2"],
  ["npx vitest run", VITEST_BAD, "npx vitest run src/b.test.ts", VITEST_GOOD.replace("a.", "b.")],
  ["npx vitest run", VITEST_TWO, "npx vitest run src/a.test.ts", VITEST_GOOD],
  [
    "npx jest",
    "FAIL src/a.test.ts\n  ● adds\n\nTests: 2 failed, 4 passed, 6 total",
    "npx jest src/a.test.ts",
    JEST_GOOD,
  ],
  ["go test ./...", GO_BAD, "go test ./... -run TestB", GO_GOOD],
  ["go test ./...", GO_BAD, "go test ./... -run TestA", `${GO_GOOD} [no tests to run]`],
  ["go test ./...", GO_BAD, "go test ./... -run 'TestA/sub'", GO_GOOD],
  ["go test ./...", GO_BAD, "go test ./... -run TestA -skip TestA", GO_GOOD],
  ["go test ./...", GO_BAD, "go test ./b -run TestA", GO_GOOD.replace("com/a", "com/b")],
  ["go test ./... | tail -3", GO_BAD, "go test ./... -run TestA", GO_GOOD],
  ["go test ./...", `panic: boom\n${GO_BAD}`, "go test ./... -run TestA", GO_GOOD],
  ["go test ./...", `--- FAIL: TestB\n${GO_BAD}`, "go test ./... -run TestA", GO_GOOD],
  ["go test ./...", `${GO_BAD}\nFAIL\tb [build failed]`, "go test ./... -run TestA", GO_GOOD],
  ["npx playwright test", "1 failed", "npx playwright test | tail -4", "Error: no browser"],
];

Deno.test("tests that failed are mended by a run that has taken them, however it is spelled", async () => {
  await assertMended([...MENDED, ...MENDED_SCRIPTS]);
});

Deno.test("a run that may not have taken the tests that failed leaves them open", async () => {
  await assertLeftOpen(LEFT_OPEN);
});

/** What fails with an error of its own, and what passes. */
function withOutput(rows: readonly (readonly [failing: string, passing: string])[]): Mending[] {
  return rows.map(([failing, passing]) => [failing, "error: boom", passing, "ok"]);
}

/** A command that fails, and a script that has run the same and passes. */
const PART_OF: readonly (readonly [failing: string, passing: string])[] = [
  ["npx tsc --noEmit", "npx tsc --noEmit && echo OK"],
  ["npx tsc --noEmit 2>&1 | head -5", "npx tsc --noEmit >/dev/null && git add -A"],
  ["npm run build", "npm run build && npm test"],
  ["npm run build", "npm run build && git add -A && git commit -m x"],
  ["git push", "git pull --rebase && git push"],
  ["git push", "git pull --rebase && \\\n  git push"],
  ['npm run b -- "a && b"', 'npm ci && npm run b -- "a && b" && true'],
  ["cd web && npm run build", "cd web && npm ci && npm run build"],
  ["cd web && npm run build", "npx tsc && cd ./web/ && npm run build"],
  ["cd web/ui && make", "cd web && make css && cd ui && make"],
  ["cd api && make", "cd web && make && cd ../api && make"],
  ["make", "cd web && make css && cd .. && make"],
  ["make all", "make all && git checkout main"],
];

/** What does not say that the command would pass. */
const NOT_PART_OF: typeof PART_OF = [
  ["npm run build && npm run pack", "npm run build && npm run copy"],
  ["npm run build", "cd web && npm run build"],
  ["npm run build", "cd $DIR && npm run build"],
  ["npm run build", "pushd web && npm run build"],
  ["npm run build", "(cd web && make) && (cd x && npm run build)"],
  ["cd web && npm run build", "(cd web && make) && npm run build"],
  ["npm run build", "git checkout main && npm run build"],
  ["npm run build", "git stash -q && npm run build && git stash pop"],
  ["npm run build", 'echo "make && npm run build" && true'],
];

Deno.test("a script of parts that must all pass mends what each of them failed with", async () => {
  await assertMended(withOutput(PART_OF));
});

Deno.test("a script in which a command may have failed, or ran elsewhere, leaves its failure open", async () => {
  await assertLeftOpen(withOutput(NOT_PART_OF));
});

Deno.test("a command that mends what another looks after mends its failure", async () => {
  const mended: readonly (readonly [failing: string, passing: string])[] = [
    ["ruff check .", "ruff check . --fix"],
    ["ruff check .", "ruff check --fix . && ruff format ."],
    ["npx eslint .", "npx eslint . --fix"],
    ["cd web && npx eslint src", "cd web && npx eslint --fix src"],
    ["npm run lint", "npm run lint -- --fix"],
    ["npx prettier --check .", "npx prettier --write ."],
    ["npx prettier . -c", "npx prettier . --write && git add -A"],
    ["black --check src", "black src"],
    ["deno fmt --check", "deno fmt"],
    ["cargo fmt --all -- --check", "cargo fmt --all"],
  ];
  await assertMended(withOutput(mended));
  const others: typeof mended = [
    ["ruff check .", "ruff check src --fix"],
    ["npx prettier --check .", "npx prettier --write a.ts"],
    ["npx prettier --check .", "npx eslint . --fix"],
    ["npm run lint", "npm run format -- --fix"],
    ["npm ci && make", "npm install"],
    ["npm ci", "npm install -g left-pad"],
  ];
  await assertLeftOpen(withOutput(others));
});

Deno.test("what stands before tests in a script is mended although no test ran, or they failed", async () => {
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

Deno.test("what failed as a whole and in part is one fix", async () => {
  using temp = await tempDatabase();
  const events = [
    ["pytest", BAD, true],
    ["pytest tests/t.py", BAD, true],
    ["edit", "", false],
    ["pytest", GOOD, false],
  ] as const;
  for (const [at, [command, output, failed]] of events.entries()) {
    const payload = command === "edit"
      ? { tool_input: { file_path: "/p/a.py", old_string: "a", new_string: "b" } }
      : failed
      ? { tool_input: { command }, error: output }
      : { tool_input: { command }, tool_response: { stdout: output, stderr: "" } };
    saveEvent(temp.db, {
      atMs: 1_000 + at,
      capture: {
        toolName: command === "edit" ? "Edit" : "Bash",
        outcome: failed ? "failure" : "success",
        payload: JSON.stringify(payload),
      },
    });
  }
  drainCaptures(temp.db, { withoutForgotten: removeForgottenAgain, now: () => 10_000 });
  const fixes = temp.db.prepare("SELECT title FROM observations WHERE kind = 'fix'").all();
  assert.deepEqual(fixes.map(({ title }) => title), ["Fixed tests/t.py::a by a.py"]);
  const open = temp.db.prepare(
    "SELECT count(*) AS n FROM observations WHERE outcome = 'failure' AND resolved_by IS NULL",
  ).get();
  assert.equal(open!["n"], 0);
});

Deno.test("what is seen of an output counts where the shell hides how a command ended", async () => {
  await assertMended([
    [
      "go build ./... 2>&1 | head -50",
      "a/b.go:3:5: undefined: x",
      "go build ./... 2>&1 | head -50",
    ],
    ["cargo build 2>&1 | tail -5", "error[E0308]: types", "cargo build", "Finished `dev`"],
    ["npx tsc", "a.ts(1,1): error TS1: x", "npx tsc 2>&1 | tail -5"],
    ["npm run build", "boom", "npm run build; echo done", "built\ndone"],
    ["pytest", "==== 2 errors in 0.30s ====", "pytest | tail -3", GOOD],
  ]);
  await assertLeftOpen([
    ["npx tsc", "a.ts(1,1): error TS1: x", "npx tsc 2>&1 | grep -c warning", "0"],
    ["npx tsc", "a.ts(1,1): error TS1: x", "npx tsc 2>&1 | head -2", "one\ntwo"],
    ["pytest", BAD, "pytest | tail -3", "collected 5 items"],
  ]);
});

Deno.test("a call that was wrong itself is over when the program is called rightly", async () => {
  await assertMended([
    ["go test ./nope", "stat ./nope: directory not found", "go test ./a", GO_GOOD],
    [
      "pytest --nope",
      "ERROR: usage: pytest\nerror: unrecognized arguments: --nope",
      "pytest a.py",
      GOOD,
    ],
  ]);
});

Deno.test("an operation of git that stopped is over when it is concluded or given up", async () => {
  const conflict = "CONFLICT (content): Merge conflict in a.py";
  await assertMended([
    ["git merge topic", conflict, "git commit -qm x"],
    ["git merge topic", conflict, "git merge --abort"],
    ["git rebase main", conflict, "git add a.py && git rebase --continue"],
    ["git pull --rebase", conflict, "git rebase --skip"],
    [
      "git push",
      "! [rejected] main -> main (fetch first)",
      "git pull --rebase && git push -u origin main",
    ],
  ]);
  await assertLeftOpen([["git push", "! [rejected] main -> main", "git pull --rebase"]]);
});

Deno.test("a fix names what the failure speaks of or what lies in its package, else all, at most four", () => {
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

Deno.test("what failed for a cause outside of the code was mended by a command that changes something there", () => {
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
