/** Tests that ran were built before: that mends what their build had failed with. */
import assert from "node:assert/strict";
import { leftOpen, type Step } from "../../support/left_open.ts";

const CARGO = "error[E0382]: borrow of moved value\nerror: could not compile `x` (lib)";
const CARGO_OK = "test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";
const GO = "# x/parse\nparse/parse.go:4:2: undefined: foo";
const GO_OK = "ok  \tx/parse\t0.003s\nok  \tx/store\t0.01s";

type Row = readonly [failing: string, bad: string, passing: Step];

const MENDED: readonly Row[] = [
  ["cargo build", CARGO, ["cargo test", CARGO_OK]],
  ["cargo check", CARGO, ["cargo test -q 2>&1 | tail -3", CARGO_OK]],
  ["cargo build -p a", CARGO, ["cargo test -p a", CARGO_OK]],
  ["cargo build", CARGO, ["cargo fmt && cargo test", CARGO_OK]],
  ["cargo check", CARGO, ["cargo build", "    Finished `dev` profile"]],
  ["go build ./...", GO, ["go test ./...", GO_OK]],
  ["go build ./...", GO, ["go test -race -count=1 ./...", GO_OK]],
];

const LEFT_OPEN: readonly Row[] = [
  ["cargo build", CARGO, ["cargo check", "    Finished `dev` profile"]],
  ["cargo build --release", CARGO, ["cargo test", CARGO_OK]],
  ["cargo build", CARGO, ["cargo test -p a", CARGO_OK]],
  ["cargo build", CARGO, ["cd a && cargo test", CARGO_OK]],
  ["cargo build", CARGO, ["cargo test --list", "x: test"]],
  ["cargo build", CARGO, ["cargo test | tail -3", "test x ... ok"]],
  ["cargo clippy", CARGO, ["cargo test", CARGO_OK]],
  ["go build ./...", GO, ["go test ./parse", GO_OK]],
  ["go build ./...", GO, ["go test -tags=x ./...", GO_OK]],
  ["go build ./...", GO, ["go test ./...", "?   \tx/parse\t[no test files]"]],
  ["go vet ./...", GO, ["go test ./...", GO_OK]],
];

Deno.test("a build that failed is mended by tests that ran of the same", async () => {
  for (const [failing, bad, passing] of MENDED) {
    assert.deepEqual(await leftOpen([failing, bad, true], passing), [], `${failing}: ${passing}`);
  }
});

Deno.test("tests of another build, that did not run, or of which nobody knows, leave it open", async () => {
  for (const [failing, bad, passing] of LEFT_OPEN) {
    const open = await leftOpen([failing, bad, true], passing);
    assert.deepEqual(open, [failing], `${failing}: ${passing}`);
  }
});
