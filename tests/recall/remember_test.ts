/** The files that a note is remembered with. */
import assert from "node:assert/strict";
import { rememberHere } from "../../src/recall/remember.ts";
import { readObservations } from "../../src/store/observations.ts";
import { tempDatabase } from "../support/records.ts";

Deno.test("a note is remembered with a file without the line, unless a file is called so", async () => {
  using temp = await tempDatabase();
  const folder = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(`${folder}/log:3`, "called so");
    const { id } = rememberHere(temp.db, "The port is 5433", {
      folder,
      files: ["src/a.ts:12", "src/b.ts:12:3", "src/c.ts", "log:3", "log:4"],
      redactPatterns: [],
      sessionId: null,
      atMs: 1_000,
    });
    const [note] = readObservations(temp.db, [id]);
    assert.deepEqual(note!.files, ["src/a.ts", "src/b.ts", "src/c.ts", "log:3", "log"]);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
