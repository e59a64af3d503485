/** `conclaude migrate` on the real program: folders as the older daemon leaves them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { runDaemon } from "../../support/daemon.ts";
import { query } from "../../support/look.ts";
import { spawnProgram } from "../../support/process.ts";
import { snapshot, type Stage, stage } from "../../cli/support.ts";
import { pause } from "../../support/wait.ts";
import { testWith } from "../../support/fixtures.ts";

const FIXTURES = new URL("../../testdata/coven/", import.meta.url).pathname;

/** A project with what the older daemon has left in it. */
function olderProject(fixture: "running" | "waiting" = "running"): Stage {
  const place = stage();
  copy(join(FIXTURES, fixture), join(place.project, ".coven"));
  return place;
}

function copy(from: string, to: string): void {
  Deno.mkdirSync(to, { recursive: true });
  for (const { name, isDirectory } of Deno.readDirSync(from)) {
    if (isDirectory) copy(join(from, name), join(to, name));
    else Deno.copyFileSync(join(from, name), join(to, name));
  }
}

// deno-lint-ignore no-explicit-any -- a test looks into whatever was printed
type Report = any;

async function migrate(place: Stage, ...flags: string[]): Promise<Report> {
  const { code, body } = await place.json(["migrate", "--yes", ...flags]);
  assert.equal(code, 0, JSON.stringify(body));
  return body;
}

const older = (place: Stage) => snapshot(join(place.project, ".coven"));

/** Tasks by their ids of old. */
function tasksOf(place: Stage): Record<string, Report> {
  const rows = query(
    place.database,
    `SELECT task.*, parent.origin AS parent_origin,
            (SELECT group_concat(other.origin) FROM task_dependencies JOIN tasks AS other ON other.id = depends_on
              WHERE task_id = task.id) AS waits_for,
            (SELECT group_concat(tag) FROM task_tags WHERE task_id = task.id) AS tags
       FROM tasks AS task LEFT JOIN tasks AS parent ON parent.id = task.parent_id`,
  );
  return Object.fromEntries(rows.map((row) => [oldId(row["origin"]), {
    ...row,
    parent: oldId(row["parent_origin"]),
    waitsFor: oldId(row["waits_for"]),
  }]));
}

const oldId = (origin: unknown) =>
  origin === null ? null : String(origin).replaceAll(/coven:[^,]*?:(task|workflow|agent):/g, "");

/** All that was written, without what differs from run to run. */
function written(place: Stage) {
  const tasks = Object.entries(tasksOf(place)).map(([id, task]) => [
    ...[id, task.title, task.status, task.depth, task.parent, task.waitsFor, task.tags],
    ...[task.reason, task.created_at_ms, task.closed_at_ms],
  ]).sort();
  const count = (table: string) =>
    query(place.database, `SELECT count(*) AS n FROM ${table}`)[0]!["n"];
  return {
    tasks,
    history: count("task_history"),
    events: query(
      place.database,
      "SELECT type, count(*) AS n FROM events WHERE type LIKE '%.created' GROUP BY type ORDER BY type",
    ).map((row) => ({ ...row })),
  };
}

const COUNTS = { tasks: 9, files: 4 };
const NOTHING = { tasks: 0, files: 0 };

const test = testWith(olderProject);

test("the plan comes first, and without a yes nothing is written", async (place) => {
  const before = { ...snapshot(place.home), ...snapshot(place.project) };
  const dry = await place.run(["migrate", "--dry-run"]);
  assert.deepEqual([dry.code, dry.stderr], [0, ""]);
  for (
    const part of [
      /tasks {2}9 to bring over/,
      /\.conclaude\/workflows\/careful\.yaml/,
      /orchestration\.maxConcurrentAgents: 5/,
      /task bd-16: pending_merge becomes blocked/,
      /task bd-14: in_progress becomes open/,
      /colour: the key is not known/,
      /Nothing was written/,
    ]
  ) assert.match(dry.stdout, part);
  const asked = await place.run(["migrate"]);
  assert.equal(asked.code, 2);
  assert.match(asked.stderr, /conclaude migrate --yes/);
  assert.deepEqual({ ...snapshot(place.home), ...snapshot(place.project) }, before);
});

test("twice comes to the same as once, and the older files stay as they are", async (place) => {
  const before = older(place);
  const first = await migrate(place);
  assert.deepEqual([first.imported, first.alreadyThere], [COUNTS, NOTHING]);
  const [rows, files] = [written(place), snapshot(join(place.project, ".conclaude"))];
  const events = query(place.database, "SELECT count(*) AS n FROM events")[0]!["n"];
  const config = Deno.readTextFileSync(join(place.project, ".conclaude.yaml"));
  const second = await migrate(place);
  assert.deepEqual([second.imported, second.alreadyThere], [NOTHING, COUNTS]);
  assert.deepEqual(written(place), rows);
  assert.equal(query(place.database, "SELECT count(*) AS n FROM events")[0]!["n"], events);
  assert.deepEqual(snapshot(join(place.project, ".conclaude")), files);
  assert.equal(Deno.readTextFileSync(join(place.project, ".conclaude.yaml")), config);
  assert.deepEqual(older(place), before);
  assert.equal((await place.run(["config", "validate"])).code, 0);
});

