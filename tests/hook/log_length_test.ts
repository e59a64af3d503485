/** The write-ahead log, which a hook has to read where no other process keeps its index: who empties it, and when. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { isLogLong, openDatabase } from "../../src/db/database.ts";
import { drainLockPath, takeLock, teamLockPath } from "../../src/db/process_lock.ts";
import { hook, observed, type TempHome, tempHome } from "../support/program.ts";
import { saveWork } from "../support/work_sessions.ts";
import { testWith } from "../support/fixtures.ts";

/** A database with a long log, open as long as the block lasts: nobody who leaves moves the log. */
async function withLongLog(home: TempHome): Promise<Disposable> {
  await Deno.mkdir(join(home.path, ".conclaude"), { mode: 0o700 });
  const db = await openDatabase(home.database, { busyTimeoutMs: 1_000 });
  saveWork(db, 400, { seed: 5, startMs: Date.now() });
  assert.ok(isLogLong(home.database));
  return { [Symbol.dispose]: () => db.close() };
}

async function happens(home: TempHome, event: string, payload = event): Promise<void> {
  const told = observed(payload, { HOME: home.path, PROJECT: home.path });
  const { code, stderr } = await hook(event, told, home);
  assert.equal(code, 0, stderr);
}

const test = testWith(tempHome);

test("a hook that finds a long log empties it", async (home) => {
  using _open = await withLongLog(home);
  await happens(home, "PostToolUse", "PostToolUse.Bash");
  assert.ok(!isLogLong(home.database));
});

for (const [worker, lockPath] of [["drain", drainLockPath], ["sync", teamLockPath]] as const) {
  test(`beside a ${worker} a hook leaves the log alone: the ${worker} moves it, and keeps its index`, async (home) => {
    using _open = await withLongLog(home);
    const working = takeLock(lockPath(home.database));
    await happens(home, "PostToolUse", "PostToolUse.Bash");
    assert.ok(isLogLong(home.database));
    working?.release();
    await happens(home, "PostToolUse", "PostToolUse.Bash");
    assert.ok(!isLogLong(home.database));
  });
}

test("the drain after a turn leaves a short log", async (home) => {
  using _open = await withLongLog(home);
  await happens(home, "Drain", "Stop");
  assert.ok(!isLogLong(home.database));
});
