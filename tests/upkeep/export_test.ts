import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { compactPayloads } from "../../src/db/payloads.ts";
import { exportLines } from "../../src/upkeep/transfer/export_table.ts";
import { openDatabase } from "../../src/db/database.ts";
import { SCHEMA_VERSION } from "../../src/db/transaction.ts";
import { noCounts } from "../../src/upkeep/transfer/exported_tables.ts";
import { fillEveryTable } from "../support/every_row.ts";
import { saveEvent, tempDatabase } from "../support/records.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(tempDatabase);

const ALL = { sessionId: null, sinceMs: null, atMs: 77 };
const LONG = JSON.stringify({ text: "conclaude ".repeat(500) });

type Line = Readonly<Record<string, unknown>>;

function parsed(db: DatabaseSync, options: Partial<typeof ALL> | object = {}): Line[] {
  return [...exportLines(db, { ...ALL, ...options })].map((line) => JSON.parse(line));
}

test("an export begins with meta, ends with its counts, and has a line for every row", (temp) => {
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
    ...noCounts(),
    sessions: 1,
    executions: 2,
    captures: 1,
    counters: 2,
    damaged: 0,
    unreadable: 0,
  });
});

test("an export of a session has its sub-agents and questions; an export since a time has what changed", (temp) => {
  fillEveryTable(temp.db);
  const work = /^(?:task|agent|workflow|question|event)/;
  const told = (options: object) =>
    parsed(temp.db, options).map(({ type }) => String(type)).filter((type) => work.test(type));
  assert.deepEqual(told({ sessionId: "a" }), ["agent", "question"]);
  assert.deepEqual(told({ sessionId: "nobody" }), []);
  assert.equal(told({ sinceMs: 2000 }).filter((type) => type === "task").length, 1);
  assert.deepEqual(told({ sinceMs: 9000 }), ["taskTag", "taskDependency"]);
});

test("a payload is exported letter by letter", ({ db }) => {
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

test("any payload survives compaction and export", ({ db }) => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 8 }), (values) => {
      db.exec("DELETE FROM pending_queue");
      const texts = values.map((value) => JSON.stringify({ value, pad: "x".repeat(200) }));
      texts.forEach((payload, i) => saveEvent(db, { atMs: 1000 + i, capture: { payload } }));
      compactPayloads(db);
      const lines = parsed(db).filter(({ type }) => type === "capture");
      assert.deepEqual(
        lines.map(({ payload }) => JSON.stringify(payload)),
        texts.map((text) => JSON.stringify(JSON.parse(text))),
      );
    }),
    { numRuns: 50 },
  );
});

test("a damaged payload is exported as it is stored, and counted", ({ db }) => {
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

test("an export can be limited to a session and to a time", ({ db }) => {
  saveEvent(db, { atMs: 1000, sessionId: "a", capture: {}, counters: ["edits"] });
  saveEvent(db, { atMs: 2000, sessionId: "a", capture: {} });
  saveEvent(db, { atMs: 3000, sessionId: "b", capture: {}, counters: ["edits"] });
  for (
    const [options, counts] of [
      [{}, [2, 3, 3, 2]],
      [{ sessionId: "a" }, [1, 2, 2, 1]],
      [{ sinceMs: 2000 }, [2, 2, 2, 1]],
      [{ sinceMs: 2000, sessionId: "a" }, [1, 1, 1, 0]],
    ] as const
  ) {
    const end = parsed(db, options).at(-1)!;
    const names = ["sessions", "executions", "captures", "counters"];
    assert.deepEqual(names.map((name) => end[name]), counts);
  }
});

test("an export shows one moment, and ends its transaction when it is broken off", async (temp) => {
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

test("a text with a NUL is exported to its end", (temp) => {
  fillEveryTable(temp.db);
  temp.db.exec(`
    UPDATE hook_executions SET error_message = 'before' || char(0) || 'behind';
    UPDATE sessions SET title = char(0) || 'title';
    UPDATE counters SET type = 'a' || char(0) || type;
    UPDATE task_tags SET tag = 'ui' || char(0)`);
  const lines = parsed(temp.db);
  const of = (type: string) => lines.find((line) => line["type"] === type)!;
  assert.equal(of("execution")["errorMessage"], "before\0behind");
  assert.equal(of("session")["title"], "\0title");
  assert.equal(of("counter")["counterType"], "a\0edits");
  assert.equal(of("taskTag")["tag"], "ui\0");
});