test("what is broken is named and skipped, and the rest is brought over", async (place) => {
  const { code, stdout, stderr } = await place.run(["migrate", "--yes"]);
  assert.equal(code, 0, stderr);
  for (
    const part of [
      /state\.json: tasks\[9\]: it is no JSON object/,
      /state\.json: tasks\[10\]: it has no id/,
      /state\.json: tasks\[11\]: task bd-12 stands elsewhere too, and was read there/,
      /\n {2}6 workflows: nothing goes on with them/,
      /\n {2}2 familiars: their processes/,
      /\n {2}2 questions: nobody waits/,
      /grimoires\/broken\.yaml: /,
      /task bd-13: estimate_minutes: nothing here is like it/,
      /task bd-17: priority: 9 means nothing here; it becomes 2/,
    ]
  ) assert.match(stdout, part);
  assert.match(stdout, /Brought over: 9 tasks, 4 files\./);
});

test("tasks keep their tree, their order and their times; nobody's claim comes with them", async (place) => {
  Deno.mkdirSync(join(place.project, ".coven/worktrees/bd-13"), { recursive: true });
  await migrate(place);
  const tasks = tasksOf(place);
  const facts = (id: string, ...names: string[]) => names.map((name) => tasks[id][name]);
  assert.deepEqual(facts("bd-12", "type", "priority", "created_at_ms", "deleted_at_ms"), [
    ...["feature", 1, Date.parse("2025-11-02T10:00:00.123Z"), null],
  ]);
  assert.deepEqual(facts("bd-13", "parent", "depth", "priority", "waitsFor", "workflow"), [
    ...["bd-12", 1, 0, "bd-15", "careful"],
  ]);
  assert.deepEqual(facts("bd-15", "parent", "depth", "status", "closed_at_ms", "summary"), [
    ...["bd-13", 2, "closed", Date.parse("2025-11-02T18:00:00Z"), "merged"],
  ]);
  assert.match(tasks["bd-13"].reason, /not finished; it is in .*\/\.coven\/worktrees\/bd-13/);
  assert.match(tasks["bd-16"].reason, /its merge was not finished/);
  assert.match(tasks["bd-17"].reason, /it was blocked/);
  assert.deepEqual(
    ["bd-12", "bd-13", "bd-14", "bd-16", "bd-17"].map((id) => tasks[id].status),
    ["open", "blocked", "open", "blocked", "blocked"],
  );
  assert.deepEqual(facts("bd-17", "parent", "depth", "waitsFor"), [null, 0, null]);
  // Two that are each other's parent both stand at the top.
  assert.deepEqual([tasks["bd-18"].parent, tasks["bd-19"].parent], [null, null]);
  assert.ok(Object.values(tasks).every((task) => task.claimed_by === null));
  const { body } = await place.json(["task", "history", tasks["bd-14"].id]) as Report;
  assert.deepEqual(
    body.history.map((row: Report) => [row.field, row.old, row.new, row.changedBy]),
    [
      ["origin", null, "bd-14", "migrate"],
      ["status", "in_progress", "open", "migrate"],
      ["claimed_by", "familiar-2", null, "migrate"],
    ],
  );
});

test("a run that was killed in the middle is begun again, and comes to the same", async (whole) => {
  await migrate(whole);
  using place = olderProject();
  await place.run(["db", "migrate"]);
  using db = new DatabaseSync(place.database, { timeout: 20_000 });
  // The process that writes that row is kept busy for ever.
  db.exec(
    `CREATE TRIGGER endless AFTER INSERT ON task_tags WHEN NEW.tag = 'auth' BEGIN
       SELECT count(*) FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n);
     END`,
  );
  const child = spawnProgram(["migrate", "--yes"], {
    cwd: place.project,
    env: { HOME: place.home },
  });
  const count = () => Number(db.prepare("SELECT count(*) AS n FROM tasks").get()!["n"]);
  for (let tries = 0; count() < COUNTS.tasks && tries < 4_000; tries++) await pause(5);
  child.kill("SIGKILL");
  await Promise.all([child.output(), child.stdin.close()]);
  const { stdout } = await place.run(["daemon", "status"]);
  assert.match(stdout, /old state in .*conclaude migrate/);
  db.exec("DROP TRIGGER endless");
  const { imported, alreadyThere } = await migrate(place);
  assert.deepEqual([alreadyThere.tasks, imported.tasks], [COUNTS.tasks, 0]);
  assert.deepEqual(written(place), written(whole));
});

const it = testWith(() => olderProject("waiting"));

