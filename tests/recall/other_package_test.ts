/** Tests of one package say nothing of another's. */
import assert from "node:assert/strict";
import { leftOpen } from "../support/left_open.ts";

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
