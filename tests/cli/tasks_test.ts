/** Tasks as people and agents use them: the real program, one database. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../src/db/database.ts";
import { type Stage, stage } from "./support.ts";
import { runDaemon } from "../support/daemon.ts";
import { makeTask } from "../support/tasks.ts";
import { IS_SLOW_LANE } from "../support/lanes.ts";
import { testWith } from "../support/fixtures.ts";
import { change } from "../support/on_home.ts";

// deno-lint-ignore no-explicit-any -- a test looks into whatever was printed
type Printed = { readonly code: number; readonly body: any };

/** `conclaude task …` with `--json`. */
function task(place: Stage, ...args: string[]): Promise<Printed> {
  return place.json(["task", ...args]);
}

/** Makes a task. @returns Its id. */
async function make(place: Stage, ...flags: string[]): Promise<string> {
  const { code, body } = await task(place, "create", "--title", "A task", ...flags);
  assert.equal(code, 0, JSON.stringify(body));
  return body.task.id;
}

/** Lets time go by for a claim. */
function ageClaim(place: Stage, id: string, minutes: number): void {
  change(
    place.database,
    `UPDATE tasks
        SET claimed_at_ms = claimed_at_ms - ?1, lease_until_ms = lease_until_ms - ?1
      WHERE id = ?2`,
    minutes * 60_000,
    id,
  );
}

async function historyOf(place: Stage, id: string) {
  return (await task(place, "history", id)).body.history;
}

const test = testWith(stage);

test("when two claim a task at once, one gets it and the other is told the holder", async (place) => {
  const id = await make(place);
  const both = await Promise.all(
    ["a", "b"].map((name) => task(place, "claim", id, "--agent-id", name)),
  );
  const [won, lost] = both.toSorted((one, other) => one.code - other.code);
  assert.deepEqual([won!.code, lost!.code], [0, 12]);
  assert.equal(lost!.body.error.reason, "ALREADY_CLAIMED");
  const { claimedBy, claimToken, status } = won!.body.task;
  assert.equal(lost!.body.error.claimedBy, claimedBy);
  assert.deepEqual([claimToken, status], [1, "in_progress"]);
  const again = await task(place, "claim", id, "--agent-id", claimedBy);
  assert.deepEqual(again.body.task, won!.body.task, "its holder may claim it again");
  const fields = (await historyOf(place, id)).map(({ field }: { field: string }) => field);
  assert.deepEqual(fields.sort(), ["claimed_by", "status"]);
});

test("create checks the priority and the parent, and makes nothing when it refuses", async (place) => {
  const wrong = await task(place, "create", "--title", "x", "--priority", "5");
  assert.deepEqual([wrong.code, wrong.body.error.reason], [2, "INVALID_PRIORITY"]);
  const orphan = await task(place, "create", "--title", "x", "--parent", "01980c5e");
  assert.deepEqual([orphan.code, orphan.body.error.reason], [10, "PARENT_NOT_FOUND"]);
  assert.deepEqual((await task(place, "list")).body, { tasks: [], more: false });
  let id = await make(place);
  for (let depth = 1; depth <= 3; depth++) id = await make(place, "--parent", id.slice(-8));
  const { body } = await task(place, "show", id);
  assert.deepEqual([body.task.depth, body.task.priority, body.task.ancestors.length], [3, 2, 3]);
});

test("a holder whose claim ran out is told so, and the task goes to the next", async (place) => {
  const id = await make(place);
  await task(place, "claim", id, "--agent-id", "a");
  ageClaim(place, id, 29);
  assert.equal((await task(place, "claim", id, "--agent-id", "b")).code, 12);
  ageClaim(place, id, 2);
  for (const verb of ["complete", "renew"]) {
    const { code, body } = await task(place, verb, id, "--agent-id", "a");
    assert.deepEqual([code, body.error.reason], [13, "NOT_CLAIM_OWNER"]);
    assert.match(body.error.why, /its lease ran out at .* without being renewed/);
  }
  const next = await task(place, "claim", "--next", "--agent-id", "b");
  assert.deepEqual([next.body.task.claimedBy, next.body.task.claimToken], ["b", 2]);
  const authors = (await historyOf(place, id))
    .filter(({ field }: { field: string }) => field === "status")
    .map(({ changedBy }: { changedBy: string }) => changedBy);
  assert.deepEqual(authors, ["b", "system", "a"]);
  const late = await task(place, "complete", id, "--agent-id", "a");
  assert.deepEqual([late.code, late.body.error.claimedBy], [13, "b"]);
});

