/** An export that a signal ends leaves nothing behind. */
import assert from "node:assert/strict";
import { openDatabase } from "../../src/db/database.ts";
import { spawnProgram } from "../support/process.ts";
import { tempHome } from "../support/program.ts";
import { saveEvent } from "../support/records.ts";
import { namesIn } from "../support/look.ts";
import { it } from "../support/fixtures.ts";

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
