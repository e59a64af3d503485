/** What commands are known by, and which of them run, build or check something. */
import assert from "node:assert/strict";
import type { CommandKey } from "../../../src/memory/observe/observation.ts";
import { CHECK_TOOLS } from "../../../src/memory/observe/check_tools.ts";
import { commandKey } from "../../../src/memory/observe/command_key.ts";
import { mustHavePassed, scriptCommands } from "../../../src/memory/observe/shell_words.ts";
import { failingTests, readTestRun } from "../../../src/memory/observe/test_run.ts";
import { ROOT } from "../../support/commands_observed.ts";
import CASES from "../../testdata/observed_cases.json" with { type: "json" };
import { rowsOf } from "../../support/fixtures.ts";

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

Deno.test("the operators around a test of the shell count for the commands beside it", () => {
  for (const script of ["[[ -f x ]] && npm test; echo done", "(( n > 1 )) || npm install"]) {
    assert.equal(mustHavePassed(scriptCommands(script), 0), false, script);
  }
  assert.ok(mustHavePassed(scriptCommands("[[ -f x ]] && npm test"), 0));
});

Deno.test("spellings of the same command have the same key", () => {
  const same = rowsOf<readonly string[]>(CASES.sameKeys);
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

Deno.test("a word with `=` is a file of a tool, and a variable of a task", () => {
  assert.deepEqual(keyOf("pytest -k a x=1 tests").paths, ["tests", "x=1"]);
  assert.deepEqual(keyOf("npm test x=1 tests").paths, ["tests"]);
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
