/** Builds and checks behind a pipe: what is shown of them tells whether they passed, however many lines that is. */
import assert from "node:assert/strict";
import { ran } from "../../support/commands_observed.ts";
import { leftOpen, outcomeOf, outcomeWithoutEdits } from "../../support/left_open.ts";

const CARGO = "error[E0382]: borrow of moved value\nerror: could not compile `x` (lib)";
const CARGO_OK = "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.5s";
const TSC = "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.";
const ESLINT = "/p/a.ts\n  1:1  error  Unexpected var  no-var\n\n✖ 1 problem (1 error, 0 warnings)";
const NPM = `${TSC}\nnpm error code ELIFECYCLE`;
const VITE_OK = "dist/assets/index.js  143.4 kB\n✓ built in 1.32s";
const DOCKER =
  'ERROR: failed to solve: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1';
const MAKE = "a.c:3:5: error: unknown type name 'foo'\nmake: *** [Makefile:5: a.o] Error 1";
const MANY = "gcc -c b.c\n".repeat(8).trim();

type Row = readonly [command: string, bad: string, later: string, good: string];

const MENDED: readonly Row[] = [
  // The tool says so.
  ["cargo build 2>&1 | tail -20", CARGO, "cargo build 2>&1 | tail -1", CARGO_OK],
  ["cargo build 2>&1 | tail -20", CARGO, "cargo build 2>&1 | head -5", CARGO_OK],
  ["cargo clippy | tail", CARGO, "cargo clippy | grep -E 'error|Finished'", CARGO_OK],
  ["npm run build 2>&1 | tail -20", NPM, "npm run build 2>&1 | tail -2", VITE_OK],
  ["npx vite build | tail -20", "error during build:\nx", "npx vite build | head -2", VITE_OK],
  ["docker compose build | tail -20", DOCKER, "docker compose build | tail -1", " app  Built"],
  [
    "./gradlew build | tail -30",
    "BUILD FAILED in 3s",
    "./gradlew build | tail -1",
    "BUILD SUCCESSFUL in 2s",
  ],
  [
    "mypy src | tail -9",
    "src/a.py:1: error: x\nFound 1 error in 1 file",
    "mypy src | tail -1",
    "Success: no issues found in 3 source files",
  ],
  ["make | tail -20", MAKE, "make | tail -1", "[100%] Built target app"],
  ["npm ci && npm run build | tail -20", NPM, "npm ci && npm run build | tail -1", VITE_OK],
  // All of it is seen, or as much as before.
  ["npx tsc --noEmit 2>&1 | head -20", TSC, "npx tsc --noEmit 2>&1 | head -40", ""],
  ["npx tsc --noEmit 2>&1 | head -20", TSC, "npx tsc --noEmit 2>&1 | head -5", ""],
  ["npx tsc --noEmit 2>&1 | head", TSC, "npx tsc --noEmit 2>&1 | head -n 10", ""],
  [
    "npm run lint 2>&1 | tail -20",
    ESLINT,
    "npm run lint 2>&1 | tail -5",
    "> a@1.0.0 lint\n> eslint .",
  ],
  ["make 2>&1 | tail -20", MAKE, "make 2>&1 | tail -3", "gcc -o a a.o"],
  ["make 2>&1 | tail -n 20", MAKE, "make 2>&1 | tail --lines=30", MANY],
  ["make 2>&1 | tail -20", MAKE, "make 2>&1 | head -20", MANY],
  ["make 2>&1 | grep -v note | tail -20", MAKE, "make 2>&1 | grep -v note | tail -40", MANY],
];

const LEFT_OPEN: readonly Row[] = [
  // What failed may be cut away.
  ["make 2>&1 | tail -20", MAKE, "make 2>&1 | tail -8", MANY],
  ["make 2>&1 | head -20", MAKE, "make 2>&1 | tail -20", `${MANY}\n${MANY}\n${MANY}`],
  ["make 2>&1 | tail -20", MAKE, "make 2>&1 | grep -c warning | tail -20", "0"],
  ["npx eslint . | tail -20", ESLINT, "npx eslint . | tail -1", ""],
  ["npm run build | tail -20", NPM, "npm run build | head -2", VITE_OK],
  ["npm run build | tail -20", NPM, "npm run build | grep built", VITE_OK],
  // Something fails behind it, or beside it.
  ["npm run build | tail -20", NPM, "npm run build | tail -2", `${VITE_OK}\nerror: post failed`],
  [
    "docker compose build | tail -20",
    DOCKER,
    "docker compose build | tail -2",
    ` app  Built\n${DOCKER}`,
  ],
  ["cargo build | tail -20", CARGO, "cargo build | tail -1", CARGO],
  // Another tool speaks, or of another build.
  ["cargo build | tail -20", CARGO, "cargo build | tail -1", "✓ built in 1.32s"],
  ["cargo build | tail -20", CARGO, "cargo build --release | tail -1", CARGO_OK],
  ["cargo build | tail -20", CARGO, "./x.sh; cargo build | tail -1", CARGO_OK],
];

Deno.test("a build behind a pipe is mended where its success is shown, or nothing of a failure in as many lines", async () => {
  for (const [command, bad, later, good] of MENDED) {
    const { open, fixes } = await outcomeOf([command, bad], [later, good]);
    assert.deepEqual([open, fixes.length], [[], 1], `${command}, ${later}: ${good}`);
  }
});

Deno.test("a build of which the end is cut away, or that fails behind its success, stays open", async () => {
  for (const [command, bad, later, good] of LEFT_OPEN) {
    const open = await leftOpen([command, bad], [later, good]);
    assert.ok(open.includes(command) || open.includes(later), `${later}: ${good}`);
  }
});

Deno.test("a build whose own last line is seen has passed, and mends what failed with a status", async () => {
  assert.equal(ran("cargo build 2>&1 | tail -5", CARGO_OK).outcome, "success");
  assert.equal(ran("cargo build 2>&1 | tail -5", "warning: unused").outcome, null);
  const steps = [["cargo build", CARGO, true], ["cargo build 2>&1 | tail -5", CARGO_OK]] as const;
  assert.deepEqual(await leftOpen(...steps), []);
  assert.deepEqual((await outcomeWithoutEdits(...steps)).open, []);
  assert.deepEqual(
    await leftOpen(["make", MAKE, true], ["make | tail -3", "gcc -o a a.o"]),
    ["make"],
  );
});
