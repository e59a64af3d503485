/** A package that is reached in another way is the same: by its folder, by an option that leads there, by its name. */
import assert from "node:assert/strict";
import { leftOpen } from "../../support/left_open.ts";

/** What a script of a package prints before the output of what it calls. */
const says = (name: string, command: string, output: string, script = "test") =>
  `\n> ${name}@1.0.0 ${script}\n> ${command}\n\n${output}`;
const BAD =
  " FAIL  i.test.ts > adds tax\n\n Test Files  1 failed (1)\n      Tests  1 failed | 4 passed (5)";
const GOOD = " ✓ i.test.ts (5 tests)\n\n Test Files  1 passed (1)\n      Tests  5 passed (5)";
const A = says("@acme/a", "vitest run", BAD);
const A_OK = says("@acme/a", "vitest run", GOOD);
const B_OK = says("@acme/b", "vitest run", GOOD);
const GO =
  "--- FAIL: TestTax (0.00s)\nFAIL\nFAIL\tx.org/app/a\t0.1s\nok  \tx.org/app/b\t0.1s\nFAIL";
const GO_OK = "ok  \tx.org/app/a\t0.1s";
const TSC = "i.ts(1,1): error TS2304: Cannot find name 'x'.";
const MAKE = "a.c:1:2: error: expected ;\nmake: *** [Makefile:3: a.o] Error 1";
const BUILD = says("@acme/a", "vite build", "Error: no", "build");
const BUILD_OK = says("@acme/a", "vite build", "✓ built in 1s", "build");

type Row = readonly [failing: string, bad: string, passing: string, good: string];

const MENDED: readonly Row[] = [
  ["npm test -w packages/a", A, "cd packages/a && npm test", A_OK],
  ["cd packages/a && npm test", A, "npm test --workspace=@acme/a", A_OK],
  ["npm test -w packages/a", A, "npm test --workspaces", A_OK + B_OK],
  ["npm test -w @acme/a", A, "npm -ws run test", B_OK + A_OK],
  ["pnpm --filter @acme/a test", A, "cd packages/a && pnpm test", A_OK],
  ["npm --prefix packages/a test", BAD, "cd packages/a && npm test", GOOD],
  ["cd packages/a && yarn test", BAD, "yarn --cwd packages/a test", GOOD],
  ["go test ./...", GO, "cd a && go test .", GO_OK],
  ["go test ./...", GO, "cd a && go test -run TestTax ./...", GO_OK],
  ["cd a && go test ./...", GO, "go test ./...", GO_OK],
  ["go -C a test ./...", GO, "cd a && go test ./...", GO_OK],
  ["cd packages/a && npx tsc --noEmit", TSC, "npx tsc --noEmit -p packages/a", ""],
  ["npx tsc -p packages/a/tsconfig.json", TSC, "cd packages/a && npx tsc", ""],
  ["make -C build test", MAKE, "cd build && make -j8 test", "ok"],
  ["cd build && make test", MAKE, "make -C build test", "ok"],
  ["make -C build", MAKE, "cd build && make -j8", "ok"],
  ["cd build && make all", MAKE, "make --directory=build all", "ok"],
  ["npm run build -w packages/a", BUILD, "cd packages/a && npm run build", BUILD_OK],
  ["cd packages/a && npm run build", BUILD, "npm run build --workspace @acme/a", BUILD_OK],
  ["cd packages/a && npm run build", BUILD, "npm run build --workspaces", BUILD_OK],
];

const LEFT_OPEN: readonly Row[] = [
  ["npm test -w packages/a", A, "cd packages/b && npm test", B_OK],
  ["npm test -w packages/a", A, "npm test -w packages/b", B_OK],
  ["cd packages/a && npm test", A, "npm test --workspace=@acme/b", B_OK],
  ["npm test -w packages/a", A, "npm test", says("acme", "vitest run", GOOD)],
  ["npm test -w packages/a", A, "npm test --workspaces --if-present", B_OK],
  ["npm test --workspaces", A + B_OK, "cd packages/b && npm test", B_OK],
  [
    "npm test -w packages/a",
    A,
    "npm run test:unit -w packages/a",
    A_OK.replace("1.0.0 test", "1.0.0 test:unit"),
  ],
  ["npm test -w packages/a", A, "cd packages/a && npm test -- -t ships", A_OK],
  ["NODE_ENV=e npm test -w packages/a", A, "cd packages/a && npm test", A_OK],
  ["cd packages/a && yarn test", BAD, "yarn --cwd packages/b test", GOOD],
  ["go test ./...", GO, "cd b && go test .", "ok  \tx.org/app/b\t0.1s"],
  ["go test ./...", GO, "cd a && go test .", "ok  \tx.org/other/a\t0.1s"],
  ["go test ./...", GO, "cd /tmp/copy && go test ./...", GO_OK],
  ["go test -tags e2e ./...", GO, "cd a && go test .", GO_OK],
  ["cd packages/a && npx tsc --noEmit", TSC, "npx tsc --noEmit -p packages/b", ""],
  ["cd packages/a && npx tsc", TSC, "npx tsc -p packages/a/tsconfig.test.json", ""],
  ["npx tsc", TSC, "npx tsc -p packages/a", ""],
  ["make -C build test", MAKE, "cd other && make test", "ok"],
  ["make -C build test", MAKE, "make test", "ok"],
  ["make -C build test", MAKE, "cd build && make -n test", "ok"],
  ["make -C build", MAKE, "make", "ok"],
  ["npm run build -w packages/a", BUILD, "npm run build -w packages/b", "ok"],
  ["npm run build -w packages/a", BUILD, "npm run build", says("acme", "vite build", "", "build")],
];

async function openAfter(rows: readonly Row[]): Promise<readonly Row[]> {
  const open: Row[] = [];
  for (const row of rows) {
    const [failing, bad, passing, good] = row;
    if ((await leftOpen([failing, bad, true], [passing, good])).includes(failing)) open.push(row);
  }
  return open;
}

Deno.test("what failed in a package is mended where that is reached in another way", async () => {
  assert.deepEqual(await openAfter(MENDED), []);
});

Deno.test("another package, script or set-up leaves it open", async () => {
  assert.deepEqual(await openAfter(LEFT_OPEN), LEFT_OPEN);
});
