/** What commands are known by, and which of them run, build or check something. */
import assert from "node:assert/strict";
import type { CommandKey } from "../../../src/memory/observe/observation.ts";
import { CHECK_TOOLS } from "../../../src/memory/observe/check_tools.ts";
import { commandKey } from "../../../src/memory/observe/command_key.ts";
import { scriptCommands } from "../../../src/memory/observe/shell_words.ts";
import { failingTests, readTestRun } from "../../../src/memory/observe/test_run.ts";
import { ROOT } from "../../support/commands_observed.ts";
import CASES from "../../testdata/observed_cases.json" with { type: "json" };
import { rowsOf } from "../../support/rows.ts";

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
    ["mvn test", "mvn -q test", "./mvnw -B test"],
    ["gradle check", "./gradlew -q check"],
    ["cargo test", "cargo -q test", "cargo t"],
    [`cd ${ROOT}/web && npm test`, "npm --prefix web test"],
  ];
  for (const [first = "", ...others] of same) {
    for (const other of others) assert.deepEqual(keyOf(other), keyOf(first), `${other}: ${first}`);
  }
});

Deno.test("commands that do different things have different keys", () => {
  const others = rowsOf<readonly [one: string, other: string]>(CASES.differentKeys);
  for (const [one, other] of others) {
    assert.notEqual(keyOf(one).what, keyOf(other).what, `${one}: ${other}`);
  }
});

Deno.test("the name of a task tells what it checks; a command that only mentions tests checks nothing", () => {
  const checks = rowsOf<readonly [script: string, check: CommandKey["check"]]>(CASES.checks);
  for (const [script, check] of checks) {
    const commands = scriptCommands(script);
    assert.equal(commandKey(commands, commands.length - 1, ROOT)?.check ?? null, check, script);
  }
});

Deno.test("failed tests have the names that their runners print", () => {
  const rows = rowsOf<readonly [output: string, ...names: string[]]>(CASES.failingNames);
  for (const [output, ...names] of rows) assert.deepEqual(failingTests(output), names, output);
});
