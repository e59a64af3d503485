/** Captures that no drain has come to: a session is told that there are some. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { openDatabase } from "../../src/db/database.ts";
import { change, printed } from "../support/on_home.ts";
import { asked, send, start, type Workplace, workplace } from "../support/told_sessions.ts";
import { saveWork } from "../support/work_sessions.ts";
import { testWith } from "../support/fixtures.ts";

const WAIT =
  /\d+ captures of other sessions of this project are not worked in yet, .*`conclaude queue drain`/;

/** More captures than a SessionStart has time for, of a project. */
async function fill(at: Workplace, project: string): Promise<void> {
  const db = await openDatabase(at.database, { busyTimeoutMs: 1000 });
  saveWork(db, 1_500, { seed: 3, project, startMs: Date.now() - 86_400_000 });
  db.close();
  change(
    at,
    `UPDATE sessions SET repository = '${join(project, ".git")}' WHERE project_dir = '${project}'`,
  );
}

const test = testWith(workplace);

test("a session is told that captures of its project wait, until they are worked in", async (at) => {
  await asked(at, "Look after the tides");
  await fill(at, at.project);
  const told = await start(at);
  assert.match(told, WAIT);
  assert.ok(told.length <= 4 * 1_200);
  await printed(at, at.project, "queue", "drain");
  const later = await start(at, "startup", { session: "c0de0000-0000-4000-8000-000000000003" });
  assert.match(later, /Memory of this project/);
  assert.doesNotMatch(later, /not worked in yet/);
});

test("a session is told nothing of captures of another project", async (at) => {
  await asked(at, "Look after the tides");
  await printed(at, at.project, "queue", "drain");
  await fill(at, "/home/ana/other");
  assert.doesNotMatch(await start(at), /not worked in yet/);
});

test("the end of a session works its captures in, also when no drain ran beside its Stop", async (at) => {
  await asked(at, "Look after the tides");
  await send(at, "SessionEnd", { reason: "other" });
  const found = await printed(at, at.project, "memory", "search", "tides", "--json");
  assert.deepEqual(
    JSON.parse(found).results.map(({ title }: { title: string }) => title),
    ["Look after the tides", "Session: Look after the tides"],
  );
});
