/** A session of very many tool uses, worked into memory. */
import { join } from "node:path";
import { newId } from "../../src/base/ids.ts";
import { saveRecords } from "../../src/db/captures.ts";
import { openDatabase } from "../../src/db/database.ts";
import type { TempHome } from "./program.ts";
import { drainAt } from "./records.ts";
import { REPOSITORY } from "./process.ts";
import { seededRandom, sourceFiles, toolUseRecords } from "./tool_uses.ts";

const AT_ONCE = 1_000;
const BETWEEN_MS = 3_000;
/** Larger payloads would only make the file larger. */
const MAX_PAYLOAD_BYTES = 4_000;

export async function longSession(home: TempHome, sessionId: string, uses: number): Promise<void> {
  using db = await openDatabase(home.database, { busyTimeoutMs: 1_000 });
  const files = sourceFiles(join(REPOSITORY, "src"));
  const patterns = toolUseRecords(1_000, { random: seededRandom(1), files, startMs: 0 })
    .filter(({ capture }) => (capture?.payload.length ?? 0) < MAX_PAYLOAD_BYTES);
  const startMs = Date.now() - uses * BETWEEN_MS;
  for (let from = 0; from < uses; from += AT_ONCE) {
    const records = Array.from({ length: Math.min(AT_ONCE, uses - from) }, (_, n) => {
      const atMs = startMs + (from + n) * BETWEEN_MS;
      const pattern = patterns[(from + n) % patterns.length]!;
      const session = { ...pattern.session!, effect: "touch" as const, title: "A long session" };
      return { ...pattern, id: newId(atMs), atMs, sessionId, session };
    });
    saveRecords(db, records);
  }
  drainAt(db);
}
