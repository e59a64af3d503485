import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { compactPayloads } from "../../src/maintenance/compaction.ts";
import { exportLines } from "../../src/store/export.ts";
import { openDatabase, SCHEMA_VERSION } from "../../src/store/database.ts";
import { saveEvent, tempDatabase } from "../support/records.ts";

const ALL = { sessionId: null, sinceMs: null, atMs: 77 };
const LONG = JSON.stringify({ text: "conclaude ".repeat(500) });

/** There are neither observations nor tasks. */
const NO_TASKS = {
  observations: 0,
  tasks: 0,
  taskTags: 0,
  taskDependencies: 0,
  taskChanges: 0,
  agents: 0,
  workflows: 0,
  workflowSteps: 0,
  questions: 0,
  events: 0,
  summaryRequests: 0,
};

/** A row in every table of tasks. */
const TASK_ROWS = `
  INSERT INTO tasks (id, depth, title, body, type, status, priority, created_at_ms, updated_at_ms)
  VALUES ('t1', 0, 'a', 'b', 'bug', 'open', 2, 1, 5000), ('t2', 0, 'a', 'b', 'task', 'open', 2, 1, 1);
  INSERT INTO task_tags VALUES ('t1', 'ui');
  INSERT INTO task_dependencies VALUES ('t1', 't2');
  INSERT INTO task_history (task_id, changes, changed_by, changed_at_ms)
  VALUES ('t1', '[{"field":"title","old":null,"new":{"a":"b"}}]', 'user', 5000);
  INSERT INTO agents (id, kind, name, status, session_id, command, created_at_ms, updated_at_ms)
  VALUES ('a1', 'subagent', 'scout', 'running', 'a', '["x"]', 1, 5000);
  INSERT INTO workflows (id, task_id, name, definition, status, claim_token, created_at_ms, updated_at_ms)
  VALUES ('w1', 't1', 'w', '{"steps":[]}', 'running', 1, 1, 5000);
  INSERT INTO workflow_steps (workflow_id, key, attempt, type, status, outcome, started_at_ms)
  VALUES ('w1', 'a', 1, 'agent', 'running', NULL, 5000), ('w1', 'b', 1, 'merge', 'finished', '{"n":1}', 5000);
  INSERT INTO questions (id, type, text, options, status, source, session_id, created_at_ms, resolved_at_ms)
  VALUES ('q1', 'choice', 'x?', '["y","n"]', 'resolved', 'elicitation', 'a', 1, 5000);
  INSERT INTO events (type, entity_type, entity_id, data, created_at_ms)
  VALUES ('task.created', 'task', 't1', '{"a":1}', 5000);`;

const TASK_TABLES = {
  task: "tasks",
  taskTag: "task_tags",
  taskDependency: "task_dependencies",
  taskChange: "task_history",
  agent: "agents",
  workflow: "workflows",
  workflowStep: "workflow_steps",
  question: "questions",
  event: "events",
};

type Line = Readonly<Record<string, unknown>>;

function parsed(db: DatabaseSync, options: Partial<typeof ALL> | object = {}): Line[] {
  return [...exportLines(db, { ...ALL, ...options })].map((line) => JSON.parse(line));
}

Deno.test("an export begins with meta, ends with its counts, and has a line for every row", async () => {
  using temp = await tempDatabase();
  saveEvent(temp.db, { counters: ["edits", "tool_uses"], capture: { payload: LONG } });
  saveEvent(temp.db);
  const lines = parsed(temp.db);
  assert.deepEqual(lines.map(({ type }) => type), [
    "meta",
    "session",
    "execution",
    "execution",
    "capture",
    "counter",
    "counter",
    "end",
  ]);
  const { version, ...meta } = lines[0]!;
  assert.equal(typeof version, "string");
  assert.deepEqual(meta, {
    type: "meta",
    format: 1,
    schema: SCHEMA_VERSION,
    exportedAtMs: 77,
    sessionId: null,
    sinceMs: null,
    receipts: [],
  });
  assert.deepEqual(lines.at(-1), {
    type: "end",
    sessions: 1,
    executions: 2,
    captures: 1,
    counters: 2,
    requirements: 0,
    ...NO_TASKS,
    damaged: 0,
    unreadable: 0,
  });
});

