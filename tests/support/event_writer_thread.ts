/** Writes events of a session into a database as hooks do, so many a second: a worker of its own. */
import { newId } from "../../src/base/ids.ts";
import { saveRecord } from "../../src/db/captures.ts";
import { openDatabase } from "../../src/db/database.ts";
import type { Writing } from "./event_writer.ts";
import { hookRecord } from "./records.ts";

const TICK_MS = 20;

/** The thread of a worker, as far as this file needs it. */
const thread = globalThis as unknown as {
  addEventListener(type: "message", told: (event: MessageEvent<Writing>) => void): void;
  postMessage(written: number): void;
};

thread.addEventListener("message", ({ data }) => {
  void write(data).then((written) => thread.postMessage(written));
});

/** @returns How many were written. */
async function write({ database, sessionId, perSecond, seconds }: Writing): Promise<number> {
  using db = await openDatabase(database, { busyTimeoutMs: 5_000 });
  const begunMs = performance.now();
  let written = 0;
  for (const all = perSecond * seconds; written < all;) {
    const due = Math.min(all, Math.ceil((performance.now() - begunMs) / 1_000 * perSecond));
    for (; written < due; written++) {
      const atMs = Date.now();
      const use = { toolName: "Read", toolUseId: `toolu_${written}` };
      const payload = JSON.stringify({ tool_input: { file_path: `/p/written-${written}.ts` } });
      saveRecord(db, {
        ...hookRecord({ atMs, sessionId, execution: use, capture: { ...use, payload } }),
        id: newId(atMs),
      });
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  return written;
}
