import assert from "node:assert/strict";
import { runDeno } from "../../src/build/run_deno.ts";
import { it } from "../support/fixtures.ts";

it.slow("the demo finds all of what it has replayed, and tells it on 60 lines of 80 columns", async () => {
  const { success, stdout, stderr } = await runDeno(
    ["run", "--allow-read", "--allow-write", "--allow-run", "--allow-env", "src/build/demo.ts"],
  );
  assert.ok(success, stderr);
  assert.match(stdout, /All of it is there\./);
  assert.match(stdout, /## Memory of this project/);
  const lines = stdout.trim().split("\n");
  assert.ok(lines.length <= 60, `${lines.length} lines`);
  assert.deepEqual(lines.filter((line) => line.length > 80), []);
  assert.match(lines.at(-1)!, /^ {2}conclaude status /);
  assert.match(stdout, /: conclaude req satisfy commit_plan --session [\da-f]{8}$/m);
  assert.match(stdout, /The height is wrong by.*\(1 fix, 2 files\)$/m);
});
