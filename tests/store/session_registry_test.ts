import assert from "node:assert/strict";
import { recentSessions } from "../../src/store/session_registry.ts";
import { saveEvent, tempDatabase } from "../support/records.ts";

Deno.test("recentSessions() gives the newest sessions of the project first, with their counters, and leaves one out", async () => {
  using temp = await tempDatabase();
  for (
    const [atMs, sessionId, counters] of [
      [30, "newest", ["tool_uses", "edits"]],
      [10, "oldest", []],
      [20, "middle", ["tool_uses", "tool_failures"]],
      [40, "asking", []],
      [50, "elsewhere", []],
    ] as const
  ) {
    saveEvent(temp.db, { atMs, sessionId, counters });
  }
  temp.db.exec("UPDATE sessions SET project_dir = '/other' WHERE session_id = 'elsewhere'");
  const told = recentSessions(temp.db, { project: "/p", except: "asking", limit: 2 });
  assert.deepEqual(
    told.map((one) => [one.updatedAtMs, one.toolUses, one.edits, one.toolFailures]),
    [[30, 1, 1, 0], [20, 1, 0, 1]],
  );
});
