/** What of tasks, workflows and events goes when it is old, and what never does. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { agentsFolder } from "../../src/work/engine/agent_files.ts";
import { runDaemon } from "../support/daemon.ts";
import { query, queryValue } from "../support/look.ts";
import { hook, runProgram, type TempHome, tempHome } from "../support/program.ts";
import { until } from "../support/wait.ts";
import { json } from "../support/verb.ts";
import { testWith } from "../support/fixtures.ts";
import { configureUser } from "../support/on_home.ts";

const DAY_MS = 86_400_000;

/** A UUID that ends like this. */
function idOf(n: number): string {
  return `0198aaaa-bbbb-7ccc-8ddd-${String(n).padStart(12, "0")}`;
}

interface TaskFacts {
  readonly parent?: number;
  readonly status?: string;
  readonly closedDaysAgo?: number;
  readonly deletedDaysAgo?: number;
}

/** A database with tasks, written as the program would have long ago. */
async function prepared(home: TempHome): Promise<DatabaseSync> {
  await hook("SessionStart", { session_id: "s1" }, home);
  return new DatabaseSync(home.database);
}

function addTask(db: DatabaseSync, n: number, facts: TaskFacts = {}): void {
  const ago = (days: number | undefined) => days === undefined ? null : Date.now() - days * DAY_MS;
  const closedAtMs = ago(facts.closedDaysAgo);
  db.prepare(
    `INSERT INTO tasks (id, parent_id, depth, title, body, type, status, priority, created_at_ms, updated_at_ms,
                        closed_at_ms, deleted_at_ms)
     VALUES (?, ?, ?, 't', '', 'task', ?, 2, 1, ?, ?, ?)`,
  ).run(
    idOf(n),
    facts.parent === undefined ? null : idOf(facts.parent),
    facts.parent === undefined ? 0 : 1,
    facts.status ?? (closedAtMs === null ? "open" : "closed"),
    closedAtMs ?? 1,
    closedAtMs,
    ago(facts.deletedDaysAgo),
  );
}

function addAgent(db: DatabaseSync, n: number, task: number, endedAtMs: number | null): void {
  db.prepare(
    `INSERT INTO agents (id, kind, name, status, task_id, workflow_id, created_at_ms, ended_at_ms, updated_at_ms)
     VALUES (?, 'agent', 'a', ?, ?, ?, 1, ?, 1)`,
  ).run(idOf(n), endedAtMs === null ? "running" : "completed", idOf(task), idOf(n), endedAtMs);
}

function addWorkflow(db: DatabaseSync, n: number, status: string, endedDaysAgo?: number): void {
  const endedAtMs = endedDaysAgo === undefined ? null : Date.now() - endedDaysAgo * DAY_MS;
  db.prepare(
    `INSERT INTO workflows (id, task_id, name, definition, status, claim_token, created_at_ms, updated_at_ms, ended_at_ms)
     VALUES (?, ?, 'w', '{}', ?, 1, 1, 1, ?)`,
  ).run(idOf(n), idOf(n), status, endedAtMs);
  db.prepare(
    `INSERT INTO workflow_steps (workflow_id, key, attempt, type, status, started_at_ms)
     VALUES (?, 'a', 1, 'agent', 'finished', 1)`,
  ).run(idOf(n));
}

function tasks(home: TempHome): unknown[][] {
  return query(home, "SELECT id, deleted_at_ms IS NULL AS stays FROM tasks ORDER BY id")
    .map(({ id, stays }) => [Number(String(id).slice(-4)), stays]);
}

const test = testWith(tempHome);

test("closed tasks are deleted, and removed for good later, unless something below them is open", async (home) => {
  const db = await prepared(home);
  addTask(db, 1, { closedDaysAgo: 31 });
  addTask(db, 2, { closedDaysAgo: 29 });
  addTask(db, 3, { closedDaysAgo: 40 });
  addTask(db, 4, { parent: 3 });
  addTask(db, 5, { closedDaysAgo: 40 });
  addTask(db, 6, { parent: 5, closedDaysAgo: 40 });
  addTask(db, 7, { closedDaysAgo: 50, deletedDaysAgo: 8 });
  addTask(db, 8, { closedDaysAgo: 50, deletedDaysAgo: 6 });
  addTask(db, 9, { closedDaysAgo: 50 });
  addAgent(db, 20, 9, null);
  addTask(db, 10);
  db.close();
  const dry = await json(home, "retention", "run", "--dry-run");
  const { removed } = await json(home, "retention", "run");
  assert.deepEqual(removed, dry.removed);
  assert.deepEqual([removed.deletedTasks, removed.tasks], [3, 1]);
  assert.deepEqual(tasks(home), [
    [1, 0],
    [2, 1],
    [3, 1],
    [4, 1],
    [5, 0],
    [6, 0],
    [8, 0],
    [9, 1],
    [10, 1],
  ]);
  const { stdout } = await runProgram(["task", "restore", idOf(1)], { env: { HOME: home.path } });
  assert.match(stdout, /./);
  await json(home, "retention", "run");
  assert.deepEqual(tasks(home)[0], [1, 1], "somebody wanted it back");
});

