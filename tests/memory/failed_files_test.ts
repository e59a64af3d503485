import assert from "node:assert/strict";
import { join } from "node:path";
import type { Observed } from "../../src/memory/observe/observation.ts";
import { withContent } from "../../src/memory/drain/read_capture.ts";
import { tempHome } from "../support/program.ts";

Deno.test("the files of a failure are read shortly after it, and not long after it", () => {
  using home = tempHome();
  Deno.mkdirSync(join(home.path, ".git"));
  Deno.writeTextFileSync(join(home.path, ".git", "HEAD"), "ref: refs/heads/main\n");
  Deno.writeTextFileSync(join(home.path, "a.ts"), "export {};\n");
  const observed = {
    kind: "failure",
    outcome: "failure",
    files: [{ path: "a.ts", digest: null }],
  } as unknown as Observed;
  const place = { root: home.path, branch: "main" };
  const digest = (ageMs: number, branch = "main") =>
    withContent(observed, { ...place, branch }, ageMs).files[0]!.digest;
  assert.match(String(digest(5_000)), /^[\w-]{8,}$/);
  assert.equal(digest(3_600_000), null);
  assert.equal(digest(5_000, "other"), null);
});