it("what a later run finds belongs to what is here already, which stays as it is", async (place) => {
  const state = join(place.project, ".coven/state.json");
  const { beads } = JSON.parse(Deno.readTextFileSync(state));
  await migrate(place);
  const child = { title: "A part", status: "open", parent_id: "bd-1", depends_on: ["bd-2"] };
  const changed = { ...beads["bd-1"], title: "Write it anew" };
  Deno.writeTextFileSync(
    state,
    JSON.stringify({ beads: { ...beads, "bd-1": changed, "bd-3": child } }),
  );
  const { imported } = await migrate(place);
  assert.equal(imported.tasks, 1);
  const { parent, depth, waitsFor } = tasksOf(place)["bd-3"];
  assert.deepEqual([parent, depth, waitsFor], ["bd-1", 1, "bd-2"]);
  assert.equal(tasksOf(place)["bd-1"].title, "Write the page");
});

it("the configuration is added to what a file says already, which keeps its comments", async (place) => {
  const path = join(place.project, ".conclaude.yaml");
  Deno.writeTextFileSync(path, "# ours\norchestration:\n  check: deno task ok # stays\n");
  const { plan } = await migrate(place);
  assert.deepEqual(plan.config.kept, ["orchestration.check"]);
  assert.deepEqual(plan.notTaken.map(({ name }: Report) => name).sort(), [
    ...["beadsSyncIntervalMs", "logging", "mergeConflictMaxRetries", "outputRetentionDays"],
    "worktreeBasePath",
  ]);
  const text = Deno.readTextFileSync(path);
  assert.match(text, /^# ours\norchestration:\n {2}check: deno task ok # stays\n/);
  const { body } = await place.json(["config", "show"]);
  const { orchestration, store } = body.config as Report;
  assert.deepEqual(
    [orchestration.maxConcurrentAgents, orchestration.agentTimeoutMinutes, orchestration.notify],
    [2, 10, false],
  );
  assert.deepEqual(orchestration.allowedTools, ["Bash(make:*)"]);
  assert.equal(store.taskSoftDeleteDays, 14);
});

test("a file of ours that says something else stays, and is named", async (place) => {
  const own = join(place.project, ".conclaude/prompts/work.md");
  Deno.mkdirSync(join(own, ".."), { recursive: true });
  Deno.writeTextFileSync(own, "ours\n");
  const { plan, imported } = await migrate(place);
  assert.equal(imported.files, 3);
  assert.ok(plan.notTaken.some(({ name }: Report) => name.endsWith("spells/work.md")));
  assert.equal(Deno.readTextFileSync(own), "ours\n");
});

test("the daemon and doctor point to it until it was brought over", async (place) => {
  const home = { path: place.home, database: place.database, [Symbol.dispose]() {} };
  const told = /old state in .*\/\.coven: run `conclaude migrate` to bring it over/;
  {
    await using daemon = await runDaemon(home, { cwd: place.project });
    assert.match(daemon.stderr(), told);
  }
  assert.match(Deno.readTextFileSync(join(place.home, ".conclaude/conclaude.daemon.log")), told);
  const inside = join(place.project, "src");
  Deno.mkdirSync(inside);
  assert.match((await place.run(["daemon", "status"], { cwd: inside })).stdout, told);
  const finding = async () =>
    (await place.json(["doctor"])).body.checks.find(({ name }) => name === "migration");
  assert.match((await finding())!.message, /old state in .*\/\.coven was not brought over/);
  await migrate(place);
  assert.doesNotMatch((await place.run(["daemon", "status"])).stdout, /old state/);
  assert.equal(await finding(), undefined);
});

test("a daemon that is started in the background says it too, and --fresh ends it", async (place) => {
  const before = older(place);
  const started = await place.run(["daemon", "start"]);
  const stopped = await place.run(["daemon", "stop"]);
  assert.deepEqual([started.code, stopped.code], [0, 0], started.stderr + stopped.stderr);
  assert.match(started.stdout, /old state in .*conclaude migrate --fresh/);
  const { code, body } = await place.json(["migrate", "--fresh"]) as Report;
  assert.deepEqual([code, body.fresh], [0, true]);
  const { body: status } = await place.json(["daemon", "status"]) as Report;
  assert.equal(status.oldState, undefined);
  assert.deepEqual(older(place), before);
  assert.deepEqual((await migrate(place)).imported, COUNTS);
});

it("--from names the project or its .coven; where there is nothing it says so", async (place) => {
  using other = stage();
  const nothing = await other.json(["migrate", "--dry-run"]);
  assert.equal(nothing.code, 1);
  assert.match(nothing.body.error.what, /nothing to bring over/);
  for (const from of [place.project, join(place.project, ".coven")]) {
    const { code, body } = await other.json(["migrate", "--dry-run", "--from", from]) as Report;
    assert.deepEqual([code, body.plan.tasks, body.plan.project], [0, 2, place.project]);
  }
  Deno.writeTextFileSync(join(place.project, ".coven/state.json"), "{");
  Deno.removeSync(join(place.project, ".coven/config.json"));
  const broken = await place.json(["migrate", "--yes"]);
  assert.equal(broken.code, 1);
  assert.match(broken.body.error.why, /state\.json: it is no JSON/);
});
