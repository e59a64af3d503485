/** The daemon works captures into memory by itself, and is not held up by it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { openDatabase } from "../../src/db/database.ts";
import { takeLock } from "../../src/db/process_lock.ts";
import { runDaemon } from "../support/daemon.ts";
import { countRows, query, queryValue } from "../support/look.ts";
import { change, configureUser, held } from "../support/on_home.ts";
import { hook, runProgram, type TempHome, tempHome } from "../support/program.ts";
import { saveEvent } from "../support/records.ts";
import { pause, until } from "../support/wait.ts";
import { testWith } from "../support/fixtures.ts";

const edit = (home: TempHome, name: string) => ({
  session_id: "s1",
  cwd: home.path,
  hook_event_name: "PostToolUse",
  tool_name: "Write",
  tool_input: { file_path: join(home.path, name), content: "export const tries = 3;\n" },
  tool_response: {},
  tool_use_id: crypto.randomUUID(),
});

const waiting = (home: TempHome) =>
  Number(queryValue(home, "SELECT count(*) FROM pending_queue WHERE status <> 'done'"));

const test = testWith(tempHome);

test("the daemon works the captures of hooks in, also those from before its start", async (home) => {
  await hook("PostToolUse", edit(home, "before.ts"), home);
  await using _daemon = await runDaemon(home);
  await until("the first is worked in", () => waiting(home) === 0);
  await hook("PostToolUse", edit(home, "after.ts"), home);
  await until("the second is worked in", () => waiting(home) === 0);
  const titles = query(home, "SELECT title FROM observations WHERE kind = 'edit' ORDER BY id");
  assert.equal(titles.length, 2);
  assert.equal(queryValue(home, "SELECT count(*) FROM observations WHERE kind = 'summary'"), 1);
  // The lock is held only while it works.
  takeLock(`${home.database}-drain`)!.release();
});

test.slow("while the daemon works off a long queue, it answers without delay", async (home) => {
  const db = await openDatabase(home.database, { busyTimeoutMs: 5_000 });
  const content = "export function retry(times: number) { return times + 1; }\n".repeat(300);
  for (let n = 0; n < 400; n++) {
    saveEvent(db, {
      capture: {
        payload: JSON.stringify({
          tool_input: { file_path: `/p/f${n % 50}.ts`, content: content + n },
        }),
      },
    });
  }
  db.close();
  await using daemon = await runDaemon(home);
  const slowest: number[] = [];
  await until("all are worked in", () => waiting(home) < 390);
  while (waiting(home) > 0) {
    const startedAt = performance.now();
    assert.equal((await daemon.ask("GET", "/api/health")).status, 200);
    slowest.push(performance.now() - startedAt);
  }
  slowest.sort((a, b) => a - b);
  assert.ok(slowest.length > 10, `${slowest.length} requests were answered meanwhile`);
  const p95 = slowest[Math.floor(slowest.length * 0.95)]!;
  assert.ok(p95 < 100, `p95 ${p95.toFixed(1)} ms, slowest ${slowest.at(-1)!.toFixed(1)} ms`);
});

test.slow("a database that cannot be written is reported once, and its captures are worked in later", async (home) => {
  await hook("PostToolUse", edit(home, "a.ts"), home);
  await using daemon = await runDaemon(home);
  using other = held(home.database);
  const told = () =>
    daemon.stderr().split("\n").filter((line) => line.includes("cannot work captures")).length;
  await until("it says so", () => told() === 1);
  await pause(3_000);
  assert.equal(told(), 1, "once");
  other.release();
  await until("it is worked in", () => waiting(home) === 0);
});

test.slow("where memory is off, the daemon leaves captures alone", async (home) => {
  configureUser(home, "memory: { enabled: false }\n");
  await hook("PostToolUse", edit(home, "a.ts"), home);
  await using _daemon = await runDaemon(home);
  await pause(4_000);
  assert.equal(waiting(home), 1);
});

test.slow("the daemon lets the user's command rewrite the summary of a session that is over, and ends it when it stops", async (home) => {
  const pid = join(home.path, "pid");
  configureUser(
    home,
    `memory: { summarizer: { command: "if [ -e ${pid} ]; then echo $$ > ${pid}; sleep 300; fi; echo Shorter." } }\n`,
  );
  const text = () => queryValue(home, "SELECT text FROM observations WHERE kind = 'summary'");
  const endAfterEdit = async (file: string) => {
    await hook("PostToolUse", edit(home, file), home);
    const end = { session_id: "s1", cwd: home.path, hook_event_name: "SessionEnd" };
    await hook("SessionEnd", { ...end, reason: "other" }, home);
  };
  await endAfterEdit("a.ts");
  {
    await using daemon = await runDaemon(home);
    await until("it is rewritten", () => text() === "Shorter.");
    daemon.child.kill("SIGTERM");
    assert.equal((await daemon.left).code, 0);
  }
  Deno.writeTextFileSync(pid, "");
  await endAfterEdit("b.ts");
  await using daemon = await runDaemon(home);
  await until("the command runs", () => Deno.readTextFileSync(pid) !== "");
  daemon.child.kill("SIGTERM");
  assert.equal((await daemon.left).code, 0);
  assert.throws(
    () => Deno.statSync(`/proc/${Deno.readTextFileSync(pid).trim()}`),
    Deno.errors.NotFound,
  );
  assert.match(String(text()), /Changed:/);
  const stats = await runProgram(["memory", "stats", "--json"], { env: { HOME: home.path } });
  assert.equal(JSON.parse(stats.stdout).summarizer.lastRuns[0].reason, "it was interrupted");
});

test("the daemon clears away what memory has kept long enough, and keeps notes", async (home) => {
  await hook("PostToolUse", edit(home, "a.ts"), home);
  const env = { HOME: home.path };
  await runProgram(["queue", "drain"], { env, cwd: home.path });
  await runProgram(["memory", "remember", "stays"], { env, cwd: home.path });
  change(home, "UPDATE observations SET created_at_ms = 1, updated_at_ms = 1");
  const count = () => countRows(home, "observations");
  assert.equal(count(), 3);
  configureUser(home, "memory: { retentionDays: 1 }\n");
  await using daemon = await runDaemon(home);
  await until("they are gone", () => count() === 1);
  assert.equal(queryValue(home, "SELECT kind FROM observations"), "note");
  await until("it says so", () => daemon.stderr().includes("observations 2"));
});
