/** Commands whose own exit status the shell hides, and what they mend all the same. */
import assert from "node:assert/strict";
import { failed, ran } from "../../support/commands_observed.ts";
import { outcomeOf, outcomeWithoutEdits, type Step } from "../../support/left_open.ts";

Deno.test("of a command whose status the shell hides nobody claims that it went well", () => {
  const rows: readonly (readonly [command: string, output: string])[] = [
    ["python train.py 2>&1 | tail -3", "ValueError: shapes (3,) and (4,)"],
    ["python manage.py migrate || echo failed", "Traceback (most recent call last):\nfailed"],
    ["terraform apply -auto-approve | tail -2", "Error: no credentials"],
    ["node index.js | head", "TypeError: x is not a function"],
    ["./deploy.sh; echo done", "no\ndone"],
    ["npm run build; ls dist", "main.js"],
    ["npm start & sleep 2", ""],
    ["(cd web && npm run build) | tail -3", "built"],
    ["while ! npm run build; do sleep 1; done", "built"],
    ["make all | tail -3; make docs", "ok"],
    ['make 2>&1 | tail -3; echo "exit $?"', "ok\nexit 0"],
    ["./deploy.sh; echo; echo $?", "no\n\n0"],
    ["./deploy.sh; echo '$?'", "no\n$?"],
    ["npm run build || exit 0", "no"],
    ["npm run build || { echo no; }", "no"],
    ["npm run build || (echo no; exit 1); ls dist", "no"],
    ["npm run build || false; ls dist", "no"],
    ["npm run build | tail -3 || exit 1", "no"],
    ["if ! npm run build; then echo no; fi", "no"],
    ["if ! npm run build; then exit 1; else npm run docs | tail -1; fi", "no"],
    ["npm run build || exit 1; npm run docs | tail -1", "no"],
  ];
  for (const [command, output] of rows) {
    const { kind, outcome, mends, facts } = ran(command, output);
    assert.deepEqual([kind, outcome, mends, facts.exitCode], ["command", null, null, undefined]);
  }
  const tests = ran("npm test | tail -3", "a line");
  assert.deepEqual([tests.outcome, tests.facts.exitCode], [null, undefined]);
});

Deno.test("what hides nothing, or only looks, ends as the shell says", () => {
  const commands = [
    "npm run build",
    "cd web; npm run build",
    "npm run build && ls dist | head -3",
    "set -o pipefail; npm run build | tail -3",
    "set -e; npm run build; ls dist",
    "cat a.sql | psql app",
    "grep -r x . | head",
    "git log --oneline | head -3",
    "ls src; ls tests",
    "grep -q x a.ts; echo $?",
    "for f in a b; do cat $f; done",
    "if [ -f a ]; then cat a; fi",
    "npm run build || exit 1",
    "npm run build || exit",
    'npm run build || { echo "build failed"; exit 1; }',
    "npm run build || (echo no; exit 1)",
    "npm run build || false",
    "cd web && npm run build || exit 1",
    "npm run build && npm run docs || exit 1",
    "npm run build || exit 1; ls dist",
    "npm run build || { npm run clean; exit 2; }; npm run docs || exit 1",
    "if ! npm run build; then echo no; exit 1; fi",
    "if ! npm run build; then echo no; exit 1; fi; ls dist",
    "for f in a b; do npm run build $f || exit 1; done",
  ];
  for (const command of commands) {
    const { kind, outcome, facts } = ran(command, "1");
    assert.deepEqual([kind, outcome, facts.exitCode], ["command", "success", 0], command);
  }
});

Deno.test("a script that leaves where its command fails mends what it had failed with", () => {
  const scripts = [
    "npm run build || exit 1",
    'npm run build || { echo "build failed"; exit 1; }',
    "npm run build || (echo no; exit 1)",
    "cd web && npm run build || exit 1",
    "npm run build && echo ok || exit 1",
    "if ! npm run build; then echo no; exit 1; fi",
    "npm run build || exit 1; npm run docs",
  ];
  for (const script of scripts) {
    assert.equal(ran(script, "built").mends, failed(script, "no").sameAs, script);
  }
  assert.equal(ran("npm test || exit 1", "ok\n3 passed").outcome, "success");
  for (const script of ["npm run build || exit 0", "npm run build || false; ls dist"]) {
    assert.equal(ran(script, "built").mends, null, script);
  }
});