test("removing a task removes its agents, their output and its questions, and nothing that runs", async (home) => {
  const db = await prepared(home);
  for (const n of [1, 2]) {
    addTask(db, n, { deletedDaysAgo: 10 });
    addAgent(db, 10 + n, n, n === 1 ? 2 : null);
    db.prepare(
      `INSERT INTO questions (id, type, text, status, source, task_id, created_at_ms)
       VALUES (?, 'input', 'x?', 'pending', 'output', ?, 1)`,
    ).run(`q-${n}`, idOf(n));
  }
  db.close();
  const folder = (n: number) => join(agentsFolder(home.database), idOf(n));
  for (const n of [11, 12, 13, 14]) {
    Deno.mkdirSync(folder(n), { recursive: true });
    Deno.writeTextFileSync(join(folder(n), "output.jsonl"), "{}");
  }
  for (const path of [join(folder(13), "output.jsonl"), folder(13)]) {
    Deno.utimeSync(path, 1, 1);
  }
  const other = join(agentsFolder(home.database), "mine");
  Deno.mkdirSync(other);
  Deno.utimeSync(other, 1, 1);
  const dry = await json(home, "retention", "run", "--dry-run");
  const { removed } = await json(home, "retention", "run");
  assert.deepEqual(removed, dry.removed);
  assert.deepEqual(
    [removed.tasks, removed.agents, removed.questions, removed.folders],
    [1, 1, 1, 1],
  );
  assert.deepEqual(query(home, "SELECT id FROM questions").map(({ id }) => id), ["q-2"]);
  const left = [...Deno.readDirSync(agentsFolder(home.database))].map(({ name }) => name).sort();
  assert.deepEqual(left, [idOf(12), idOf(14), "mine"]);
});

test("finished workflows are removed with their steps; those that run, wait or keep a working tree stay", async (home) => {
  const db = await prepared(home);
  addWorkflow(db, 1, "completed", 8);
  addWorkflow(db, 2, "completed", 6);
  addWorkflow(db, 3, "running");
  addWorkflow(db, 4, "pending_merge");
  addWorkflow(db, 5, "cancelled", 8);
  addWorkflow(db, 6, "completed", 8);
  db.prepare("UPDATE workflows SET worktree = '/w' WHERE id IN (?, ?)").run(idOf(5), idOf(6));
  db.close();
  const { removed } = await json(home, "retention", "run");
  assert.equal(removed.workflows, 2);
  const left = query(home, "SELECT workflow_id AS id FROM workflow_steps ORDER BY id");
  assert.deepEqual(left.map(({ id }) => id), [2, 3, 4, 6].map(idOf));
});

test("the daemon removes what is old when it begins, and no number of an event comes twice", async (home) => {
  const db = await prepared(home);
  const add = db.prepare(
    `INSERT INTO events (type, entity_type, entity_id, data, created_at_ms)
     VALUES ('task.updated', 'task', 'x', '{}', ?)`,
  );
  for (let i = 0; i < 1200; i++) add.run(Date.now() - 2 * DAY_MS);
  db.close();
  await using _daemon = await runDaemon(home);
  await until("old events are gone", () => queryValue(home, "SELECT count(*) FROM events") === 0);
  await json(home, "task", "create", "--title", "next");
  assert.ok(Number(queryValue(home, "SELECT min(id) FROM events")) > 1200);
});

test("an old event that is not yet removed is not listed", async (home) => {
  const db = await prepared(home);
  const old = () =>
    db.prepare(
      `INSERT INTO events (type, entity_type, entity_id, data, created_at_ms)
       VALUES ('task.updated', 'task', 'x', '{}', ?)`,
    ).run(Date.now() - 2 * DAY_MS).lastInsertRowid;
  old();
  await using daemon = await runDaemon(home);
  // What is there after it has removed the first one stays for an hour.
  await until("old events are gone", async () => {
    const { text } = await daemon.ask("GET", "/metrics");
    return text.includes("conclaude_retention_removals_total 1");
  });
  const hidden = Number(old());
  db.close();
  const oldest = async () => (await daemon.ask("GET", "/status")).body.counts.oldestEventId;
  assert.equal(await oldest(), null);
  await json(home, "task", "create", "--title", "next");
  const ids = (body: { events: { id: number }[] }) => body.events.map(({ id }) => id);
  assert.deepEqual(ids((await daemon.ask("GET", "/events?since=0")).body), [hidden + 1]);
  assert.equal(await oldest(), hidden + 1);
  assert.deepEqual(ids(await json(home, "event", "list")), [hidden + 1]);
  assert.deepEqual(ids(await json(home, "event", "list", "--since", "0")), [hidden + 1]);
  configureUser(home, "store: {eventRetentionHours: 0}\n");
  assert.deepEqual(ids(await json(home, "event", "list")), [hidden, hidden + 1]);
});

test("removing a session removes its sub-agents and questions, and no agents of the daemon", async (home) => {
  const db = await prepared(home);
  db.close();
  const sub = { session_id: "s1", agent_id: "a", agent_type: "scout" };
  await hook("SubagentStart", sub, home);
  const asked = { notification_type: "permission_prompt", message: "May it?" };
  await hook("Notification", { session_id: "s1", ...asked }, home);
  await hook("SessionEnd", { session_id: "s1" }, home);
  const later = new DatabaseSync(home.database);
  addAgent(later, 1, 1, 2);
  later.prepare("UPDATE agents SET session_id = 's1'").run();
  later.exec("UPDATE sessions SET ended_at_ms = 1");
  later.close();
  await json(home, "retention", "run");
  assert.deepEqual(query(home, "SELECT id FROM agents").map(({ id }) => id), [idOf(1)]);
  assert.equal(queryValue(home, "SELECT count(*) FROM questions"), 0);
});
