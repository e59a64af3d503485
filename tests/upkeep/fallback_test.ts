/** What is told of the database in the temporary folder once the home can be used again. */
import assert from "node:assert/strict";
import { drainSpool } from "../../src/operations/spool_drain.ts";
import { dirname, join } from "node:path";
import { fallbackDatabase } from "../../src/system/environment.ts";
import { leftBehind } from "../../src/upkeep/care/fallback.ts";
import { copiesOf } from "../../src/upkeep/forget/forget_files.ts";
import { locate } from "../../src/system/environment.ts";
import { openDatabase } from "../../src/db/database.ts";
import { INNER_HOME, privateMounts } from "../support/private_mounts.ts";
import { change } from "../support/on_home.ts";
import { programStart } from "../support/process.ts";
import { homeAlone, runProgram, tempHome } from "../support/program.ts";
import { saveEvent, tempDatabase } from "../support/records.ts";
import { garbage } from "../support/spoilt.ts";
import { it, testWith } from "../support/fixtures.ts";

const DAY_MS = 86_400_000;

/** A temporary folder of its own, and a database at home. */
async function stageOf(folder: string, database: string) {
  const locations = locate(homeAlone(folder));
  const path = fallbackDatabase(locations);
  Deno.mkdirSync(dirname(path));
  const look = (retentionDays = 30) =>
    leftBehind({ locations, database, retentionDays, nowMs: Date.now() });
  return { path, look, fallback: await openDatabase(path, { busyTimeoutMs: 100 }) };
}

Deno.test("the database of the temporary folder is the one that counts without a home", () => {
  using home = tempHome();
  const environment = homeAlone(home.path);
  const without = locate({ ...environment, variable: () => undefined });
  assert.equal(without.databaseFrom, "fallback");
  assert.equal(fallbackDatabase(locate(environment)), without.database);
});

const test = testWith(tempDatabase);

test("events are left behind until they are at home, and those that would not stay are not told", async (home) => {
  const folder = Deno.makeTempDirSync({ dir: home.folder });
  const { look, path, fallback } = await stageOf(folder, home.path);
  assert.equal(look(), null);
  saveEvent(fallback, { atMs: Date.now() - 40 * DAY_MS, capture: {} });
  assert.equal(look(), null);
  assert.equal(look(0)!.captures, 1);
  saveEvent(fallback, { capture: {} });
  saveEvent(fallback);
  const next = `conclaude --db ${path} export | conclaude import -`;
  assert.deepEqual(look(), { path, events: 2, captures: 1, next });
  Deno.renameSync(home.path, `${home.path}.away`);
  assert.equal(look()!.events, 2);
  Deno.renameSync(`${home.path}.away`, home.path);
  fallback.close();
});

test("memory forget names the database of the temporary folder as a copy", async (home) => {
  const folder = Deno.makeTempDirSync({ dir: home.folder });
  const { path, fallback } = await stageOf(folder, home.path);
  saveEvent(fallback, { capture: { payload: '{"text":"the aardvark plan"}' } });
  fallback.close();
  const place = {
    ...locate(homeAlone(folder)),
    database: home.path,
    busyTimeoutMs: 100,
    drainSpool,
  };
  assert.ok(copiesOf(place, []).includes(path), copiesOf(place, []).join());
});

test("a file of the temporary folder that is not this user's own database is not looked into", async (home) => {
  const folder = Deno.makeTempDirSync({ dir: home.folder });
  const { look, path, fallback } = await stageOf(folder, home.path);
  saveEvent(fallback, { capture: {} });
  fallback.close();
  assert.equal(look()!.events, 1);
  const own = join(folder, "own.db");
  Deno.renameSync(path, own);
  Deno.symlinkSync(own, path);
  assert.equal(look(), null);
  Deno.removeSync(path);
  change(path, "CREATE TABLE mine (x)");
  assert.equal(look(), null);
  Deno.writeFileSync(path, garbage(5000));
  assert.equal(look(), null);
  Deno.copyFileSync(own, path);
  assert.equal(look()!.events, 1);
  if (Deno.uid() === 0) {
    Deno.writeTextFileSync(`${path}-wal`, "");
    Deno.chownSync(`${path}-wal`, 65534, 65534);
    assert.equal(look(), null);
    Deno.removeSync(`${path}-wal`);
    Deno.chownSync(path, 65534, 65534);
    assert.equal(look(), null);
  }
});

it.mounts("doctor and status name what hooks left in /tmp without a home, and the command brings it over", async () => {
  await using place = await privateMounts();
  const options = { through: place.through, cwd: "/", env: { HOME: INNER_HOME } };
  const capture = (id: string) =>
    runProgram(["hook", "PostToolUse"], {
      ...options,
      stdin: { session_id: "s", tool_name: "Read", tool_use_id: id },
    });
  const json = async (...args: string[]) =>
    JSON.parse((await runProgram([...args, "--json"], options)).stdout);
  const told = async () =>
    (await json("doctor")).checks.find(({ name }: { name: string }) => name === "fallback");
  // The person who brings it over has no terminal here.
  const { token } = await json("token");
  await capture("before");
  await place.run(`mv ${INNER_HOME}/.conclaude /mnt/away; touch ${INNER_HOME}/.conclaude`);
  for (const id of ["a", "b"]) await capture(id);
  await place.run(`rm ${INNER_HOME}/.conclaude; mv /mnt/away ${INNER_HOME}/.conclaude`);
  await capture("after");

  const { status, message, next } = await told();
  assert.equal(status, "warn");
  assert.match(
    message,
    /^\/tmp\/conclaude\.db holds 2 events with 2 captures that .* does not have: /,
  );
  assert.deepEqual((await json("status")).fallback, {
    path: "/tmp/conclaude.db",
    events: 2,
    captures: 2,
    next,
  });
  const { stdout } = await runProgram(["status", "--verbose"], options);
  assert.ok(stdout.includes(`/tmp/conclaude.db is left behind: run \`${next}\`\n`), stdout);
  const { command, args, env } = programStart([]);
  const words = [command, ...args].map((word) => `'${word}'`).join(" ");
  const variables = Object.entries({ ...env, HOME: INNER_HOME, CONCLAUDE_TOKEN: token })
    .map(([name, value]) => `export ${name}='${value}'`).join("\n");
  await place.run(`${variables}\nconclaude() { ${words} "$@"; }\n${next}`);
  assert.equal(await told(), undefined);
  assert.equal((await json("status")).fallback, null);
  const { items } = await json("queue", "list");
  assert.deepEqual(
    items.map(({ toolUseId }: { toolUseId: string }) => toolUseId).sort(),
    ["a", "after", "b", "before"],
  );
});