Deno.test("every column of every table can be restored from an export", async () => {
  using temp = await tempDatabase();
  const { db } = temp;
  saveEvent(db, {
    atMs: 1000,
    execution: { metadata: { files: ["/p/ä.ts"], n: 1 }, errorMessage: "x", errorStack: "at y" },
    capture: { payload: LONG, filesTouched: ["/p/ä.ts", "b"] },
    counters: ["edits"],
  });
  saveEvent(db, { atMs: 2000, capture: { payload: '{"ü":"\\u2028"}' } });
  compactPayloads(db);
  const tables = {
    session: "sessions",
    execution: "hook_executions",
    capture: "pending_queue",
    counter: "counters",
  };
  const lines = parsed(db);
  for (const [type, table] of Object.entries(tables)) {
    const rows = db.prepare(`SELECT * FROM ${table}`).all();
    const found = lines.filter((line) => line["type"] === type);
    assert.equal(found.length, rows.length);
    for (const row of rows) {
      const line = found.find((each) =>
        type === "session" || type === "counter" || each["id"] === row["id"]
      )!;
      for (const [column, value] of Object.entries(row)) {
        if (column === "encoding" || column === "payload") continue;
        const name = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
        const told = line[type === "counter" && name === "type" ? "counterType" : name];
        assert.deepEqual(
          typeof told === "object" && told ? JSON.stringify(told) : told,
          value,
          name,
        );
      }
    }
  }
  const payloads = lines.filter(({ type }) => type === "capture").map(({ payload }) => payload);
  assert.deepEqual(payloads, [JSON.parse(LONG), { "ü": "\u2028" }]);
});

Deno.test("every column of tasks, agents, workflows, questions and events can be restored from an export", async () => {
  using temp = await tempDatabase();
  const { db } = temp;
  db.exec(TASK_ROWS);
  const lines = parsed(db);
  const textOf = (row: object) => JSON.stringify(Object.entries(row).sort());
  for (const [type, table] of Object.entries(TASK_TABLES)) {
    const found = lines.filter((line) => line["type"] === type).map((line) =>
      textOf(Object.fromEntries(
        Object.entries(line).filter(([name]) => name !== "type").map(([name, value]) => [
          name === `${type}Type`
            ? "type"
            : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
          typeof value === "object" && value !== null ? JSON.stringify(value) : value,
        ]),
      ))
    );
    const rows = db.prepare(`SELECT * FROM ${table}`).all().map((row) => textOf(row));
    assert.deepEqual(found.sort(), rows.sort(), table);
  }
});

Deno.test("of tasks an export of a session has its sub-agents and questions, one since a time what changed", async () => {
  using temp = await tempDatabase();
  temp.db.exec(TASK_ROWS);
  const told = (options: object) =>
    parsed(temp.db, options).map(({ type }) => type).filter((type) =>
      Object.hasOwn(TASK_TABLES, String(type))
    );
  assert.deepEqual(told({ sessionId: "a" }), ["agent", "question"]);
  assert.deepEqual(told({ sessionId: "b" }), []);
  assert.equal(told({ sinceMs: 2000 }).filter((type) => type === "task").length, 1);
  assert.deepEqual(told({ sinceMs: 9000 }), ["taskTag", "taskDependency"]);
});

Deno.test("a payload goes into its line letter by letter", async () => {
  using temp = await tempDatabase();
  const { db } = temp;
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const texts = ['{"n":12345678901234567890,"n":1e400,"2":0,"1":0}', deep, ' {"a"\n:\r\n1} '];
  texts.forEach((payload, i) => saveEvent(db, { atMs: 1000 + i, capture: { payload } }));
  const lines = [...exportLines(db, ALL)].filter((line) => line.includes('"type":"capture"'));
  texts.forEach((text, i) => {
    assert.ok(lines[i]!.endsWith(`,"payload":${text.replace(/[\r\n]/g, " ")}}`));
    assert.ok(!/[\r\n]/.test(lines[i]!));
    JSON.parse(lines[i]!);
  });
});