test("a task whose claim ran out is ready, and is shown as such", async (place) => {
  const parent = await make(place);
  const id = await make(place, "--parent", parent);
  const ofWorkflow = await make(place);
  for (const one of [id, ofWorkflow]) await task(place, "claim", one, "--agent-id", "a");
  for (const one of [id, ofWorkflow]) ageClaim(place, one, 31);
  // Whether its agent lives is for the daemon to say.
  const db = new DatabaseSync(place.database);
  db.prepare("UPDATE tasks SET claimed_by = 'workflow:w' WHERE id = ?").run(ofWorkflow);
  const ran = /a \(claim 1 ran out at .*, anybody can claim it\)/;
  assert.match((await place.run(["task", "show", id])).stdout, ran);
  assert.match((await place.run(["task", "list"])).stdout, / a \(ran out\)$/m);
  const readyIds = async () =>
    (await task(place, "ready")).body.tasks.map(({ id }: { id: string }) => id);
  db.exec("CREATE TRIGGER no_writing BEFORE UPDATE ON tasks BEGIN SELECT RAISE(FAIL, 'no'); END");
  assert.deepEqual(await readyIds(), []);
  db.exec("DROP TRIGGER no_writing");
  db.close();
  assert.deepEqual(await readyIds(), [parent, id]);
  assert.equal((await historyOf(place, id))[0].changedBy, "system");
  assert.equal((await task(place, "show", ofWorkflow)).body.task.status, "in_progress");
});

test("starting a task says whether a daemon takes it", async (place) => {
  const first = await make(place);
  const start = [
    "task",
    "create",
    "--title",
    "x",
    "--depends-on",
    first,
    "--workflow",
    "plan",
    "--start",
  ];
  assert.match((await place.run(start)).stdout, /waits for .* No daemon runs here: conclaude/);
  const home = { path: place.home, database: place.database, [Symbol.dispose]: () => {} };
  await using _daemon = await runDaemon(home, { cwd: place.project });
  assert.match((await place.run(start)).stdout, /waits for .* The daemon takes it when/);
});

test("a renewed claim counts on, for as long as the configuration says", async (place) => {
  Deno.writeTextFileSync(`${place.project}/.conclaude.yaml`, "store:\n  claimTimeoutMinutes: 90\n");
  const id = await make(place);
  const { body } = await task(place, "claim", id);
  assert.equal(body.task.leaseUntilMs - body.task.claimedAtMs, 90 * 60_000);
  ageClaim(place, id, 60);
  const renewed = (await task(place, "renew", id)).body.task;
  assert.ok(renewed.leaseUntilMs >= body.task.leaseUntilMs);
  assert.equal(renewed.claimToken, 1);
});

test("a task above open ones is completed with them or alone, when that is said", async (place) => {
  const id = await make(place);
  const child = await make(place, "--parent", id);
  assert.equal((await task(place, "claim", id, "--agent-id", "a")).code, 0);
  const complete = (...flags: string[]) => task(place, "complete", id, "--agent-id", "a", ...flags);
  const { code, body } = await complete();
  assert.deepEqual([code, body.error.openChildren], [11, [child]]);
  assert.match(body.error.next, /--with-children; --force/);
  assert.equal((await complete("--with-children")).body.task.status, "closed");
  assert.equal((await task(place, "show", child)).body.task.status, "closed");
});

test("each kind of refusal has its own exit status", async (place) => {
  const id = await make(place);
  const code = async (...args: string[]) => (await task(place, ...args)).code;
  assert.equal(await code("show", "01980c5e"), 10);
  assert.equal(await code("claim", "--next", "--all-projects", "--agent-id", ""), 2);
  assert.equal(await code("complete", id), 11);
  assert.equal(await code("claim", id, "--agent-id", "a"), 0);
  assert.equal(await code("claim", id, "--agent-id", "b"), 12);
  assert.equal(await code("release", id, "--agent-id", "b"), 13);
  assert.equal(await code("reparent", id, "--parent", id), 14);
  assert.equal(await code("reparent", id, "--root"), 0);
  assert.equal(await code("delete", id), 11);
  assert.equal(await code("release", id, "--force"), 0);
  assert.equal(await code("claim"), 2);
});

const [WORKERS, TASKS] = IS_SLOW_LANE ? [8, 100] : [3, 12];

test.sized(`${WORKERS} processes claim ${TASKS} tasks, each of them once`, async (place) => {
  const db = await openDatabase(place.database, { busyTimeoutMs: 1000 });
  for (let i = 0; i < TASKS; i++) makeTask(db, { title: `Task ${i}`, atMs: Date.now() });
  db.close();
  const worker = async (name: string): Promise<string[]> => {
    const claimed: string[] = [];
    for (;;) {
      const { code, body } = await task(place, "claim", "--next", "--agent-id", name);
      if (code === 10) return claimed;
      assert.equal(code, 0, JSON.stringify(body));
      claimed.push(body.task.id);
    }
  };
  const names = Array.from({ length: WORKERS }, (_, i) => `worker-${i}`);
  const claimed = (await Promise.all(names.map(worker))).flat();
  assert.deepEqual([claimed.length, new Set(claimed).size], [TASKS, TASKS]);
});
