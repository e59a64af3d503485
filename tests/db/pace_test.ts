import assert from "node:assert/strict";
import { paceBesideHooks } from "../../src/db/pace.ts";
import { writeMeta } from "../../src/db/statement.ts";
import { connected } from "../support/on_home.ts";
import { tempDatabase } from "../support/records.ts";

const BATCH = { maxRows: 500, maxBytes: 1_000_000 };

Deno.test("batches are small for a while after another process has written, and not after one's own writes", async () => {
  using temp = await tempDatabase();
  using hook = connected(temp.path);
  const lasting = paceBesideHooks(temp.db, BATCH, { forMs: Infinity });
  const passing = paceBesideHooks(temp.db, BATCH, { forMs: 0 });
  writeMeta(temp.db, "ours", "1");
  assert.deepEqual([lasting(), passing()], [full(), full()]);
  writeMeta(hook, "theirs", "1");
  for (const { batch, pauseMs } of [lasting(), lasting()]) {
    assert.ok(batch.maxRows < BATCH.maxRows && batch.maxBytes < BATCH.maxBytes && pauseMs > 0);
  }
  assert.deepEqual(passing(), full());
});

function full() {
  return { batch: BATCH, pauseMs: 0 };
}
