/** A build or check is mended by one that has done the same or more, whatever starts it, and whichever script calls it. */
import assert from "node:assert/strict";
import { leftOpen, outcomeOf } from "../../support/left_open.ts";

const TSC = "src/a.ts(1,1): error TS2304: Cannot find name 'foo'.";
const LINT = "src/a.ts\n  3:1  error  Unexpected console statement  no-console";
const MYPY = 'app/a.py:1: error: Name "x" is not defined';
const JEST = "FAIL src/a.test.ts\n  ● adds\n\nTests:       1 failed, 4 passed, 5 total";
const JEST_OK = "Tests:       5 passed, 5 total";
const PYTEST = "FAILED tests/t.py::a - no\n1 failed, 4 passed in 0.1s";
const PYTEST_OK = "5 passed in 0.1s";
const says = (script: string, command: string, output = "") =>
  `\n> x@1.0.0 ${script}\n> ${command}\n\n${output}`;

type Row = readonly [failing: string, bad: string, passing: string, good: string];

const MENDED: readonly Row[] = [
  // Whatever starts it.
  ["npx tsc --noEmit", TSC, "pnpm exec tsc --noEmit", ""],
  ["npx tsc --noEmit", TSC, "./node_modules/.bin/tsc --noEmit", ""],
  ["mypy app", MYPY, "python -m mypy app", "Success: no issues found in 3 source files"],
  ["mypy app", MYPY, "uv run mypy app", "Success: no issues found in 3 source files"],
  ["poetry run ruff check .", MYPY, "ruff check", "All checks passed!"],
  ["bundle exec rubocop", LINT, "rubocop", "no offenses detected"],
  ["npm run build", "Error: no", "pnpm run build", "ok"],
  ["npm run build", "Error: no", "yarn build", "ok"],
  ["cd web && npx tsc", TSC, "cd web && yarn exec tsc", ""],
  // More of it.
  ["cargo clippy -- -D warnings", "error: no", "cargo clippy --all-targets -- -D warnings", ""],
  ["cargo clippy", "error: no", "cargo clippy --workspace --all-targets", ""],
  ["cargo clippy --workspace", "error: no", "cargo clippy --workspace --all-features", ""],
  ["cargo clippy", "error: no", "cargo clippy -- -D warnings", ""],
  ["cargo check", "error: no", "cargo c --workspace", ""],
  ["mypy app/a.py", MYPY, "mypy app", "Success: no issues found in 3 source files"],
  ["mypy app", MYPY, "mypy --strict app", "Success: no issues found in 3 source files"],
  ["npx eslint src/a.ts", LINT, "npx eslint src", ""],
  ["npx eslint src/a.ts", LINT, "npx eslint --fix src", ""],
  ["npx eslint --ext .ts src", LINT, "npx eslint --ext .ts .", ""],
  ["ruff check app tests", MYPY, "ruff check .", "All checks passed!"],
  ["go vet ./store", "store/a.go:1:1: no", "go vet ./...", ""],
  ["go build ./store/...", "store/a.go:1:1: no", "go build ./...", ""],
  ["npx prettier --check src", "[warn] src/a.ts", "npx prettier --check .", ""],
  ["cargo clippy", "error: no", "cargo fmt && cargo clippy --all-targets && cargo test", ""],
  ["cargo clippy | tail -3", "error: could not compile `x`", "cargo clippy --all-targets", ""],
  ["npx tsc --noEmit", TSC, "npx tsc -p .", ""],
  ["terraform plan", "Error: no", "terraform plan -out=x.plan", "Plan: 1 to add"],
  ["terraform plan -no-color", "Error: no", "terraform plan -out x.plan", "Plan: 1 to add"],
  ["docker build -t app .", "ERROR: no", "docker build -t app:dev .", "ok"],
  ["docker build -f a .", "ERROR: no", "docker build --tag=app -f a .", "ok"],
  ["make", "a.c:1: error: x", "make -j8 all", "cc"],
  ["cd web && make", "a.c:1: error: x", "cd web && make all", "cc"],
  // Called by a script of the project, or itself where that had failed.
  ["npx tsc --noEmit", TSC, "npm run typecheck", says("typecheck", "tsc --noEmit")],
  ["npx tsc --noEmit", TSC, "pnpm check", says("check /p", "tsc --noEmit && eslint .")],
  [
    "npx eslint .",
    LINT,
    "npm run ci",
    says("ci", "npm run lint && jest") + says("lint", "eslint ."),
  ],
  ["npx eslint .", LINT, "yarn lint", "yarn run v1.22.19\n$ eslint .\nDone in 0.1s."],
  ["npx eslint .", LINT, "make lint", "npx eslint ."],
  ["deno check main.ts", TSC, "deno task check", "Task check deno check main.ts"],
  ["cd web && npx eslint .", LINT, "cd web && npm run lint", says("lint", "eslint .")],
  ["npm run lint", says("lint", "eslint .", LINT), "npx eslint .", ""],
  ["npm run lint", says("lint", "eslint src", LINT), "npx eslint .", ""],
  ["npm run lint", says("lint", "eslint . && tsc", LINT), "npx eslint . && npx tsc", ""],
  ["make lint", `eslint .\n${LINT}\nmake: *** [Makefile:2: lint] Error 1`, "npx eslint .", ""],
  ["make test", `pytest -q\n${PYTEST}\nmake: *** [Makefile:3: test] Error 1`, "pytest", PYTEST_OK],
  ["pytest -q", PYTEST, "make test", `pytest -q\n${PYTEST_OK}`],
  ["npm test", says("test", "jest", JEST), "npx jest", JEST_OK],
  ["npx jest --coverage", JEST, "npm test", says("test", "jest", JEST_OK)],
  ["CI=1 npm test", says("test", "jest", JEST), "npx jest", JEST_OK],
];

