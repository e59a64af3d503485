/** What a tool tells that failed, or was ended. */
import assert from "node:assert/strict";
import { observe } from "../../../src/memory/observe/observe.ts";
import { ROOT } from "../../support/commands_observed.ts";

function failing(toolName: string, input: Readonly<Record<string, unknown>>, error: string) {
  const told = observe({
    toolName,
    outcome: "failure",
    payload: { tool_input: input, error },
    root: ROOT,
  });
  assert.ok(told);
  return told;
}

Deno.test("a tool that failed with a file names it, whatever its ending", () => {
  const error = "File does not exist.";
  for (const path of ["nope.txt", "conf/nope2.txt", "Makefile", "src/a.ts"]) {
    const { title, files } = failing("Read", { file_path: `${ROOT}/${path}` }, error);
    assert.equal(title, `Read ${path} failed: ${error}`);
    assert.deepEqual(files, [{ path, digest: null }]);
  }
  const { title, files } = failing("NotebookEdit", { notebook_path: `${ROOT}/a.ipynb` }, "no");
  assert.deepEqual([title, files[0]?.path], ["NotebookEdit failed: no", "a.ipynb"]);
  assert.equal(failing("Read", {}, "no").title, "Read failed: no");
  assert.equal(failing("mcp__a__b", { q: 1 }, "no").title, "mcp__a__b failed: no");
});

Deno.test("a command that took too long says so, whatever it printed last", () => {
  const long = "a line\n".repeat(500);
  for (const output of ["starting server", `Error: later\n${long}`, ""]) {
    const error = `Command timed out after 2m 0s\n${output}`;
    const { title } = failing("Bash", { command: "npm run deploy" }, `Exit code 143\n${error}`);
    assert.equal(title, "`npm run deploy` failed (exit 143): Command timed out after 2m 0s");
    const uncoded = failing("Bash", { command: "npm run deploy" }, error).title;
    assert.equal(uncoded, "`npm run deploy` failed: Command timed out after 2m 0s");
    const tests = failing("Bash", { command: "npm test" }, `Exit code 143\n${error}`).title;
    assert.equal(tests, "Tests fail: npm test: Command timed out after 2m 0s");
  }
});
