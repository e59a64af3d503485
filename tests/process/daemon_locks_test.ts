import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { runDaemon } from "../support/daemon.ts";
import { runProgram, tempHome } from "../support/program.ts";
import { it } from "../support/fixtures.ts";
import CASES from "../testdata/process_cases.json" with { type: "json" };
import { rowsOf } from "../support/rows.ts";

/** Routes whose verbs look at the files of the database itself. */
const LOOKING = rowsOf<readonly [method: string, path: string, body?: unknown]>(
  CASES.lookingRoutes,
);

it.unix("what the daemon does for a page leaves its database open to it, whoever else opens and closes it", async () => {
  using home = tempHome();
  const env = { HOME: home.path };
  await using daemon = await runDaemon(home, { cwd: home.path });
  await daemon.ask("POST", "/tasks", { body: { title: "first" } });
  const wal = `${home.database}-wal`;
  const before = Deno.statSync(wal).ino;
  for (const [method, path, body] of LOOKING) {
    const reply = await daemon.ask(method, path, body === undefined ? {} : { body });
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
    // The last one to close a database removes its log.
    new DatabaseSync(home.database).close();
    await runProgram(["session", "list"], { env, cwd: home.path });
    assert.equal(Deno.statSync(wal).ino, before, `${method} ${path}: the log stays`);
  }
  await daemon.ask("POST", "/tasks", { body: { title: "second" } });
  const { stdout } = await runProgram(["task", "list", "--all-projects", "--json"], {
    env,
    cwd: home.path,
  });
  const titles = JSON.parse(stdout).tasks.map(({ title }: { title: string }) => title);
  assert.deepEqual(titles.toSorted(), ["first", "second"]);
});
