/** What failed because it was called wrongly is over when the same program is called in another way. */
import assert from "node:assert/strict";
import { endOf } from "../../support/mixed_steps.ts";

const P6 = "6 passed in 0.02s";
type Row = readonly [wrong: string, says: string, right: string, output: string];

const OVER: readonly Row[] = [
  [
    "pytest tests/test_taxx.py",
    "ERROR: file or directory not found: tests/test_taxx.py\n\nno tests ran in 0.00s",
    "pytest tests/test_tax.py",
    P6,
  ],
  [
    "npx jest --foo",
    '● Unrecognized CLI Parameter:\n\n  Unrecognized option "foo".',
    "npx jest",
    "Tests:       2 passed, 2 total",
  ],
  [
    "go test ./pkg/prse",
    "no required module provides package x/pkg/prse; to add it:",
    "go test ./pkg/parse",
    "ok  \texample.com/x/pkg/parse\t0.003s",
  ],
  [
    "cargo test --package foo",
    "error: package ID specification `foo` did not match any packages",
    "cargo test",
    "test result: ok. 1 passed; 0 failed",
  ],
  ["python -m pytest", "/usr/bin/python: No module named pytest", ".venv/bin/python -m pytest", P6],
  [
    "npx eslint src --ext ts",
    "Invalid option '--ext' - perhaps you meant '-c'?",
    "npx eslint src",
    "",
  ],
  [
    "npx tsc -p tsconfg.json",
    "error TS5058: The specified path does not exist: 'tsconfg.json'.",
    "npx tsc -p tsconfig.json",
    "",
  ],
  ["make tset", "make: *** No rule to make target 'tset'.  Stop.", "make check", "ok"],
  [
    "git push origin mian",
    "error: src refspec mian does not match any",
    "git push origin main",
    "main -> main",
  ],
  [
    "kubectl apply -f k8s/",
    'error: the path "k8s/" does not exist',
    "kubectl apply -f deploy/k8s/",
    "created",
  ],
  [
    "./gradlew tset",
    "Task 'tset' not found in root project 'app'.",
    "./gradlew build",
    "BUILD SUCCESSFUL",
  ],
  [
    "python scirpts/make.py",
    "python: can't open file '/p/scirpts/make.py': [Errno 2] No such file or directory",
    "python3 scripts/make.py",
    "done",
  ],
];
const OPEN: readonly Row[] = [
  // Another program, another verb, another script.
  ["make tset", "make: *** No rule to make target 'tset'.  Stop.", "npm test", "ok"],
  ["git push origin mian", "error: src refspec mian does not match any", "git status", "clean"],
  ["python x.py", "python: can't open file '/p/x.py': [Errno 2]", "python y.py", "done"],
  // What is missing is not what was called.
  [
    "make all",
    "make: *** No rule to make target 'a.o', needed by 'all'.  Stop.",
    "make check",
    "ok",
  ],
  ["make all", "make[1]: *** No rule to make target 'dist'.  Stop.", "make check", "ok"],
  [
    "go build ./...",
    "main.go:4:2: no required module provides package x/y; to add it:",
    "go build ./pkg",
    "",
  ],
  ["npx tsc", "tsconfig.json(3,5): error TS5023: Unknown compiler option 'x'.", "npx tsc -p b", ""],
];

Deno.test("a call that was wrong is over as soon as the same program runs in another way", async () => {
  for (const [failing, output, passing, printed] of OVER) {
    const before = await endOf({ failing, output });
    assert.ok(!before.failures[0]?.startsWith("Tests fail"), before.failures[0]);
    assert.equal(before.open.length, 1, failing);
    const { open, fixes } = await endOf({ failing, output }, { passing, output: printed });
    assert.deepEqual([open, fixes], [[], []], failing);
    const still = await endOf({ failing, output }, { passing: "ls" }, { failing, output });
    assert.equal(still.open.length, 1, failing);
  }
});

Deno.test("what another call does not put right stays open", async () => {
  for (const [failing, output, passing, printed] of OPEN) {
    const { open } = await endOf({ failing, output }, { passing, output: printed });
    assert.equal(open.length, 1, failing);
  }
});
