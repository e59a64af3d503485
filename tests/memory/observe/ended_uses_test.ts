/** What a tool use tells that failed, was ended, or was not waited for. */
import assert from "node:assert/strict";
import { observe } from "../../../src/memory/observe/observe.ts";
import { ROOT } from "../../support/commands_observed.ts";
import CASES from "../../testdata/observed_cases.json" with { type: "json" };
import { rowsOf } from "../../support/fixtures.ts";

type Fields = Readonly<Record<string, unknown>>;

function failing(toolName: string, tool_input: Fields, error: string) {
  const payload = { tool_input, error };
  return observe({ toolName, outcome: "failure", payload, root: ROOT })!;
}

/** What a command tells by the response of the Bash tool. */
function tell(command: string, response: Fields, input: Fields = {}) {
  const payload = {
    tool_input: { command, ...input },
    tool_response: { stdout: "", stderr: "", interrupted: false, ...response },
  };
  return observe({ toolName: "Bash", outcome: "success", payload, root: ROOT })!;
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
  for (
    const [tool, input] of [["mcp__a__b", { q: 1 }], ["mcp__a__Read", { file_path: "x" }]] as const
  ) {
    assert.equal(failing(tool, input, "no").title, `${tool} failed: no`);
  }
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

const INTERRUPTED = { interrupted: true };

Deno.test("a command in the background has not passed, made no commit, and mends nothing", () => {
  const rows = rowsOf<readonly [use: Parameters<typeof tell>, title: string]>(CASES.notWaitedFor);
  for (const [use, wanted] of rows) {
    const { kind, outcome, title, passes, besides, facts } = tell(...use);
    assert.deepEqual(
      [kind, outcome, title, passes, besides, facts.exitCode, facts.passed],
      ["command", null, wanted, undefined, undefined, undefined, undefined],
    );
  }
  assert.equal(tell("npm test", { stdout: "Tests: 3 passed, 3 total" }).kind, "test");
});

Deno.test("a commit that git printed was made, whatever happened to the rest", () => {
  const { kind, besides } = tell("git commit -m x && git push", {
    ...INTERRUPTED,
    stdout: "[main abc1234] x",
  });
  assert.deepEqual([kind, besides?.title], ["command", "Commit abc1234 on main: x"]);
});