Deno.test("any payload survives compaction and export", async () => {
  using temp = await tempDatabase();
  const { db } = temp;
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 8 }), (values) => {
      db.exec("DELETE FROM pending_queue");
      const texts = values.map((value) => JSON.stringify({ value, pad: "x".repeat(200) }));
      texts.forEach((payload, i) => saveEvent(db, { atMs: 1000 + i, capture: { payload } }));
      compactPayloads(db);
      const lines = parsed(db).filter(({ type }) => type === "capture");
      assert.deepEqual(lines.map(({ payload }) => JSON.stringify(payload)), texts.map(normal));
    }),
    { numRuns: 50 },
  );
});

Deno.test("a damaged payload is exported as it is stored, and counted", async () => {
  using temp = await tempDatabase();
  const { db } = temp;
  saveEvent(db, { atMs: 1, capture: { payload: LONG } });
  saveEvent(db, { atMs: 2, capture: { payload: LONG } });
  compactPayloads(db);
  db.exec("UPDATE pending_queue SET payload = x'0102ff' WHERE created_at_ms = 1");
  const lines = parsed(db);
  const [bad, good] = lines.filter(({ type }) => type === "capture");
  assert.equal(bad!["payload"], null);
  const damage = bad!["damage"] as Line;
  assert.equal(damage["stored"], "AQL/");
  assert.equal(damage["encoding"], "br");
  assert.deepEqual(good!["payload"], JSON.parse(LONG));
  assert.equal(lines.at(-1)!["damaged"], 1);
});

Deno.test("an export can be limited to a session and to a time", async () => {
  using temp = await tempDatabase();
  const { db } = temp;
  saveEvent(db, { atMs: 1000, sessionId: "a", capture: {}, counters: ["edits"] });
  saveEvent(db, { atMs: 2000, sessionId: "a", capture: {} });
  saveEvent(db, { atMs: 3000, sessionId: "b", capture: {}, counters: ["edits"] });
  const counts = (options: object) => {
    const end = parsed(db, options).at(-1)!;
    return ["sessions", "executions", "captures", "counters", "requirements"]
      .map((name) => end[name]);
  };
  assert.deepEqual(counts({}), [2, 3, 3, 2, 0]);
  assert.deepEqual(counts({ sessionId: "a" }), [1, 2, 2, 1, 0]);
  assert.deepEqual(counts({ sinceMs: 2000 }), [2, 2, 2, 1, 0]);
  assert.deepEqual(counts({ sinceMs: 2000, sessionId: "a" }), [1, 1, 1, 0, 0]);
});

Deno.test("an export is of one moment, and leaves the database free when it is broken off", async () => {
  using temp = await tempDatabase();
  const { db } = temp;
  saveEvent(db);
  const lines = exportLines(db, ALL);
  lines.next();
  lines.next();
  const hook = await openDatabase(temp.path, { busyTimeoutMs: 1000 });
  saveEvent(hook, { capture: {} });
  hook.close();
  const rest = [...lines].map((line) => JSON.parse(line));
  assert.equal(rest.at(-1).executions, 1);
  const broken = exportLines(db, ALL);
  broken.next();
  broken.next();
  broken.return(undefined as never);
  assert.equal(db.isTransaction, false);
});

function normal(text: string): string {
  return JSON.stringify(JSON.parse(text).value === undefined ? {} : JSON.parse(text));
}

Deno.test("a text that holds a NUL is exported to its end", async () => {
  using temp = await tempDatabase();
  saveEvent(temp.db, { counters: ["edits"], execution: { errorMessage: "it failed" } });
  temp.db.exec(TASK_ROWS);
  temp.db.exec(`
    UPDATE hook_executions SET error_message = 'before' || char(0) || 'behind';
    UPDATE sessions SET title = char(0) || 'title';
    UPDATE counters SET type = 'a' || char(0) || 'b';
    UPDATE task_tags SET tag = 'ui' || char(0)`);
  const lines = parsed(temp.db);
  const of = (type: string) => lines.find((line) => line["type"] === type)!;
  assert.equal(of("execution")["errorMessage"], "before\0behind");
  assert.equal(of("session")["title"], "\0title");
  assert.equal(of("counter")["counterType"], "a\0b");
  assert.equal(of("taskTag")["tag"], "ui\0");
});
