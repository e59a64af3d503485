import assert from "node:assert/strict";
import { observe } from "../../../src/memory/observe/observe.ts";
import CASES from "../../testdata/observed_cases.json" with { type: "json" };
import { rowsOf } from "../../support/fixtures.ts";

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
