/** Which commands run tests, and which only speak of them, or come to none. */
import assert from "node:assert/strict";
import { isTestCommand } from "../../../src/memory/observe/test_commands.ts";
import { failed, ran } from "../../support/commands_observed.ts";

Deno.test("tests are known by their runner, in whatever package and wrapped in whatever", () => {
  const commands = [
    "cargo nextest run",
    "nx test",
    "npx nx run x:test",
    "nx run-many -t test",
    "turbo run test",
    "npx turbo test --filter=a",
    "bazel test //a/...",
    "pnpm --filter a test",
    "pnpm -F a run test:unit",
    "npm --prefix a test",
    "npm -w a test",
    "npm test --workspace=a",
    "yarn workspace a test",
    "bun --filter a test",
    "./gradlew :a:test",
    "mvn -pl a test",
    "bats tests",
    "swift test",
    "npx playwright test",
    "mix test",
    "bun test",
    "sudo npm test",
    "if ! npm test; then echo no; fi",
    "for i in 1 2; do npm test; done",
    "docker compose exec web pytest",
    'bash -c "npm test"',
    "git bisect run npm test",
    "cd a && CI=1 npx jest",
    "npm ci && npm test",
    "npx jest view",
    "make install test",
  ];
  assert.deepEqual(commands.filter((command) => !isTestCommand(command)), []);
});

Deno.test("what only names tests, fetches their runner or asks it something runs none", () => {
  const commands = [
    "pytest --version",
    "pytest --collect-only -q",
    "pytest --co",
    "npx jest --listTests",
    "npx playwright test --list",
    "npx vitest --help",
    "cargo test --no-run",
    "cargo test -- --list",
    "npx mocha --dry-run",
    "make -n test",
    "mvn verify -DskipTests",
    "./gradlew build -x test",
    "go test -c ./a",
    "pip install pytest",
    "uv pip install pytest-xdist",
    "python -m pip install -U pytest",
    "npm install --save-dev jest",
    "cat pytest.ini",
    "cat jest.config.js",
    "npx prettier --write jest.config.js",
    "grep -rn 'npm test' .",
    "which pytest",
    'echo "npm test"',
    'git commit -m "Let npm test pass"',
    'git commit -qm "$(cat <<EOF\npytest\nEOF\n)"',
    "cat > run.sh <<EOF\nnpm test\nEOF",
    'python -c "import pytest; print(pytest.__version__)"',
  ];
  assert.deepEqual(commands.filter(isTestCommand), []);
  const told = ran("pytest --version", "pytest 8.0");
  assert.deepEqual([told.kind, told.title], ["command", "Run pytest --version"]);
});

Deno.test("a run that comes to no test has neither passed nor failed, and mends nothing", () => {
  const rows: readonly (readonly [tell: typeof ran, command: string, output: string])[] = [
    [ran, "npx jest --passWithNoTests", "No tests found, exiting with code 0"],
    [failed, "npx jest", "No tests found, exiting with code 1\nRun with `--passWithNoTests`"],
    [failed, "npx vitest run zz", "No test files found, exiting with code 1"],
    [
      failed,
      "pytest -k zz",
      "collected 3 items / 3 deselected / 0 selected\n\n=== 3 deselected in 0.01s ===",
    ],
    [failed, "pytest -q -k zz", "3 deselected in 0.01s"],
    [failed, "pytest", "collected 0 items\n\n=== no tests ran in 0.01s ==="],
    [
      ran,
      "cargo test zz",
      "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out",
    ],
    [ran, "deno test --filter zz", "ok | 0 passed | 0 failed | 4 filtered out (1s)"],
    [ran, "node --test", "ℹ tests 0\nℹ pass 0\nℹ fail 0\nℹ skipped 0"],
    [ran, "python -m unittest", "\nRan 0 tests in 0.000s\n\nOK"],
    [ran, "go test -run zz ./...", "ok  \tx/a\t0.1s [no tests to run]"],
    [ran, "go test ./...", "?   \tx/a\t[no test files]"],
  ];
  for (const [tell, command, output] of rows) {
    const { kind, outcome, title, mends, passes } = tell(command, output);
    assert.deepEqual(
      [kind, outcome, title, mends, passes],
      ["command", null, `Run ${command}`, null, undefined],
    );
  }
});

Deno.test("tests that could not be called have not failed: what failed is something else", () => {
  const rows: readonly (readonly [command: string, output: string])[] = [
    ["npm test", 'npm error Missing script: "test"'],
    ["npm test", "npm error code ENOENT\nnpm error Could not read package.json"],
    ["bun run test", 'error: Script not found "test"'],
    ["cd web && npm test", "bash: line 1: cd: web: No such file or directory"],
    ["pytest", "bash: line 1: pytest: command not found"],
    ["npm test", "> jest\n\nsh: 1: jest: not found"],
    ["python -m pytest", "/usr/bin/python: No module named pytest"],
    ["make test", "make: *** No rule to make target 'test'.  Stop."],
    ["npm run build && npm test", "src/a.ts(3,5): error TS2322: x\nnpm error code ELIFECYCLE"],
    ["npx eslint . && npx vitest run", "✖ 3 problems (3 errors, 0 warnings)"],
    ["make && make test", "a.c:3:5: error: x\nmake: *** [all] Error 1"],
    [
      "pytest nowhere.py",
      "ERROR: file or directory not found: nowhere.py\n\nno tests ran in 0.00s",
    ],
    ["pytest", "collected 0 items\n\n=== no tests ran in 0.01s ===\nINTERNALERROR> error: x"],
  ];
  for (const [command, output] of rows) {
    const { kind, outcome, title } = failed(command, output);
    assert.deepEqual([kind, outcome], ["failure", "failure"], command);
    assert.match(title, /^`.*` failed /);
  }
});

Deno.test("tests that fail before they can be counted have failed", () => {
  const rows: readonly (readonly [command: string, output: string])[] = [
    ["npm test", "TypeError: x is undefined"],
    ["pytest", "collected 0 items / 1 error\n\nERROR t.py - ImportError\n=== 1 error in 0.1s ==="],
    ["npx jest", "FAIL a.test.js\n  ● Test suite failed to run\nTests:       0 total"],
    ["cargo test", "error[E0308]: mismatched types"],
    ["npm run build && npm test", "built\n  ● adds\nnpm error code ELIFECYCLE"],
    [
      "npm run build && npm test",
      "src/a.ts(3,5): error TS2322: x\nTests: 1 failed, 2 passed, 3 total",
    ],
    ["npm test && npm run build", "src/a.ts(3,5): error TS2322: x"],
    ["npm test", 'sh -c: "foo" is refused\n1 failing\n  bash: foo: command not found'],
  ];
  for (const [command, output] of rows) {
    assert.deepEqual([failed(command, output).kind, command], ["test", command]);
  }
});
