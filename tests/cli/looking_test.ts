/** A command that only looks leaves nothing behind, not even a folder. */
import assert from "node:assert/strict";
import { pause } from "../support/wait.ts";
import { basename, join } from "node:path";
import { runProgram, tempHome } from "../support/program.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import CASES from "../testdata/cli_cases.json" with { type: "json" };

const LOOKING = rowsOf<readonly string[]>(CASES.looking);

const test = testWith(tempHome);

for (const args of LOOKING) {
  test(`conclaude ${args.join(" ")} makes no file and no folder`, async (place) => {
    await runProgram(args, { env: { HOME: join(place.path, "not", "there") } });
    assert.deepEqual([...Deno.readDirSync(place.path)], []);
  });
}

test("a command that writes makes the folder that reading commands did not make", async (place) => {
  const home = join(place.path, "new");
  const args = ["counter", "increment", "tries", "--session", "s1"];
  const { stdout } = await runProgram(args, { env: { HOME: home } });
  assert.equal(stdout, "1\n");
  assert.ok(Deno.statSync(join(home, ".conclaude", "conclaude.db")).isFile);
});

test("no command makes a folder and removes it again", async (place) => {
  const watcher = Deno.watchFs(place.path);
  const touched: string[] = [];
  const watched = (async () => {
    for await (const { paths } of watcher) touched.push(...paths.map((path) => basename(path)));
  })();
  for (const args of [["session", "list"], ["doctor"], ["status"]]) {
    await runProgram(args, { env: { HOME: place.path } });
  }
  Deno.writeTextFileSync(join(place.path, "end"), "");
  for (let round = 0; round < 100 && !touched.includes("end"); round++) await pause(50);
  watcher.close();
  await watched;
  assert.ok(touched.includes("end"));
  assert.ok(!touched.includes(".conclaude"), touched.join(" "));
});
