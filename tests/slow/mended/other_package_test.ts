/** Tests of one package say nothing of another's. */
import assert from "node:assert/strict";
import { leftOpen, outcomeWithoutEdits } from "../../support/left_open.ts";

const BAD = "FAIL src/a.test.ts\n  ● adds\n\nTests: 1 failed, 4 passed, 5 total";
const GOOD = "Tests:       5 passed, 5 total";

/** How tests of a package are run, with its name as `PACKAGE`; and the same in other words, where there are some. */
const RUNS: readonly (readonly [command: string, same?: string])[] = [
  ["pnpm --filter PACKAGE test", "pnpm -F PACKAGE run test --silent"],
  ["npm --prefix PACKAGE test", "npm --prefix=PACKAGE run test -- --ci"],
  ["npm -w PACKAGE test", "npm test --workspace=PACKAGE"],
  ["yarn workspace PACKAGE test", "yarn workspace PACKAGE run test"],
  ["bun --filter PACKAGE test"],
  ["./gradlew :PACKAGE:test", "./gradlew :PACKAGE:test --info"],
  ["mvn -pl PACKAGE test", "mvn -q -pl PACKAGE test"],
  ["nx test PACKAGE", "npx nx run PACKAGE:test --skip-nx-cache"],
  ["turbo run test --filter=PACKAGE", "npx turbo test --filter=PACKAGE"],
  ["bazel test //PACKAGE:all", "bazelisk test --keep_going //PACKAGE:all"],
  ["make -C PACKAGE test"],
  ["cargo test -p PACKAGE", "cargo test -q -p PACKAGE"],
  ["cargo nextest run -p PACKAGE", "cargo nextest run --no-fail-fast -p PACKAGE"],
  ["bats PACKAGE", "bats --tap PACKAGE"],
  ["npx playwright test PACKAGE", "npx playwright test --reporter=line PACKAGE"],
  ["mix test PACKAGE", "mix test --trace PACKAGE"],
  ["swift test --filter PACKAGE", "swift test -q --filter PACKAGE"],
  ["bun test PACKAGE", "bun test --ci PACKAGE"],
];

Deno.test("tests that pass in one package leave open those of another, and mend their own in any words", async () => {
  for (const [command, same = command] of RUNS) {
    const failing = command.replace("PACKAGE", "shop");
    const other = same.replace("PACKAGE", "mail");
    const own = same.replace("PACKAGE", "shop");
    assert.deepEqual(await leftOpen([failing, BAD, true], [other, GOOD]), [failing], other);
    assert.deepEqual(await leftOpen([failing, BAD, true], [own, GOOD]), [], own);
  }
});

const CARGO_BAD =
  "running 1 test\ntest tests::it_works ... FAILED\n\nfailures:\n    tests::it_works\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
const CARGO_GOOD =
  "running 1 test\ntest tests::it_works ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";

Deno.test("a test of the same name passes in another crate, or in another set-up: that says nothing of the first", async () => {
  const others: readonly (readonly [failing: string, other: string])[] = [
    ["cargo test -p a", "cargo test -p b"],
    ["cargo test -p a", "cargo test --package b"],
    ["cargo test --package=a", "cargo test -p b it_works"],
    ["cargo nextest run -p a", "cargo nextest run -p b"],
    ["cargo test --manifest-path a/Cargo.toml", "cargo test --manifest-path b/Cargo.toml"],
    ["cargo test --workspace", "cargo test --workspace --exclude a"],
    ["cargo test --features x", "cargo test --features y"],
    ["cargo test --features x", "cargo test"],
    ["cargo test --all-features", "cargo test"],
    ["cargo test --release", "cargo test"],
  ];
  for (const [failing, other] of others) {
    const steps = [[failing, CARGO_BAD, true], [other, CARGO_GOOD]] as const;
    assert.deepEqual(await leftOpen(...steps), [failing], other);
    assert.deepEqual((await outcomeWithoutEdits(...steps)).open, [failing], other);
  }
  const own: readonly (readonly [failing: string, same: string])[] = [
    ["cargo test -p a", "cargo test --package a"],
    ["cargo test -p a", "cargo test -q --package=a"],
    ["cargo test -p a it_works", "cargo test -p a"],
    ["cargo test -p a", "cargo test"],
    ["cargo test --package a", "cargo test --workspace"],
    ["cargo test", "cargo test --all-features"],
    ["cargo test --workspace --exclude b", "cargo test --workspace"],
  ];
  for (const [failing, same] of own) {
    assert.deepEqual(await leftOpen([failing, CARGO_BAD, true], [same, CARGO_GOOD]), [], same);
  }
});
