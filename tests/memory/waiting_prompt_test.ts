/** A drain that has little time leaves long captures to another one: what a session was asked may be among them. */
import assert from "node:assert/strict";
import { drainAt, saveEvent, tempDatabase } from "../support/records.ts";

Deno.test("a session keeps the title of its prompt while the prompt waits for a drain", async () => {
  using temp = await tempDatabase();
  const asked = "Make a page with a clock";
  saveEvent(temp.db, {
    atMs: 1_000,
    capture: {
      toolName: "UserPromptSubmit",
      toolUseId: null,
      priority: "normal",
      payload: JSON.stringify({ prompt: `${asked}\n${"and more of it\n".repeat(100)}` }),
    },
  });
  const written = { tool_input: { file_path: "/p/page.html", content: "<p>" }, tool_response: {} };
  saveEvent(temp.db, { atMs: 2_000, capture: { payload: JSON.stringify(written) } });
  temp.db.prepare("UPDATE sessions SET title = ?").run(asked);
  const title = () =>
    temp.db.prepare("SELECT title FROM observations WHERE kind = 'summary'").get()?.["title"];
  const batch = { maxRows: 8, maxBytes: 60_000, maxRowBytes: 1_000 };
  assert.equal(
    drainAt(temp.db, 3_000, { batch })
      .worked,
    1,
  );
  assert.equal(title(), `Session: ${asked} (1 file)`);
  assert.equal(drainAt(temp.db, 4_000).worked, 1);
  assert.equal(title(), `Session: ${asked} (1 file)`);
});
