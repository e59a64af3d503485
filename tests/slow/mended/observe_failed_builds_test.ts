/** Builds that fail behind a pipe, where the status is another program's. */
import assert from "node:assert/strict";
import { drainCaptures } from "../../../src/recall/capture_drain.ts";
import { failed, ran } from "../../support/commands_observed.ts";
import { saveEvent, tempDatabase } from "../../support/records.ts";

const MAKE = "cc -c a.c\na.c:3:5: error: use of undeclared identifier 'x'\nmake: *** [all] Error 2";
const CARGO =
  "error[E0308]: mismatched types\n --> src/lib.rs:4:16\n\nerror: could not compile `demo` (lib) due to 1 previous error";
const MAVEN =
  "[ERROR] COMPILATION ERROR :\n[ERROR] /p/A.java:[3,5] cannot find symbol\n[INFO] BUILD FAILURE\n[INFO] ----\n[INFO] Total time:  2.3 s\n[ERROR] -> [Help 1]";

Deno.test("a build that fails behind a pipe is a failure by what its tools say", () => {
  const failures: readonly (readonly [command: string, output: string, kind?: "test"])[] = [
    ["make 2>&1 | tail -20", MAKE],
    ["make -j4 all 2>&1 | grep -v warning | tail -5", MAKE],
    ["cd app && make | tee build.log", MAKE],
    ["make; echo done", `${MAKE}\ndone`],
    ['make 2>&1 | tail -3; echo "exit: $?"', `${MAKE}\nexit: 0`],
    ["make || true", MAKE],
    ["mkdir -p build && cd build && cmake .. && make | tail", MAKE],
    ["timeout 60 cargo build 2>&1 | tail -20", CARGO],
    ["cargo +nightly clippy | head -3", "error[E0308]: mismatched types\n --> src/lib.rs:4:16"],
    ["mvn -q package 2>&1 | tail -20", MAVEN],
    ["./gradlew build | tail -3", "FAILURE: Build failed with an exception.\n\nBUILD FAILED in 3s"],
    ["dotnet build | tail -4", "Build FAILED.\n    0 Warning(s)\n    1 Error(s)"],
    ["go build ./... 2>&1 | head", "# example.com/a\n./a.go:3:2: undefined: x"],
    ["npm run build 2>&1 | tail -5", "npm ERR! code ELIFECYCLE\nnpm ERR! errno 2"],
    ["npm run build | tail -5", "src/a.ts(3,5): error TS2304: Cannot find name 'x'."],
    ["pnpm build | tail -2", " ELIFECYCLE  Command failed with exit code 2."],
    ["yarn lint | tail -2", "error Command failed with exit code 1."],
    ["npx tsc --noEmit | tail -3", "Found 2 errors in the same file, starting at: src/a.ts:3"],
    ["npx eslint . | tail -3", "✖ 3 problems (2 errors, 1 warning)"],
    ["ruff check . | tail -2", "Found 2 errors.\n[*] 2 fixable with the `--fix` option."],
    ["deno check main.ts 2>&1 | tail -3", "Found 2 errors.\n\nerror: Type checking failed."],
    ["deno task build 2>&1 | tail -3", "error during build:\nCould not resolve entry"],
    ["npx webpack | tail -1", "webpack 5.88.0 compiled with 2 errors in 310 ms"],
    ["gcc a.c 2>&1 | head -3", "a.c:3:5: error: use of undeclared identifier 'x'"],
    ["docker build . 2>&1 | tail -2", "ERROR: failed to solve: process did not complete"],
    ["make test 2>&1 | tail -5", "boom\nmake: *** [test] Error 1", "test"],
    ["cargo test 2>&1 | tail -5", CARGO, "test"],
    ["python -m unittest 2>&1 | tail -1", "FAILED (failures=1)", "test"],
    ["mvn test | tail -6", MAVEN, "test"],
  ];
  for (const [command, output, kind = "failure"] of failures) {
    const told = ran(command, output);
    assert.deepEqual([told.kind, told.outcome, told.mends], [kind, "failure", null], command);
    assert.equal(told.facts.exitCode, undefined, "the status is another program's");
  }
  assert.equal(
    ran("make 2>&1 | tail -20", MAKE).title,
    "`make` failed: a.c:3:5: error: use of undeclared identifier 'x'",
  );
  assert.equal(ran("make 2>&1 | tail -20", MAKE).sameAs, failed("make", MAKE).sameAs);
});

Deno.test("what shows such lines, or speaks of them, is no failure", () => {
  const successes: readonly (readonly [command: string, output: string, outcome?: null])[] = [
    ["grep -r 'Error 2' logs | head", MAKE],
    ["rg 'BUILD FAILURE' . | head -3", MAVEN],
    ["cat build.log | tail -20", MAKE],
    ["tail -40 build.log; echo", MAKE],
    ["git log --oneline | head -3", "abc1234 x\nmake: *** [all] Error 2"],
    ["make | tail -3; cat old.log", MAKE, null],
    ["curl -s https://ci.example/log | tail -20", CARGO],
    ["echo make | cat", MAKE],
    ["ssh far make | tail", MAKE, null],
    ["npm view left-pad | tail", "npm ERR! code E404"],
    ["make | tail -3", "cc -c a.c\na.c:3:5: warning: unused variable 'x'", null],
    ["make -k | tail -3", "make: [all] Error 2 (ignored)", null],
    ["npx eslint . | tail -3", "✖ 1 problem (0 errors, 1 warning)", null],
    ["ruff check --fix . | tail -1", "Found 2 errors (2 fixed, 0 remaining).", null],
    ["npm run build | tail -3", "Found 0 errors. Watching for file changes.", null],
    ["cargo build | tail -3", "warning: unused: error[E0308]: in a string\n    Finished dev"],
    ["make", MAKE],
    ["cd app && make", MAKE],
    ["make 2>&1 | tail -500", `${MAKE}\n${"a line behind it\n".repeat(60)}built`, null],
  ];
  for (const [command, output, outcome = "success"] of successes) {
    const told = ran(command, output);
    assert.deepEqual([told.kind, told.outcome], ["command", outcome], command);
  }
  const tests = ran("npm test 2>&1 | tail -9", `${MAKE}\nTests:       5 passed, 5 total`);
  assert.notEqual(tests.outcome, "failure", "its tests speak of such a line, and pass");
});

Deno.test("a build that failed behind a pipe is open until the same build passes", async () => {
  using temp = await tempDatabase();
  const openAfter = (atMs: number, command: string, stdout: string) => {
    const payload = { tool_input: { command }, tool_response: { stdout, stderr: "" } };
    saveEvent(temp.db, {
      atMs,
      capture: { toolName: "Bash", outcome: "success", payload: JSON.stringify(payload) },
    });
    drainCaptures(temp.db, { now: () => 1_000_000 });
    return temp.db.prepare(
      `SELECT title
         FROM observations
        WHERE outcome = 'failure'
          AND resolved_by IS NULL`,
    ).all().map(({ title }) => title);
  };
  const open = ["`make` failed: a.c:3:5: error: use of undeclared identifier 'x'"];
  assert.deepEqual(openAfter(1_000, "make 2>&1 | tail -20", MAKE), open);
  assert.deepEqual(openAfter(2_000, "make 2>&1 | tail -20", "cc -c a.c"), open, "nobody knows");
  assert.deepEqual(openAfter(3_000, "make", "cc -c a.c"), []);
});
