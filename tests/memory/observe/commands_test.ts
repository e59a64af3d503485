/** What is kept of a command: where it ran, what it changes, the files that it names. */
import assert from "node:assert/strict";
import { LAUNCHERS, withoutLaunchers } from "../../../src/memory/observe/shell_words.ts";
import { CHANGES, changingPart } from "../../../src/memory/observe/changing_commands.ts";
import CASES from "../../testdata/observed_cases.json" with { type: "json" };
import { inItsFolder } from "../../../src/memory/observe/command_folder.ts";
import { observe } from "../../../src/memory/observe/observe.ts";
import { rowsOf } from "../../support/fixtures.ts";

Deno.test("what only starts a command is taken off it, with its options", () => {
  for (const { example, call } of LAUNCHERS) {
    const rest = withoutLaunchers(example.split(" ")).join(" ");
    assert.match(rest, /^(?:make|jest|vendor\/bin\/phpunit) x$/, String(call));
  }
});

Deno.test("every row of changing commands takes its example", () => {
  for (const [at, { example, isOutside, call }] of CHANGES.entries()) {
    const part = changingPart(example);
    assert.strictEqual(part?.isOutside, isOutside, example);
    const line = example.replace(/^npx /, "");
    assert.strictEqual(CHANGES.findIndex((row) => row.call.test(line)), at, `${example}: ${call}`);
  }
});

Deno.test("commands that only look, check or write to a temporary folder change nothing", () => {
  for (const command of CASES.changingNothing) {
    assert.strictEqual(changingPart(command), null, command);
  }
});

const ROOT = "/home/ana/app";

Deno.test("a command names the folder that it ran in, by its own `cd` or by the shell's folder", () => {
  const told = rowsOf<readonly [command: string, shellFolder: string, told: string]>(
    CASES.foldersOfCommands,
  );
  for (const [command, shellFolder, wanted] of told) {
    assert.equal(inItsFolder(command, { root: ROOT, shellFolder }), wanted, `in ${shellFolder}`);
  }
  for (const command of CASES.foldersAsTyped) {
    assert.equal(inItsFolder(command, { root: ROOT, shellFolder: `${ROOT}/web` }), command);
  }
  assert.equal(inItsFolder("npm test", { root: null, shellFolder: "/p" }), "npm test");
});

Deno.test("a command's folder is the shell's where the capture has one, else the project's", () => {
  const commandIn = (payload: Record<string, string>) =>
    observe({
      toolName: "Bash",
      outcome: "success",
      payload: { tool_input: { command: "make" }, tool_response: "", ...payload },
      root: ROOT,
    })?.facts.command;
  assert.equal(commandIn({}), "make");
  assert.equal(commandIn({ project_dir: `${ROOT}/web` }), "cd web && make");
  assert.equal(commandIn({ project_dir: ROOT, cwd: `${ROOT}/web` }), "cd web && make");
  assert.equal(commandIn({ project_dir: `${ROOT}/web`, cwd: ROOT }), "make");
});

/** The files of a failure, as Claude Code tells it from the project `/w/app`. */
function filesOf(command: string, output: string): string[] {
  const observed = observe({
    toolName: "Bash",
    outcome: "failure",
    payload: {
      tool_input: { command },
      error: `Exit code 1\n${output}`,
      project_dir: "/w/app",
    },
    root: "/w/app",
  });
  return observed!.files.map(({ path }) => path);
}

Deno.test("a failure is about the files of the project that it names", () => {
  const cases = rowsOf<readonly [command: string, output: string, files: readonly string[]]>(
    Object.values(CASES.namedFiles).flat(),
  );
  for (const [command, output, files] of cases) {
    assert.deepEqual(filesOf(command, output), files, `${command}: ${output}`);
  }
});

Deno.test("a failure is about a few files, each once", () => {
  const many = Array.from({ length: 20 }, (_, n) => `src/${n}.ts:1:1 error\nsrc/${n}.ts:2:1 error`);
  const files = filesOf("npx tsc", many.join("\n"));
  assert.equal(files.length, 8);
  assert.equal(new Set(files).size, 8);
});

Deno.test("a command that passes is about no file", () => {
  const passed = observe({
    toolName: "Bash",
    outcome: "success",
    payload: { tool_input: { command: "npm test" }, tool_response: { stdout: "ok src/a.ts:1" } },
    root: "/w/app",
  });
  assert.deepEqual(passed!.files, []);
});
