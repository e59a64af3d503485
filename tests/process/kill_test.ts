/** Processes that are killed or interrupted in the middle of their work. */
import assert from "node:assert/strict";
import { IS_SLOW_LANE } from "../support/lanes.ts";
import { damages, filesBelow, namesIn, queryValue, spoolFiles } from "../support/look.ts";
import { finished, spawnProgram, startHook } from "../support/process.ts";
import { type TempHome, tempHome } from "../support/program.ts";
import { seededRandom } from "../support/tool_uses.ts";
import { it } from "../support/fixtures.ts";
import { openDatabase } from "../../src/db/database.ts";
import { saveEvent } from "../support/records.ts";

const CAPTURES = IS_SLOW_LANE ? 500 : 24;
const AT_ONCE = 6;
const SEED = Number(Deno.env.get("CONCLAUDE_KILL_SEED") ?? 20_251_120);

const AFTER = { session_id: "s1", tool_name: "Bash", tool_use_id: "after" };

/** Starts a capture and kills it after some time. @returns True when it had answered before it died. */
async function killedCapture(home: TempHome, id: string, afterMs: number): Promise<boolean> {
  const child = spawnProgram(["hook", "PostToolUse"], { env: { HOME: home.path } });
  const timer = setTimeout(() => {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has left already.
    }
  }, afterMs);
  const use = { session_id: "s1", tool_name: "Write", tool_use_id: id };
  const { stdout } = await finished(child, { ...use, tool_response: "x".repeat(9_000) });
  clearTimeout(timer);
  return stdout.includes("continue");
}

/**
 * Works through all ids, some at a time. How long a capture may live follows the machine: what one takes alone at first,
 * longer after each that could not answer, shorter after each that could.
 *
 * @returns The ids of those that had answered.
 */
async function killAll(home: TempHome, ids: readonly string[], random: () => number) {
  const answered: string[] = [];
  const waiting = [...ids];
  const startedMs = performance.now();
  await startHook("PostToolUse", { session_id: "s1", tool_use_id: "unharmed" }, home);
  // About half of the captures shall live to answer, several of them on one processor.
  let lifeMs = 2 * (performance.now() - startedMs);
  const work = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const hasAnswered = await killedCapture(home, id, (0.5 + random()) * lifeMs);
      lifeMs *= hasAnswered ? 0.95 : 1.05;
      if (hasAnswered) answered.push(id);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return answered;
}

function lostOf(home: TempHome, ids: readonly string[]): string[] {
  const spooled = spoolFiles(home).map((path) => Deno.readTextFileSync(path)).join("\n");
  return ids.filter((id) =>
    queryValue(home, "SELECT count(*) FROM pending_queue WHERE tool_use_id = ?", id) !== 1 &&
    !spooled.includes(`"${id}"`)
  );
}

it.unix(`${CAPTURES} captures killed at any moment leave a sound database, and what had answered is kept`, async () => {
  using home = tempHome();
  const ids = Array.from({ length: CAPTURES }, (_, i) => `use-${i}-of-${SEED}`);
  const answered = await killAll(home, ids, seededRandom(SEED));
  assert.ok(
    answered.length > CAPTURES / 10 && answered.length < CAPTURES * 0.9,
    `${answered.length} had answered`,
  );
  assert.deepEqual(damages(home), []);
  assert.deepEqual(lostOf(home, answered), []);

  // Whatever waits drains with the next event, and what was written is whole.
  await startHook("PostToolUse", AFTER, home);
  assert.deepEqual(spoolFiles(home), []);
  assert.deepEqual(lostOf(home, [...answered, "after"]), []);
  const kept = Number(queryValue(home, "SELECT count(*) FROM pending_queue"));
  assert.equal(queryValue(home, "SELECT count(*) FROM hook_executions"), kept);
  assert.equal(queryValue(home, "SELECT value FROM counters WHERE type = 'tool_uses'"), kept);
  assert.equal(
    queryValue(home, "SELECT count(*) FROM pending_queue WHERE json_valid(payload)"),
    kept,
  );
  assert.deepEqual(damages(home), []);
});

it.slowUnix("captures killed while they wait in the spool are kept once, and half-written files are not taken for records", async () => {
  using home = tempHome();
  const folder = `${home.path}/.conclaude`;
  Deno.mkdirSync(home.database, { recursive: true });
  const ids = Array.from({ length: 60 }, (_, i) => `spooled-${i}-of-${SEED}`);
  const answered = await killAll(home, ids, seededRandom(SEED + 1));
  assert.ok(answered.length > 0);
  Deno.removeSync(home.database);
  // Two that are killed while they drain, then one that may live.
  await killAll(home, ["drain-1", "drain-2"], seededRandom(SEED + 2));
  await startHook("PostToolUse", AFTER, home);
  assert.deepEqual(lostOf(home, [...answered, "after"]), []);
  assert.deepEqual(spoolFiles(home), []);
  assert.deepEqual(filesBelow(folder).filter((path) => path.endsWith(".damaged")), []);
  assert.deepEqual(damages(home), []);
});

const RECORDS = 1_500;
const PAYLOAD_CHARS = 40_000;

/** The names of an export and of its draft in a folder. */
function draftsIn(folder: string): string[] {
  return namesIn(folder).filter((name) => name.startsWith("out.jsonl"));
}

/** Waits until an export has begun to write. */
async function untilBegun(folder: string): Promise<void> {
  for (let round = 0; round < 4_000; round++) {
    if (draftsIn(folder).length > 0) return;
    await new Promise((done) => setTimeout(done, 5));
  }
  throw new Error("it never wrote");
}

it.slowUnix("an export that a signal ends leaves neither its draft nor a file", async () => {
  using home = tempHome();
  const db = await openDatabase(home.database, { busyTimeoutMs: 1_000 });
  for (let n = 0; n < RECORDS; n++) {
    saveEvent(db, { atMs: n, capture: { payload: JSON.stringify("x".repeat(PAYLOAD_CHARS)) } });
  }
  db.close();
  for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
    const child = spawnProgram(["export", "--output", "out.jsonl"], {
      env: { HOME: home.path },
      cwd: home.path,
    });
    await child.stdin.close();
    await untilBegun(home.path);
    child.kill(signal);
    const ended = await child.output();
    assert.deepEqual([ended.code, draftsIn(home.path)], [code, []], signal);
  }
});
