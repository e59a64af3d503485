/** What failed under one condition (a version, a measure, many times) is not mended by what passes without it. */
import { assertLeftOpen, assertMended, type Mending } from "../../support/left_open.ts";

const JEST = "FAIL src/a.test.ts\n  ● adds\n\nTests:       1 failed, 4 passed, 5 total";
const JEST_OK = "PASS src/a.test.ts\n\nTests:       5 passed, 5 total";
const UNCOVERED =
  'PASS src/a.test.ts\nJest: "global" coverage threshold for lines (80%) not met: 61%\n\nTests:       5 passed, 5 total';
const VITEST_UNCOVERED =
  " Test Files  1 passed (1)\n      Tests  5 passed (5)\nERROR: Coverage for lines (61%) does not meet global threshold (80%)";
const PYTEST = "FAILED tests/t.py::a - no\n1 failed, 4 passed in 0.1s";
const PYTEST_OK = "5 passed in 0.1s";
const PYTEST_UNCOVERED =
  "FAIL Required test coverage of 80% not reached. Total coverage: 61.00%\n5 passed in 0.1s";
const GO = "--- FAIL: TestPut (0.00s)\nFAIL\nFAIL\tx.org/store\t0.1s";
const GO_OK = "ok  \tx.org/store\t0.1s";
const PLAYWRIGHT =
  "  1) [chromium] › cart.spec.ts:5:1 › adds\n\n    Error: no\n\n  1 failed\n    [chromium] › cart.spec.ts:5:1 › adds\n  2 passed (5s)";
const PLAYWRIGHT_OK = "  ✓  1 [chromium] › cart.spec.ts:5:1 › adds (2s)\n\n  3 passed (3s)";
const CARGO = "test a ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored";
const CARGO_OK = "test a ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored";

const LEFT_OPEN: readonly Mending[] = [
  ["nvm use 18 && npm test", JEST, "nvm use 22 && npm test", JEST_OK],
  ["nvm use 18 && npm test", JEST, "npm test", JEST_OK],
  ["source ~/.nvm/nvm.sh && nvm use 18 && npm test", JEST, "fnm use 22; npm test", JEST_OK],
  ["pyenv shell 3.8 && pytest", PYTEST, "pyenv shell 3.12 && pytest", PYTEST_OK],
  ["source .venv38/bin/activate && pytest", PYTEST, ". .venv312/bin/activate && pytest", PYTEST_OK],
  ["python3.8 -m pytest", PYTEST, "python3.12 -m pytest", PYTEST_OK],
  ["cargo +1.60 test", CARGO, "cargo test", CARGO_OK],
  ["rustup default 1.60 && cargo test", CARGO, "rustup default stable && cargo test", CARGO_OK],
  ["nvm use 18 && npm run build", "Error: no", "nvm use 22 && npm run build", "ok"],
  ["npm run build", "Error: no", "nvm use 22 && npm run build", "ok"],
  ["npm test -- --coverage", UNCOVERED, "npm test", JEST_OK],
  ["npx vitest run --coverage", VITEST_UNCOVERED, "npx vitest run", JEST_OK],
  ["pytest --cov=app --cov-fail-under=80", PYTEST_UNCOVERED, "pytest", PYTEST_OK],
  ["go test -count=100 ./store", GO, "go test ./store", GO_OK],
  ["go test -count=100 ./store", GO, "go test -count=1 ./store", GO_OK],
  ["go test -count=100 ./...", GO, "go test -count=5 ./...", GO_OK],
  [
    "go test -v -count=100 ./store",
    `=== RUN\n${GO}`,
    "go test -v ./store",
    `--- PASS: TestPut (0.00s)\n${GO_OK}`,
  ],
  ["npx playwright test --repeat-each=20", PLAYWRIGHT, "npx playwright test", PLAYWRIGHT_OK],
  ["pytest --count=50", PYTEST, "pytest", PYTEST_OK],
];

const MENDED: readonly Mending[] = [
  ["nvm use 18 && npm test", JEST, "nvm use 18 > /dev/null && npm test", JEST_OK],
  ["nvm use && npm test", JEST, "npm test", JEST_OK],
  ["nvm use --silent 18 && npm test", JEST, "nvm use 18 && npm test -- --silent", JEST_OK],
  ["source .venv/bin/activate && pytest", PYTEST, "pytest", PYTEST_OK],
  ["python3 -m pytest", PYTEST, "python -m pytest", PYTEST_OK],
  ["cargo +1.60 test", CARGO, "cargo +1.60 test -q", CARGO_OK],
  ["npm test -- --coverage", UNCOVERED, "npm test -- --coverage", JEST_OK],
  ["npm test -- --coverage", UNCOVERED, "npm test -- --coverage --silent", JEST_OK],
  ["npm test", UNCOVERED, "npm test -- --silent", JEST_OK],
  ["pytest", PYTEST_UNCOVERED, "pytest -q", PYTEST_OK],
  // It is the tests that failed, not the measure.
  ["npm test -- --coverage", JEST, "npm test", JEST_OK],
  [
    "npm test -- --coverage",
    `FAIL src/a.test.ts\n  ● Test suite failed to run\n\n    Cannot find module './a'\n\n${UNCOVERED}\nTest Suites: 1 failed, 1 passed, 2 total`,
    "npm test",
    JEST_OK,
  ],
  ["go test -count=1 ./store", GO, "go test ./store", GO_OK],
  ["go test ./store", GO, "go test -count=10 ./store", GO_OK],
  ["go test -count=10 ./store", GO, "go test -count=100 ./store", GO_OK],
  ["npx playwright test", PLAYWRIGHT, "npx playwright test --repeat-each=5", PLAYWRIGHT_OK],
];

Deno.test("a run under other conditions leaves open what failed", async () => {
  await assertLeftOpen(LEFT_OPEN);
});

Deno.test("a run under the same conditions, or harder ones, mends it", async () => {
  await assertMended(MENDED);
});
