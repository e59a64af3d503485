/** Which edits a fix may name. */
import assert from "node:assert/strict";
import { creditedChanges } from "../../../src/memory/credited_changes.ts";
import { drainCaptures } from "../../../src/recall/capture_drain.ts";
import { saveEvent, tempDatabase } from "../../support/records.ts";

const PLAN = "/home/ana/.claude/plans/foo.md";

function credited(command: string, error: string, ...files: readonly string[]): string[] {
  const failure = {
    title: `\`${command}\` failed: ${error}`,
    text: `$ ${command}\n${error}`,
    facts: { command, error },
  };
  return creditedChanges(failure, files.map((file) => ({ files: [file] })))
    .flatMap((change) => change.files);
}

Deno.test("what lies outside the project, and prose alone, mends no program", () => {
  const none = [
    [PLAN],
    ["/tmp/x"],
    ["README.md"],
    ["NOTES.md", "docs/guide/start.md", "ideas.txt"],
    [PLAN, "README.md"],
  ];
  for (const files of none) {
    assert.deepEqual(credited("npm run build", "Error: x", ...files), [], files.join());
  }
});

Deno.test("what no test and no compiler reads is not credited, beside code neither", () => {
  const unread = [
    "web/style.css",
    "styles/main.scss",
    "web/logo.png",
    "docs/x.md",
    "CHANGELOG.md",
    ".github/workflows/ci.yml",
    ".gitlab-ci.yml",
  ];
  const code = ["src/api.ts", "src/main.rs", "pkg/parse.go"];
  for (const command of ["go test ./...", "npx tsc --noEmit", "cargo build", "npx vitest run"]) {
    assert.deepEqual(credited(command, "Error: x", ...unread), [], command);
    assert.deepEqual(credited(command, "Error: x", ...unread, ...code), code, command);
  }
});

Deno.test("what the failure may be about is credited", () => {
  const rows: readonly (readonly [command: string, error: string, ...files: string[]])[] = [
    ["npm run build", "Error: x", "src/a.ts"],
    ["npm run build", "README.md is missing", "README.md"],
    ["markdownlint .", "MD013 line length", "docs/a.md"],
    ["npx prettier --check .", "Code style issues", "docs/a.md"],
    ["npm run docs:build", "dead link", "guide/a.md"],
    ["deno test tests/readme_test.ts", "a verb is missing", "README.md"],
    ["pip install -r x", "no such version", "requirements.txt"],
    ["make", "no target", "CMakeLists.txt"],
    ["npx stylelint .", "block-no-empty", "web/style.css"],
    ["npm run build", "Error: x", "src/a.ts", "styles/main.scss"],
    ["npx vite build", "Error: x", "web/logo.svg"],
    ["npx jest", "web/style.css: Unexpected token", "web/style.css"],
    ["npx jest", "cannot read logo.png", "web/logo.png"],
    ["actionlint", "unexpected key", ".github/workflows/ci.yml"],
    ["pytest tests/test_workflows.py", "no job", ".github/workflows/ci.yml"],
    ["pytest", "no match", "tests/fixtures/a.css"],
    ["npx prettier --check .", "Code style issues", "web/style.css", ".github/workflows/ci.yml"],
    ["npm test", "no match", "tests/golden/a.txt"],
  ];
  for (const [command, error, ...files] of rows) {
    assert.deepEqual(credited(command, error, ...files), files, command);
  }
  assert.deepEqual(credited("npm test", "Error: x", PLAN, "src/a.ts"), ["src/a.ts"]);
});

Deno.test("a linter in a folder is mended by nothing outside of it in another language", () => {
  const error = "1:1 error no-undef";
  const files = ["a.py", "web/gen.py", "web/a.js", "shared/b.ts", "package.json"];
  for (const command of ["npm run lint", "npx eslint .", "yarn lint --max-warnings=0", "npx tsc"]) {
    assert.deepEqual(credited(`cd web && ${command}`, error, ...files), files.slice(1), command);
  }
  assert.deepEqual(credited("cd api && ruff check .", "E501", "web/a.js", "b.py"), ["b.py"]);
  assert.deepEqual(credited("cd web && npm run lint", "a.py is missing", "a.py"), ["a.py"]);
  // What runs code may run any.
  for (const command of ["npm run lint", "cd web && npm test", "cd web && npm run build"]) {
    assert.deepEqual(credited(command, error, "a.py"), ["a.py"], command);
  }
});

Deno.test("what nothing in the project mended is closed without a fix", async () => {
  for (const file of [PLAN, "/p/README.md"]) {
    using temp = await tempDatabase();
    const save = (atMs: number, toolName: string, payload: unknown, failed = false) =>
      saveEvent(temp.db, {
        atMs,
        capture: {
          toolName,
          outcome: failed ? "failure" : "success",
          payload: JSON.stringify(payload),
        },
      });
    const input = { tool_input: { command: "npm run build" } };
    save(1_000, "Bash", { ...input, error: "Exit code 1\nError: x" }, true);
    save(2_000, "Write", { tool_input: { file_path: file, content: "a plan" } });
    save(3_000, "Bash", { ...input, tool_response: { stdout: "ok", stderr: "" } });
    drainCaptures(temp.db, { now: () => 1_000_000 });
    const rows = temp.db.prepare(
      "SELECT kind, resolved_by IS NULL AS isOpen FROM observations WHERE kind IN ('failure', 'fix')",
    ).all().map((row) => ({ ...row }));
    assert.deepEqual(rows, [{ kind: "failure", isOpen: 0 }], file);
  }
});