const LEFT_OPEN: readonly Row[] = [
  ["npx tsc", TSC, "npx tsc --noEmit", ""],
  ["terraform plan", "Error: no", "terraform plan -target=a", "Plan: 1 to add"],
  ["terraform plan", "Error: no", "terraform apply -out=x.plan", "ok"],
  ["docker build -t app .", "ERROR: no", "docker build -t app --target base .", "ok"],
  ["docker build -t app web", "ERROR: no", "docker build -t app api", "ok"],
  ["make", "a.c:1: error: x", "make docs", "cc"],
  ["make lint", "a.c:1: error: x", "make all", "cc"],
  ["make", "a.c:1: error: x", "make -n all", "cc"],
  ["npx tsc --noEmit", TSC, "npx tsc --noEmit -p tsconfig.test.json", ""],
  ["npx tsc", TSC, "npx tsc --noEmit | tail -3", "npm error"],
  ["cd web && npx tsc", TSC, "npx tsc", ""],
  ["npx tsc", TSC, "cd web && npx tsc", ""],
  ["NODE_ENV=production npm run build", "Error: no", "pnpm run build", "ok"],
  ["npm run build", "Error: no", "pnpm run build:css", "ok"],
  ["docker build -f a -t b .", "ERROR: no", "docker build -f b -t a .", ""],
  ["npm run build", "Error: no", "pnpm --filter web run build", "ok"],
  ["npm run lint -- --max-warnings=0", LINT, "pnpm run lint", "ok"],
  ["cargo clippy --all-targets", "error: no", "cargo clippy", ""],
  ["cargo clippy -- -D warnings", "error: no", "cargo clippy", ""],
  ["cargo clippy", "error: no", "cargo clippy -p core", ""],
  ["cargo clippy", "error: no", "cargo clippy --all-targets -- -A clippy::all", ""],
  ["cargo build --release", "error: no", "cargo build --workspace", ""],
  ["cargo build --target wasm32-unknown-unknown", "error: no", "cargo build --all-targets", ""],
  ["mypy app", MYPY, "mypy app/b.py", "Success: no issues found in 1 source file"],
  ["mypy", MYPY, "mypy app", "Success: no issues found in 1 source file"],
  ["mypy --config-file a.ini app", MYPY, "mypy --config-file b.ini .", "Success: no issues found"],
  ["npx eslint src", LINT, "npx eslint test", ""],
  ["npx eslint src", LINT, "npx eslint srcs", ""],
  ["npx eslint .", LINT, "npx eslint . --rule no-console:off", ""],
  ["npx eslint .", LINT, "npx eslint . || true", LINT],
  ["go vet ./store/...", "store/a.go:1:1: no", "go vet ./store", ""],
  ["go vet ./...", "store/a.go:1:1: no", "go vet ./store/...", ""],
  ["npx tsc", TSC, "npm run check", says("check", "tsc || true")],
  ["npx tsc", TSC, "npm run check", says("check", "tsc; eslint .")],
  ["npx tsc", TSC, "npm run check", says("check", "tsc --noEmit -p web")],
  ["npx tsc", TSC, "npm --prefix web run check", says("check", "tsc")],
  ["npx tsc", TSC, "npm run check -w web", says("check", "tsc")],
  ["npx tsc", TSC, "git stash && npm run check && git stash pop", says("check", "tsc")],
  ["npx tsc", TSC, "git checkout main && npm run check", says("check", "tsc")],
  ["npm run lint", says("lint", "eslint . && tsc", LINT), "npx eslint .", ""],
  ["npm run lint", says("lint", "eslint .", LINT), "npx eslint src", ""],
  ["npm run lint -w web", says("lint", "eslint .", LINT), "npx eslint .", ""],
  ["make -C web lint", `eslint .\n${LINT}`, "npx eslint .", ""],
  ["npm test", says("test", "jest --config e2e.json", JEST), "npx jest", JEST_OK],
  ["npm test -w a", says("test", "jest", JEST), "npx jest", JEST_OK],
  ["npx jest", JEST, "npm test", says("test", "jest src/b.test.ts", JEST_OK)],
  ["npx jest", JEST, "npm test", says("test", "jest || true", JEST_OK)],
];

Deno.test("a build or check is mended by the same, or a wider one, however it is started", async () => {
  const open: Row[] = [];
  for (const row of MENDED) {
    const [failing, bad, passing, good] = row;
    if ((await leftOpen([failing, bad, true], [passing, good])).length > 0) open.push(row);
  }
  assert.deepEqual(open, []);
});

Deno.test("another one, a narrower one, or one of which nobody knows leaves it open", async () => {
  const mended: Row[] = [];
  for (const row of LEFT_OPEN) {
    const [failing, bad, passing, good] = row;
    const open = await leftOpen([failing, bad, true], [passing, good]);
    if (!open.includes(failing)) mended.push(row);
  }
  assert.deepEqual(mended, []);
});

Deno.test("a check that failed in two forms is one fix", async () => {
  const { fixes, open } = await outcomeOf(
    ["npx tsc", TSC, true],
    ["npm run check", says("check", "tsc", TSC), true],
    ["pnpm exec tsc", ""],
  );
  assert.deepEqual([fixes.length, open], [1, []]);
});
