import assert from "node:assert/strict";
import { observe } from "../../../src/memory/observe/observe.ts";

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
  const cases: readonly (readonly [command: string, output: string, files: readonly string[]])[] = [
    ["npx tsc --noEmit", "src/a.ts(3,5): error TS2304: Cannot find name 'x'.", ["src/a.ts"]],
    ["npx eslint .", "/w/app/src/b.ts\n  3:5  error  'x' is unused", ["src/b.ts"]],
    ["npx eslint src/c.tsx", "1 problem", ["src/c.tsx"]],
    ["pytest", "FAILED tests/test_a.py::test_x - assert 1 == 2", ["tests/test_a.py"]],
    ["cargo build", "error[E0425]: x\n --> src/main.rs:3:5", ["src/main.rs"]],
    ["npm test", "FAIL src/a.test.ts > adds\n at sum (/w/app/src/a.ts:1:2)", [
      // The line that says what is wrong comes first.
      "src/a.ts",
      "src/a.test.ts",
    ]],
    ["cd web && npm test", "FAIL src/a.test.ts", ["web/src/a.test.ts"]],
    ["go test ./...", "    a_test.go:12: want 1", ["a_test.go"]],
    // Nobody's own, elsewhere, or no file.
    ["npm test", "at /w/app/node_modules/x/index.js:1:2\nat node:internal/a.js:1", []],
    ["npm test", "at /usr/lib/node.js:1:2\n/home/x/.cargo/a.rs:1", []],
    ["npm test", "e.g. in 1.2.s, see www.example.com and v1.2.3", []],
    ["../x.sh", "../x.sh: line 3", []],
  ];
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
