/** A command that only looks leaves nothing behind, not even a folder. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startProgram, tempHome } from "../support/program.ts";

const LOOKING: readonly (readonly string[])[] = [
  ["--version"],
  ["--help"],
  ["status"],
  ["doctor"],
  ["db", "path"],
  ["session", "list"],
  ["config", "show"],
  ["install-hooks", "--dry-run"],
  ["retention", "run", "--dry-run"],
];

for (const args of LOOKING) {
  Deno.test(`conclaude ${args.join(" ")} makes no file and no folder`, async () => {
    using place = tempHome();
    await startProgram(args, { env: { HOME: join(place.path, "not", "there") } });
    assert.deepEqual([...Deno.readDirSync(place.path)], []);
  });
}

Deno.test("a command that writes makes the folder that the lookers did not", async () => {
  using place = tempHome();
  const home = join(place.path, "new");
  const args = ["counter", "increment", "tries", "--session", "s1"];
  const { stdout } = await startProgram(args, { env: { HOME: home } });
  assert.equal(stdout, "1\n");
  assert.ok(Deno.statSync(join(home, ".conclaude", "conclaude.db")).isFile);
});
