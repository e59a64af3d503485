import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { addUpLatency, latencyOverTime } from "../../src/db/hook_latency.ts";
import { testWith } from "../support/fixtures.ts";
import { drainAt, saveEvent, tempDatabase } from "../support/records.ts";
import { seededRandom } from "../support/tool_uses.ts";

const test = testWith(tempDatabase);
const AT = Date.parse("2026-11-20T10:00:00Z");
const MINUTE_MS = 60_000;

function saveTimed(db: DatabaseSync, atMs: number, durationMs: number, hookName = "Stop"): void {
  saveEvent(db, { atMs, execution: { hookName, durationMs, toolName: null, toolUseId: null } });
}

/** The nearest rank, from the durations themselves. */
function rank(values: readonly number[], percent: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * percent / 100) - 1]!;
}

test("percentiles of a stretch are within 5 % of the durations, added up or not", ({ db }) => {
  const random = seededRandom(7);
  const durations = Array.from({ length: 400 }, () => 0.5 * 2 ** (random() * 12));
  const look = () => latencyOverTime(db, { sinceMs: AT, stepMs: 15 * MINUTE_MS });
  durations.forEach((ms, n) => saveTimed(db, AT + n * 2_000, ms));
  const raw = look();
  addUpLatency(db, AT + MINUTE_MS);
  assert.deepEqual(look(), raw, "adding up changes no figure");
  const [{ points } = { points: [] }] = raw;
  assert.equal(points.length, 1);
  for (
    const [percent, ms] of [[50, points[0]!.p50Ms], [95, points[0]!.p95Ms], [99, points[0]!.p99Ms]]
  ) {
    const exact = rank(durations, percent!);
    assert.ok(Math.abs(ms! / exact - 1) < 0.05, `p${percent}: ${ms} of ${exact}`);
  }
});

test("a drain adds each hook up once, late ones too, and reads no row twice", async ({ db }) => {
  saveTimed(db, AT, 10);
  await drainAt(db, AT);
  // The spool brings what is older.
  saveTimed(db, AT - 30 * MINUTE_MS, 20);
  saveTimed(db, AT + MINUTE_MS, 30, "SessionStart");
  await drainAt(db, AT);
  await drainAt(db, AT);
  const runs = db.prepare("SELECT hook_name AS hook, sum(runs) AS n FROM hook_latency GROUP BY 1")
    .all().map(({ hook, n }) => `${hook} ${n}`);
  assert.deepEqual(runs, ["SessionStart 1", "Stop 2"]);
  db.exec("DELETE FROM hook_executions");
  const stops = latencyOverTime(db, { sinceMs: AT - 60 * MINUTE_MS, stepMs: MINUTE_MS })
    .find(({ hookName }) => hookName === "Stop");
  assert.deepEqual(stops!.points.map(({ atMs }) => atMs), [AT - 30 * MINUTE_MS, AT]);
});

test("numbers that are given anew after a removal are added up, and old minutes go", ({ db }) => {
  for (let n = 0; n < 5; n++) saveTimed(db, AT + n, 10);
  addUpLatency(db, AT);
  db.exec("DELETE FROM hook_executions");
  addUpLatency(db, AT);
  saveTimed(db, AT + MINUTE_MS, 10);
  addUpLatency(db, AT);
  const sum = () => db.prepare("SELECT sum(runs) AS n FROM hook_latency").get()!["n"];
  assert.equal(sum(), 6);
  saveTimed(db, AT + 40 * 1_440 * MINUTE_MS, 10);
  addUpLatency(db, AT + 40 * 1_440 * MINUTE_MS);
  assert.equal(sum(), 1);
});
