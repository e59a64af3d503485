/** What commands are known by, and which of them run, build or check something. */
import assert from "node:assert/strict";
import type { CommandKey } from "../../../src/memory/observe/observation.ts";
import { CHECK_TOOLS } from "../../../src/memory/observe/check_tools.ts";
import { commandKey } from "../../../src/memory/observe/command_key.ts";
import { scriptCommands } from "../../../src/memory/observe/shell_words.ts";
import { failingTests, readTestRun } from "../../../src/memory/observe/test_run.ts";
import { ROOT } from "../../support/commands_observed.ts";

/** What the last command of a script is known by. */
function keyOf(script: string): CommandKey {
  const commands = scriptCommands(script);
  const key = commandKey(commands, commands.length - 1, ROOT);
  assert.ok(key, script);
  return key;
}

Deno.test("each test runner counts its example, and each other tool is known by its example", () => {
  for (const { example, says, call, check } of CHECK_TOOLS) {
    const run = readTestRun(example);
    if (says === null) assert.equal(keyOf(example).check, check, example);
    else assert.deepEqual([run?.passed, run?.failed], says, `${call}: ${example}`);
  }
});

Deno.test("spellings of the same command have the same key", () => {
  const same: readonly (readonly string[])[] = [
    ["pytest tests/a.py", "python3 -m pytest -q ./tests/a.py", "cd tests && uv run pytest a.py"],
    ["go test ./a", "cd a && go test -count=1", "go test -v ./a/"],
    ["go test ./... -run TestA", "go test -run=TestA -timeout 5m ./..."],
    ["npm test", "npm run test", "pnpm t", "yarn test --silent", "CI=1 timeout 60 npm test"],
    ["npm run build -w a", "npm -w a run build", "pnpm --filter a run build"],
    ["make -C web lint", "cd web && make lint", "cd web; make -s lint"],
    ["cargo build -p core", "cargo b --package core"],
    ["npx tsc --noEmit", "pnpm exec tsc --noEmit", "./node_modules/.bin/tsc --pretty false"],
    ["git push", "git push -u origin main", "git -C . push"],
    [`cd ${ROOT}/web && npm test`, "npm --prefix web test"],
  ];
  for (const [first = "", ...others] of same) {
    for (const other of others) assert.deepEqual(keyOf(other), keyOf(first), `${other}: ${first}`);
  }
});

Deno.test("commands that do different things have different keys", () => {
  const others: readonly (readonly [one: string, other: string])[] = [
    ["npm test", "npm run test:unit"],
    ["npm test", "cd web && npm test"],
    ["npm test -w a", "npm test -w b"],
    ["cargo test -p a", "cargo test -p b"],
    ["go test -tags=integration ./...", "go test ./..."],
    ["npx jest", "npx vitest run"],
    ["git merge x", "git rebase x"],
    ["python a.py", "python b.py"],
    ["cat a", "cat b"],
  ];
  for (const [one, other] of others) {
    assert.notEqual(keyOf(one).what, keyOf(other).what, `${one}: ${other}`);
  }
});

Deno.test("the name of a task tells what it checks; a command that only mentions tests checks nothing", () => {
  const checks: readonly (readonly [script: string, check: CommandKey["check"]])[] = [
    ["npm run test:unit", "test"],
    ["npm run lint", "lint"],
    ["pnpm typecheck", null],
    ["pnpm run typecheck", "type"],
    ["make build", "build"],
    ["make test", "test"],
    ["./gradlew :app:test", "test"],
    ["deno task test", "test"],
    ["mise run lint", "lint"],
    ["npm install jest", null],
    ["pytest --collect-only", null],
    ["echo npm test", null],
    ["git commit -m 'npm test'", null],
    ["cat tests/a.py", null],
  ];
  for (const [script, check] of checks) {
    const commands = scriptCommands(script);
    assert.equal(commandKey(commands, commands.length - 1, ROOT)?.check ?? null, check, script);
  }
});

Deno.test("failed tests have the names that their runners print", () => {
  const rows: readonly (readonly [output: string, ...names: string[]])[] = [
    ["test tests::adds ... FAILED\ntest tests::b ... ok", "tests::adds"],
    ["adds ... FAILED (3ms)", "adds"],
    ["a.ts => adds ... FAILED (3ms)\nFAILED | 3 passed | 1 failed (3s)", "a.ts => adds"],
    ["# pass 4\nnot ok 2 - adds # time=1\n# fail 1", "adds"],
    ["--- FAIL: TestAdd (0.00s)", "TestAdd"],
    [
      "FAILED tests/a.py::test_b - no\nERROR tests/c.py::test_d - no",
      "tests/a.py::test_b",
      "tests/c.py::test_d",
    ],
    ["  ✕ adds (3 ms)\n  ✓ takes away", "adds"],
    ["not ok 1 - adds\nnot ok 2 - waits # TODO", "adds"],
    ["FAIL: test_a (tests.A)", "test_a (tests.A)"],
    ["  1 failing\n\n  1) cart\n       adds:\n", "cart adds"],
    ["  ● cart › adds\n", "cart › adds"],
    [" FAIL  src/a.test.ts > adds\n", "src/a.test.ts > adds"],
  ];
  for (const [output, ...names] of rows) assert.deepEqual(failingTests(output), names, output);
});