Deno.test("a status that the script prints is that of what ran before", () => {
  const failures: readonly (readonly [command: string, output: string, exitCode: number])[] = [
    ["npm run build; echo EXIT=$?", "error: no entry\nEXIT=2", 2],
    ['npm run build 2>&1; echo "exit: $?"', "error: no entry\nexit: 1", 1],
    ["npm run build\necho $?", "error: no entry\n1", 1],
    ['npm run build; echo -e "\\n--- $? ---"', "error: no entry\n\n--- 2 ---", 2],
    ['npm run build 2>&1 | tail -5; echo "exit ${PIPESTATUS[0]}"', "error: no entry\nexit 2", 2],
  ];
  for (const [command, output, exitCode] of failures) {
    const told = ran(command, output);
    assert.equal(told.title, `\`npm run build\` failed (exit ${exitCode}): error: no entry`);
    assert.equal(told.facts.exitCode, exitCode);
    assert.equal(told.sameAs, failed("npm run build", "no").sameAs);
  }
  const passed = ran("npm run build; echo EXIT=$?", "built\nEXIT=0");
  assert.deepEqual([passed.outcome, passed.facts.exitCode], ["success", 0]);
  assert.equal(passed.mends, failed("npm run build", "no").sameAs);
  assert.equal(ran("npm test; echo $?", "boom\n1").outcome, "failure");
});

const CARGO = "error: could not compile `demo` (bin) due to 1 previous error";
const MENDED: readonly (readonly [command: string, bad: string, good: string])[] = [
  ["cargo build 2>&1 | tail -5", CARGO, "   Compiling demo v0.1.0"],
  ["npx tsc --noEmit 2>&1 | head -20", "src/a.ts(1,1): error TS2304: Cannot find name 'x'.", ""],
  ["make -j4 2>&1 | tail -3", "make: *** [all] Error 2", "cc -c src/error.c -Werror"],
  ["npm run build 2>&1 | tail -5", "npm error code ELIFECYCLE", "✓ built in 1.2s"],
  [
    "npx eslint . | tail -3",
    "✖ 1 problem (1 error, 0 warnings)",
    "✖ 1 problem (0 errors, 1 warning)",
  ],
  ["make docs 2>&1 | tail -5", "make: *** [docs] Error 1", "fine"],
];

Deno.test("what only the output of a build had told of is mended when that shows it no more", async () => {
  for (const [command, bad, good] of MENDED) {
    const { open, fixes } = await outcomeOf([command, bad], [command, good]);
    assert.deepEqual([open, fixes.length], [[], 1], command);
    const unchanged = await outcomeWithoutEdits([command, bad], [command, good]);
    assert.deepEqual(unchanged.open, [command], "nothing was done, so nobody knows");
  }
});

Deno.test("what may have failed all the same, or was seen in another way, stays open", async () => {
  const command = "npm run build 2>&1 | tail -5";
  const bad: Step = [command, "npm error code ELIFECYCLE"];
  const rows: readonly (readonly [Step, Step])[] = [
    [bad, [command, "Error: Cannot find module 'vite'"]],
    [bad, [command, "sh: 1: vite: not found"]],
    [bad, ["npm run build 2>&1 | head -1", "> vite build"]],
    [["npm run build", "npm error code ELIFECYCLE", true], [command, "✓ built in 1.2s"]],
  ];
  for (const [failing, next] of rows) {
    const { open, fixes } = await outcomeOf(failing, next);
    assert.deepEqual([open, fixes], [[failing[0]], []], next.join());
  }
});

Deno.test("a command that changes something mends also where its status is hidden", async () => {
  const { fixes } = await outcomeWithoutEdits(
    ["npm test", "Error: Cannot find module 'left-pad'", true],
    ["npm install left-pad 2>&1 | tail -2", "added 1 package"],
    ["npm test", "Tests: 4 passed, 4 total"],
  );
  assert.deepEqual(fixes, [
    "Fixed Error: Cannot find module 'left-pad' by `npm install left-pad 2>&1`",
  ]);
});
