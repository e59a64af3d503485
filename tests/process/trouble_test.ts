/** Processes whose database cannot be written: locks, many at once, the log that a process leaves. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { capture, DEADLINE_MS, waiting, written } from "../support/captured_edits.ts";
import { IS_SLOW_LANE, someOf } from "../support/lanes.ts";
import { filesBelow, logOf, queryValue, spoolFiles } from "../support/look.ts";
import { change, configureUser, held } from "../support/on_home.ts";
import { startHook, startProgram } from "../support/process.ts";
import { observed, tempHome } from "../support/program.ts";
import { makeUsedDatabase, spoil } from "../support/spoilt.ts";
import { PAGE_BYTES, pagesOf, rowsIn, worked } from "../support/worked_database.ts";
import { testWith } from "../support/fixtures.ts";

/** Makes a hook a process. */
const PROCESS = { through: [] };

const test = testWith(tempHome);

test("with a folder in the place of the database a hook answers, and its record is written later", async (home) => {
  Deno.mkdirSync(home.database, { recursive: true });
  await capture(home, "a", PROCESS);
  assert.deepEqual(waiting(home), ["a"]);
  Deno.removeSync(home.database);
  await capture(home, "b", PROCESS);
  assert.deepEqual(written(home), ["a", "b"]);
});

test("doctor --fix in one process brings back every row around the pages that are damaged", async (home) => {
  await worked(home);
  const tables = { hook_executions: "id", pending_queue: "id" };
  const rows = Object.entries(tables).map(([table, id]) => rowsIn(home.database, table, id));
  const [page] = pagesOf(home.database, "observations", "leaf");
  spoil(home.database, { at: (page! - 1) * PAGE_BYTES, length: PAGE_BYTES });
  const { stdout } = await startProgram(["doctor", "--fix"], { env: { HOME: home.path } });
  assert.match(stdout, /fixed: set the damaged database aside/);
  const mended = Object.entries(tables).map(([table, id]) => rowsIn(home.database, table, id));
  assert.deepEqual(mended, rows, stdout);
});

const LOCKS: Readonly<Record<string, string>> = {
  "an exclusive transaction": "BEGIN EXCLUSIVE",
  "an exclusive connection": "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT",
};
const HELD_MS = IS_SLOW_LANE ? 6_000 : 1_000;

for (const [name, sql] of someOf(Object.entries(LOCKS), 1)) {
  test(`${name} of another process for ${HELD_MS / 1000} s: hooks spool in time and drain afterwards`, async (home) => {
    await makeUsedDatabase(home);
    using other = held(home.database, sql);
    const untilMs = performance.now() + HELD_MS;
    const ids: string[] = [];
    while (performance.now() < untilMs) {
      const round = Array.from({ length: 3 }, (_, i) => `${ids.length + i}`);
      await Promise.all([
        ...round.map((id) => capture(home, id, PROCESS)),
        startHook("SessionStart", { session_id: "s1", cwd: "/w" }, home),
      ]);
      ids.push(...round);
    }
    assert.deepEqual(waiting(home).filter((id) => id !== null).toSorted(), ids.toSorted());
    assert.match(logOf(home), /database is locked/);
    other.release();

    await capture(home, "after", PROCESS);
    assert.deepEqual(new Set(written(home).slice(12)), new Set([...ids, "after"]));
    assert.equal(written(home).length, 12 + ids.length + 1);
    assert.deepEqual(spoolFiles(home), []);
  });
}

test.slow("a hook that may wait as long as the configuration allows still answers in time", async (home) => {
  await makeUsedDatabase(home);
  await startHook("SessionStart", { session_id: "gone" }, home, {
    env: { CLAUDE_PID: "4194000" },
  });
  change(
    home.database,
    `UPDATE sessions SET status = 'ended', ended_at_ms = 1 WHERE session_id = 'before'`,
  );
  configureUser(home, "database:\n  busyTimeoutMs: 9000\n");
  using other = held(home.database);
  const startedMs = performance.now();
  const tookMs = await Promise.all(
    ["SessionStart", "SessionEnd", "PostToolUse", "Stop"].map(async (event) => {
      await startHook(event, { session_id: "s1", tool_name: "Bash" }, home, {
        env: { CLAUDE_PID: String(Deno.pid) },
      });
      return [event, performance.now() - startedMs] as const;
    }),
  );
  other.release();
  assert.deepEqual(tookMs.filter(([, ms]) => ms >= DEADLINE_MS), []);
  assert.equal(spoolFiles(home).length, 4);
});

test.slow("many hooks that drain at once write each record once", async (home) => {
  Deno.mkdirSync(home.database, { recursive: true });
  await capture(home, "0", PROCESS);
  const [first] = spoolFiles(home);
  const text = Deno.readTextFileSync(first!);
  for (let i = 1; i < 400; i++) {
    const { record } = JSON.parse(text);
    // None of them may be the first one's own id by chance.
    const id = record.id.slice(0, -12) + String(i).padStart(12, "0");
    Deno.writeTextFileSync(
      first!.replace(record.id, id),
      text.replaceAll(record.id, id).replaceAll('"toolUseId":"0"', `"toolUseId":"${i}"`),
    );
  }
  Deno.removeSync(home.database);
  await Promise.all(Array.from({ length: 12 }, (_, i) => capture(home, `live-${i}`, PROCESS)));
  // Hooks leave the rest to the next one when their time is over, as on a busy machine.
  await startProgram(["queue", "drain", "--json"], { env: { HOME: home.path } });
  assert.deepEqual(spoolFiles(home), []);
  assert.equal(queryValue(home, "SELECT count(*) FROM pending_queue"), 412);
  assert.equal(queryValue(home, "SELECT value FROM counters WHERE type = 'edits'"), 412);
  assert.equal(filesBelow(join(home.path, ".conclaude", "spool")).length, 0);
});

test("a database that was truncated to nothing keeps its log, and the event waits", async (home) => {
  // The first one makes the tables, and empties the long log of that itself.
  await startHook("PostToolUse", observed("PostToolUse.Bash"), home);
  await startHook("PostToolUse", observed("PostToolUse.Bash"), home);
  const log = Deno.readFileSync(`${home.database}-wal`);
  assert.ok(log.length > 0);
  Deno.truncateSync(home.database, 0);
  const { code, stdout } = await startHook("PostToolUse", observed("PostToolUse.Bash"), home);
  assert.deepEqual([code, JSON.parse(stdout)], [0, { continue: true, suppressOutput: true }]);
  assert.deepEqual(Deno.readFileSync(`${home.database}-wal`), log);
  assert.match(Deno.readTextFileSync(join(home.path, ".conclaude", "conclaude.log")), /truncated/);
});
