import assert from "node:assert/strict";
import { join } from "node:path";
import { backUpDaily, backupsOf } from "../../src/upkeep/care/backup.ts";
import { connect } from "../../src/db/connect.ts";
import { openDatabase } from "../../src/db/database.ts";
import { modeOf, namesIn } from "../support/look.ts";
import { hook, tempHome } from "../support/program.ts";
import { closeDatabase, garbage } from "../support/spoilt.ts";

const DAY_MS = 86_400_000;

Deno.test("the drain makes one private backup a day, and none where the configuration wants none", async () => {
  for (const [config, count] of [["", 1], ["store: {backups: 0}\n", 0]] as const) {
    using home = tempHome();
    const data = join(home.path, ".conclaude");
    Deno.mkdirSync(data, { mode: 0o700 });
    if (config !== "") Deno.writeTextFileSync(join(data, "config.yaml"), config, { mode: 0o600 });
    for (const source of ["startup", "resume"]) {
      await hook("SessionStart", { session_id: "s1", source }, home);
      await hook("Drain", { session_id: "s1", hook_event_name: "Stop" }, home);
    }
    const backups = backupsOf({ dataFolder: data }, home.database);
    assert.equal(backups.length, count, config);
    for (const { path } of backups) assert.equal(modeOf(path), "600");
  }
});

Deno.test("two daily backups stay, those that a person made too, and a damaged database replaces none", async () => {
  using home = tempHome();
  const data = join(home.path, ".conclaude");
  (await openDatabase(home.database, { busyTimeoutMs: 1_000 })).close();
  const make = (nowMs: number) => backUpDaily(home.database, { dataFolder: data, keep: 2, nowMs });
  const made = [];
  for (let day = 1; day <= 3; day++) {
    const path = await make(day * DAY_MS);
    Deno.utimeSync(path!, day * DAY_MS / 1_000, day * DAY_MS / 1_000);
    made.push(path!);
    if (day === 1) Deno.copyFileSync(path!, join(data, "backups", "mine.db"));
  }
  assert.equal(await make(3 * DAY_MS), null);
  const names = () => namesIn(join(data, "backups"));
  const kept = [...made.slice(1).map((path) => path.slice(path.lastIndexOf("/") + 1)), "mine.db"];
  assert.deepEqual(names(), kept.sort());
  Deno.writeFileSync(home.database, garbage(30_000));
  await assert.rejects(() => make(4 * DAY_MS));
  assert.deepEqual(names(), kept);
  const other = join(data, "other.db");
  assert.deepEqual(backupsOf({ dataFolder: data }, other).map(({ path }) => path), [
    join(data, "backups", "mine.db"),
  ]);
});

Deno.test("the newest backup of a database that was cut to nothing stays until a person removes it", async () => {
  using home = tempHome();
  const data = join(home.path, ".conclaude");
  const at = (day: number) => Date.now() + day * DAY_MS;
  const make = async (day: number) => {
    (await openDatabase(home.database, { busyTimeoutMs: 1_000 })).close();
    const path = await backUpDaily(home.database, { dataFolder: data, keep: 2, nowMs: at(day) });
    Deno.utimeSync(path!, at(day) / 1_000, at(day) / 1_000);
    return path!.slice(path!.lastIndexOf("/") + 1);
  };
  const names = () => namesIn(join(data, "backups"));
  const [, ...before] = [await make(-9), await make(-8), await make(-7)];
  // A newer program made the last one.
  const last = connect(join(data, "backups", before.at(-1)!));
  last.exec("PRAGMA user_version = 9999");
  last.close();
  Deno.utimeSync(join(data, "backups", before.at(-1)!), at(-7) / 1_000, at(-7) / 1_000);
  closeDatabase(home.database);
  Deno.truncateSync(home.database);
  const after = [];
  for (let day = -5; day < -1; day++) after.push(await make(day));
  assert.deepEqual(names(), [before.at(-1), ...after.slice(-2)].sort());
  Deno.removeSync(join(data, "backups", before.at(-1)!));
  after.push(await make(-1));
  assert.deepEqual(names(), after.slice(-2));
});
