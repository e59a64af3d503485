import assert from "node:assert/strict";
import { join } from "node:path";
import { openDatabase } from "../../src/db/database.ts";
import { makeTask } from "../support/tasks.ts";
import { testWith } from "../support/fixtures.ts";
import { type Stage, stage } from "./support.ts";

const test = testWith(stage);

/** A note of a folder that is gone, and a task of it. @returns The folder. */
async function gone(place: Stage): Promise<string> {
  const old = join(place.home, "old");
  Deno.mkdirSync(old);
  const note = ["memory", "remember", "The tests need port 5433"];
  assert.equal((await place.run(note, { cwd: old })).code, 0);
  Deno.removeSync(old, { recursive: true });
  using db = await openDatabase(place.database, { busyTimeoutMs: 1000 });
  makeTask(db, { projectDir: old });
  return old;
}

test("memory move gives what is known of a folder to another one, and --dry-run only says so", async (place) => {
  const old = await gone(place);
  const found = async () =>
    (await place.run(["memory", "search", "port", "--here"])).stdout.includes("5433");
  const dry = await place.json(["memory", "move", old, place.project, "--dry-run"]);
  assert.deepEqual([dry.code, dry.body.moved["observations"], dry.body.moved["tasks"]], [0, 1, 1]);
  assert.equal(await found(), false);
  const { code, stdout } = await place.run(["memory", "move", old, place.project]);
  assert.equal(code, 0);
  assert.match(stdout, /^Moved 1 observation, 1 task, .*from .*old to /s);
  assert.equal(await found(), true);
  assert.match((await place.run(["task", "list"])).stdout, /A task/);
});

test("memory move refuses a folder of which nothing is known, one that is not there, and one below the old one", async (place) => {
  const old = await gone(place);
  const why = async (...folders: string[]) => {
    const { code, body } = await place.json(["memory", "move", ...folders]);
    assert.equal(code, 1);
    assert.match(body.error.next, /./);
    return body.error.why;
  };
  assert.match(await why("/nowhere", place.project), /^nothing is known of \/nowhere; nothing/);
  assert.match(await why(old, join(place.home, "none")), /^there is no folder /);
  Deno.mkdirSync(join(old, "below"), { recursive: true });
  assert.match(await why(old, join(old, "below")), /is below .*old; nothing was changed$/);
  assert.match(await why(old, old), /^both are the same folder/);
});
