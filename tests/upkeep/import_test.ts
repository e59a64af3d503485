import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { exportLines } from "../../src/upkeep/transfer/export_table.ts";
import { importLines, type ImportReport, openExport } from "../../src/upkeep/transfer/import.ts";
import { linesIn } from "../../src/upkeep/transfer/import_lines.ts";
import { EXPORTED_TABLES } from "../../src/upkeep/transfer/exported_tables.ts";
import TABLES from "../../src/upkeep/transfer/exported_tables.json" with { type: "json" };
import { checkIndex } from "../../src/memory/search/memory_index_table.ts";
import { fillEveryTable } from "../support/every_row.ts";
import { saveEvent, tempDatabase } from "../support/records.ts";
import { it, testWith } from "../support/fixtures.ts";

const test = testWith(twoDatabases);

const NO_RULES = { patterns: [] };

async function twoDatabases() {
  const [first, second] = await Promise.all([tempDatabase(), tempDatabase()]);
  const end = () => [first, second].forEach((one) => one[Symbol.dispose]());
  return { first, second, [Symbol.dispose]: end };
}

function exported(db: DatabaseSync, options: object = {}): string[] {
  return [...exportLines(db, { sessionId: null, sinceMs: null, atMs: 77, ...options })];
}

function source(text: string | Uint8Array) {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  let at = 0;
  return {
    readSync(buffer: Uint8Array) {
      if (at >= bytes.length) return null;
      // Odd pieces, so that lines and letters are cut.
      const part = bytes.subarray(at, at + Math.min(buffer.length, 777));
      buffer.set(part);
      at += part.length;
      return part.length;
    },
  };
}

function imported(db: DatabaseSync, lines: readonly string[], dryRun = false): ImportReport {
  return importText(db, lines.join("\n") + "\n", dryRun);
}

function importText(db: DatabaseSync, text: string | Uint8Array, dryRun = false): ImportReport {
  return importLines(db, openExport(source(text)), { rules: NO_RULES, dryRun });
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, n) => all + n, 0);
}

test("every table is in an export, or in the list of tables that are not exported", ({ first }) => {
  const tables = first.db.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  ).all().map(({ name }) => String(name)).filter((name) => !name.startsWith("memory_index_"));
  const known = [
    ...EXPORTED_TABLES.map(({ table }) => table),
    ...Object.keys(TABLES.notExported),
  ];
  assert.deepEqual(tables, known.sort());
});

/** The rows of every exported table as they are stored; payloads may be stored in another encoding. */
function rowsIn(db: DatabaseSync): unknown {
  return EXPORTED_TABLES.map(({ table }) =>
    db.prepare(`SELECT * FROM ${table}`).all().map(({ payload: _p, encoding: _e, ...row }) =>
      JSON.stringify(row)
    ).sort()
  );
}

test("an import brings every row and column of an export, and a repeated import changes nothing", ({ first, second }) => {
  fillEveryTable(first.db);
  const lines = exported(first.db);
  const end = JSON.parse(lines.at(-1)!);
  for (const [name, n] of Object.entries(end)) {
    if (!["type", "unreadable"].includes(name)) assert.ok(Number(n) > 0, `${name} is in it`);
  }
  assert.ok(lines.some((line) => /"mended":\d/.test(line)), "a fix is in it");
  assert.ok(lines.some((line) => /"resolvedBy":\d/.test(line)), "a fixed failure is in it");
  const report = imported(second.db, lines);
  assert.deepEqual([report.damagedLines, report.cutShort, report.missing], [[], false, 0]);
  assert.equal(sum(report.imported), lines.length - 2);
  assert.deepEqual(rowsIn(second.db), rowsIn(first.db));
  assert.deepEqual(second.db.prepare("PRAGMA foreign_key_check").all(), []);
  assert.deepEqual(checkIndex(second.db), []);
  for (const db of [first.db, second.db]) {
    const again = imported(db, lines);
    assert.deepEqual([sum(again.imported), sum(again.known)], [0, lines.length - 2]);
    assert.deepEqual(exported(db), lines);
  }
});

test("a payload has the same bytes after an import", ({ first, second }) => {
  const payload =
    '{"n":12345678901234567890,"n":1e400,"2":0,"1":0,"payload":"x","ü":"\\u2028,\\"payload\\":"}';
  saveEvent(first.db, { capture: { payload } });
  imported(second.db, exported(first.db));
  const row = second.db.prepare("SELECT payload, encoding, raw_bytes AS bytes FROM pending_queue")
    .get();
  assert.deepEqual({ ...row }, {
    payload,
    encoding: "json",
    bytes: new TextEncoder().encode(payload).length,
  });
});

test("a second import completes one that was broken off anywhere", async ({ first }) => {
  fillEveryTable(first.db);
  const lines = exported(first.db);
  for (let cut = 2; cut < lines.length; cut += 3) {
    using second = await tempDatabase();
    assert.equal(imported(second.db, lines.slice(0, cut)).cutShort, true);
    imported(second.db, lines);
    // A task that lost its parent on the way is not given it back: it is there already.
    const isTask = JSON.parse(lines[cut - 1]!).type === "task";
    if (!isTask) assert.deepEqual(exported(second.db), lines, `cut behind ${cut} lines`);
  }
});

test("an observation whose number is taken gets another one, and references to it follow", ({ first, second }) => {
  fillEveryTable(first.db);
  for (let i = 0; i < 3; i++) {
    second.db.prepare(
      `INSERT INTO observations (uid, session_id, kind, title, text, terms, created_at_ms, updated_at_ms)
       VALUES (?, 'other', 'note', 'mine', '', '', 1, 1)`,
    ).run(`mine-${i}`);
  }
  second.db.exec(
    `INSERT INTO events (id, type, entity_type, entity_id, data, created_at_ms)
     VALUES (40, 'task.created', 'task', 'mine', '{}', 1)`,
  );
  const lines = exported(first.db);
  for (let round = 0; round < 2; round++) {
    const { damagedLines } = imported(second.db, lines);
    assert.deepEqual(damagedLines, []);
    assert.equal(second.db.prepare("SELECT count(*) AS n FROM events").get()!["n"], 3);
    // Told by their uids instead of their numbers, both databases say the same.
    assert.deepEqual(byUids(second.db), byUids(first.db));
  }
  const mine = second.db.prepare("SELECT id, title FROM observations WHERE session_id = 'other'")
    .all();
  assert.deepEqual(mine.map((row) => row["id"]), [1, 2, 3]);
});

test("a second import completes one that was killed between a failure and its fix", ({ first, second }) => {
  fillEveryTable(first.db);
  const notes = [first.db, second.db].map((db) =>
    db.prepare(
      `INSERT INTO observations (uid, session_id, kind, title, text, terms, created_at_ms, updated_at_ms)
       VALUES (?, 'other', 'note', 'a note', '', '', 1, 1)`,
    )
  );
  for (let i = 0; i < 700; i++) notes[0]!.run(`note-${i}`);
  for (let i = 0; i < 9; i++) notes[1]!.run(`mine-${i}`);
  const of = (line: string) => JSON.parse(line);
  const lines = exported(first.db);
  const isNote = (line: string) => line.includes('"title":"a note"');
  const failure = lines.findIndex((line) => of(line).resolvedBy > 0);
  const others = lines.filter((line, i) => i > failure && !isNote(line));
  // Many batches between the two.
  const apart = [...lines.slice(0, failure + 1), ...lines.filter(isNote), ...others];
  const { receipts, lines: whole } = openExport(source(apart.join("\n")));
  const killed = function* () {
    for (const line of whole) {
      if (line.number > failure + 650) throw new Error("killed");
      yield line;
    }
  };
  const options = { rules: NO_RULES, dryRun: false };
  assert.throws(() => importLines(second.db, { receipts, lines: killed() }, options), /killed/);
  const count = () =>
    Number(second.db.prepare("SELECT count(*) AS n FROM observations").get()!["n"]);
  assert.ok(count() > 500 && count() < 700, `${count()}`);
  assert.equal(imported(second.db, apart).damaged, 0);
  assert.deepEqual(byUids(second.db), byUids(first.db));
});

/** What refers to an observation, with the uids of both. */
function byUids(db: DatabaseSync): unknown {
  const uids = new Map(
    db.prepare("SELECT id, uid FROM observations").all().map((row) => [row["id"], row["uid"]]),
  );
  const facts = db.prepare(
    "SELECT uid, facts, resolved_by AS by FROM observations WHERE session_id <> 'other' ORDER BY uid",
  ).all().map((row) => {
    const { mended, by = [], ...others } = JSON.parse(String(row["facts"]));
    return [
      row["uid"],
      uids.get(row["by"]!),
      uids.get(mended),
      by.map((id: number) => uids.get(id)),
      others,
    ];
  });
  const files = db.prepare("SELECT path, observation_id AS id, digest FROM observation_files").all()
    .map((row) => `${row["path"]} ${uids.get(row["id"]!)} ${row["digest"]}`).sort();
  const captures = db.prepare(
    "SELECT id, observation_id AS observation FROM pending_queue ORDER BY id",
  )
    .all().map((row) => [row["id"], uids.get(row["observation"]!)]);
  return { facts, files, captures };
}

test("damaged lines are named by their numbers, with the reason, and the others are imported", ({ first, second }) => {
  saveEvent(first.db, { sessionId: "a", capture: {}, counters: ["edits"] });
  const [meta, session, ...rest] = exported(first.db);
  const other = session!.replace('"sessionId":"a"', '"sessionId":"c"');
  const wrong: readonly (readonly [line: string, why: RegExp])[] = [
    ['{"type":"session","sessionId":', /^it is not JSON: /],
    ['{"type":"spaceship"}', /unknown type "spaceship"/],
    ["[1]", /no JSON object/],
    [other.replace('"status":"active"', '"status":"asleep"'), /CHECK constraint/],
    [other.replace("{", '{"colour":"red",'), /unknown field "colour"/],
    [other.replace('"sessionId":"c"', '"sessionId":{"a":1}'), /"sessionId" is neither/],
    ['{"type":"observation","title":"Edit"}', /^it has no field "uid"$/],
    ['{"type":"session"}', /^it says nothing but its type$/],
    ['{"type":"session","sessionId":"b"}', /^it has no field "shortId"$/],
  ];
  const lines = [meta!, ...wrong.map(([line]) => line), "", session!, ...rest, session!];
  const { damaged, damagedLines, imported: came } = imported(second.db, lines);
  assert.deepEqual([damaged, came.sessions], [wrong.length + 1, 1]);
  wrong.forEach(([, why], at) => {
    assert.equal(damagedLines[at]!.line, at + 2);
    assert.match(damagedLines[at]!.why, why);
  });
  assert.equal(damagedLines.at(-1)!.line, lines.length, "a line after the end");
  assert.deepEqual(exported(second.db), exported(first.db));
});

test("an observation with a field that readers cannot use is refused, also in a dry run", ({ first, second }) => {
  fillEveryTable(first.db);
  const lines = exported(first.db);
  const observation = JSON.parse(lines.find((line) => line.startsWith('{"type":"observation"'))!);
  const wrong: Record<string, readonly unknown[]> = {
    kind: ["evil", null],
    outcome: ["maybe"],
    files: ["no list", [1], null],
    facts: ["text", [], null],
    observedFiles: [{}, [{ digest: null }]],
    repeats: [-5, 0, 1.5],
    createdAtMs: [-1, 2 ** 50, 1e18],
    updatedAtMs: ["now"],
  };
  const rows = Object.entries(wrong).flatMap(([field, values]) =>
    values.map((value) => JSON.stringify({ ...observation, [field]: value }))
  );
  const fields = Object.entries(wrong).flatMap(([field, values]) => values.map(() => field));
  const told = [lines[0]!, ...rows, JSON.stringify(observation), '{"type":"end"}'];
  for (const dryRun of [true, false]) {
    const { damagedLines, imported: came } = imported(second.db, told, dryRun);
    assert.equal(came.observations, 1);
    assert.deepEqual(
      damagedLines.map(({ why }) => /^its field "(\w+)" is /.exec(why)?.[1]),
      fields,
    );
  }
});

test("a line with bytes that are not UTF-8 and a line that is too long are damaged", ({ first }) => {
  const [meta, end] = exported(first.db);
  const bytes = new TextEncoder().encode(`${meta}\n{"x":"ä"}\n${end}\n`);
  bytes[bytes.indexOf(0xc3)] = 0xff;
  assert.deepEqual(importText(first.db, bytes).damagedLines, [{ line: 2, why: "it is not UTF-8" }]);
  const lines = [...linesIn(source("{}\n{     \n[]"), 5)];
  const whys = lines.map((line) => line.kind === "faulty" && line.why);
  assert.deepEqual(whys, ["it has no type", "it is too long", "it is no JSON object"]);
  assert.deepEqual(lines.map(({ isWhole }) => isWhole), [true, true, false]);
});

test("an export that was cut short is imported as far as it goes, and reported", ({ first, second }) => {
  saveEvent(first.db, { capture: {} });
  const text = exported(first.db).join("\n");
  const report = importText(second.db, text.slice(0, text.indexOf('"type":"end"') - 40));
  assert.deepEqual([report.cutShort, report.damaged], [true, 0]);
  assert.equal(report.imported.sessions, 1);
  const lines = exported(first.db);
  assert.equal(imported(second.db, [...lines.slice(0, 1), ...lines.slice(2)]).missing, 1);
});

test("a text that is no export and an export of a newer program are refused", ({ first }) => {
  const meta = JSON.parse(exported(first.db)[0]!);
  for (const text of ["", "\n\n", "hello\n", '{"type":"session"}\n', "[]\n", "null\n"]) {
    assert.throws(
      () => importText(first.db, text),
      { what: "This is no export of conclaude" },
      text,
    );
  }
  for (const newer of [{ ...meta, format: 2 }, { ...meta, schema: 999 }]) {
    assert.throws(() => importText(first.db, JSON.stringify(newer) + "\n"), {
      what: "This export is of a newer conclaude",
    });
  }
});

test("an export of an older schema is imported, and the columns that it lacks are empty", ({ first, second }) => {
  saveEvent(first.db, { capture: {} });
  const lines = exported(first.db).map((line) => {
    const { branch: _branch, observationId: _id, retryAtMs: _retry, ...fields } = JSON.parse(line);
    return JSON.stringify(fields.type === "meta" ? { ...fields, schema: 15 } : fields);
  });
  assert.deepEqual(imported(second.db, lines).damagedLines, []);
  assert.deepEqual(exported(second.db), exported(first.db));
});

test("an export of one session, or since a time, is imported whole", async ({ first }) => {
  fillEveryTable(first.db);
  const types = (lines: readonly string[]) => new Set(lines.map((line) => JSON.parse(line).type));
  for (const filter of [{ sessionId: "a" }, { sessionId: "b" }, { sinceMs: 13_000 }]) {
    using second = await tempDatabase();
    const lines = exported(first.db, filter);
    assert.ok(types(lines).has("observation") === (filter.sessionId !== "b"));
    const report = imported(second.db, lines);
    assert.deepEqual([report.damagedLines, report.missing], [[], 0]);
    assert.equal(sum(report.imported) + report.unattached, lines.length - 2);
    assert.deepEqual(second.db.prepare("PRAGMA foreign_key_check").all(), []);
  }
});

test("a task whose parent does not come becomes the top of its own tree", ({ first, second }) => {
  fillEveryTable(first.db);
  first.db.exec("UPDATE tasks SET parent_id = 't1', depth = 2 WHERE id = 't2'");
  const lines = exported(first.db).filter((line) => !line.includes('"id":"t3"'));
  const report = imported(second.db, lines);
  assert.deepEqual([report.detachedTasks, report.missing], [1, 1]);
  const rows = second.db.prepare("SELECT id, parent_id AS parent, depth FROM tasks ORDER BY id")
    .all();
  assert.deepEqual(rows.map((row) => ({ ...row })), [
    { id: "t1", parent: null, depth: 0 },
    { id: "t2", parent: "t1", depth: 1 },
  ]);
});

test("secrets that another program wrote into an export are masked", ({ first, second }) => {
  fillEveryTable(first.db);
  const token = `ghp_${"aB3".repeat(12)}`;
  const before = exported(first.db);
  const lines = before.map((line) =>
    line.replace('"title":"Fix"', `"title":"Fix ${token}"`)
      .replace('"prompt":"Please', `"prompt":"${token} <private>hush</private> Please`)
      .replace(/"title":"Please[^"]*"/, `"title":"${token}"`)
      .replace('"text":"Please', `"text":"gh\\u0070_${token.slice(4)} Please`)
      .replace('"title":"Zwei', `"title":"gh\\u0070_${token.slice(4)} Zwei`)
      .replace(/("kind":"prompt"[^]*"terms":")/, `$1${token.toLowerCase()}ǃ `)
      .replace('"metadata":{"n":1}', '"metadata":{"password":"hunter2hunter2"}')
      .replace('"outcome":{"n":1}', `"outcome":{"n":1,"t":"${token}"}`)
  );
  assert.equal(lines.filter((line, i) => line !== before[i]).length, 6);
  const report = imported(second.db, lines);
  assert.deepEqual(report.damagedLines, []);
  const after = exported(second.db);
  assert.ok(!after.join("\n").toLowerCase().includes(token.toLowerCase()));
  assert.ok(!after.join("\n").includes(token) && !after.join("\n").includes("hush"));
  assert.ok(!after.join("\n").includes("hunter2"));
  assert.ok(after.join("\n").includes("[redacted:github-token]"));
  assert.ok(after.some((line) => line.includes('"claimToken":7')), "our own numbers stay");
  const [row] = second.db.prepare(
    "SELECT raw_bytes AS raw, payload FROM pending_queue WHERE payload LIKE '%private removed%'",
  ).all();
  assert.equal(row!["raw"], new TextEncoder().encode(String(row!["payload"])).length);
});

it.slow("a secret is masked in every field of an export except ids", async () => {
  using first = await tempDatabase();
  fillEveryTable(first.db);
  const token = `ghp_${"aB3".repeat(12)}`;
  const lines = exported(first.db);
  const seen = new Set<string>();
  const taken = new Set<string>();
  for (const line of lines.slice(1, -1)) {
    const row: Record<string, unknown> = JSON.parse(line);
    for (const field of Object.keys(row)) {
      const name = `${row["type"]}.${field}`;
      const isId = /^(?:type|id|uid|\w+Id|dependsOn|origin|processMark|damage)$/.test(field);
      if (isId || seen.has(name) || ["number", "boolean"].includes(typeof row[field])) continue;
      seen.add(name);
      const value = typeof row[field] === "object" && row[field] !== null ? [token] : token;
      using second = await tempDatabase();
      const told = { ...row, [field]: value };
      const report = imported(second.db, [lines[0]!, JSON.stringify(told), lines.at(-1)!]);
      if (report.damaged + report.unattached === 0) taken.add(name);
      assert.ok(!exported(second.db).join("\n").toLowerCase().includes(token.toLowerCase()), name);
    }
  }
  for (
    const name of ["capture.toolName", "agent.worktree", "session.endReason", "agent.command"]
  ) {
    assert.ok(taken.has(name), name);
  }
});

test("a dry run reports the same as the import, and writes nothing", ({ first, second }) => {
  fillEveryTable(first.db);
  const lines = exported(first.db);
  second.db.exec("PRAGMA query_only = ON");
  const would = imported(second.db, lines, true);
  second.db.exec("PRAGMA query_only = OFF");
  assert.deepEqual(exported(second.db).length, 2);
  const did = imported(second.db, lines);
  assert.deepEqual(would, did);
  second.db.exec("PRAGMA query_only = ON");
  assert.equal(sum(imported(second.db, lines, true).known), lines.length - 2);
});

test("an import writes its observations into few segments of the search index", ({ first, second }) => {
  const add = (db: DatabaseSync, id: number, text: string) =>
    db.prepare(
      `INSERT INTO observations (id, uid, session_id, kind, title, text, terms, created_at_ms, updated_at_ms)
       VALUES (?1, ?2, 's', 'note', ?2, ?2, '', 1, 1)`,
    ).run(id, text);
  for (const id of Array.from({ length: 100 }, (_, n) => n + 1)) add(first.db, id, `pier ${id}`);
  add(second.db, 3, "lighthouse");
  // Nothing puts parts together by itself.
  second.db.exec("INSERT INTO memory_index (memory_index, rank) VALUES ('automerge', 0)");
  second.db.exec("INSERT INTO memory_index (memory_index, rank) VALUES ('crisismerge', 1000)");
  assert.equal(imported(second.db, exported(first.db)).imported.observations, 100);
  const found = second.db.prepare("SELECT rowid FROM memory_index WHERE memory_index MATCH 'pier'");
  assert.equal(found.all().length, 100);
  assert.deepEqual(checkIndex(second.db), []);
  const parts = second.db.prepare("SELECT DISTINCT segid FROM memory_index_idx").all().length;
  assert.ok(parts <= 5, `${parts} parts`);
});

/** Changes the task `t1`, as its verbs do: the row, a tag, and the history of it. */
function changeTask(db: DatabaseSync, title: string, atMs: number): void {
  db.prepare("UPDATE tasks SET title = ?, updated_at_ms = ? WHERE id = 't1'").run(title, atMs);
  db.prepare("INSERT INTO task_tags VALUES ('t1', ?)").run(title);
  db.prepare(
    `INSERT INTO task_history (task_id, changes, changed_by, changed_at_ms)
     VALUES ('t1', json_array(json_object('field', 'title', 'new', ?)), 'user', ?)`,
  ).run(title, atMs);
}

const titleOf = (db: DatabaseSync) =>
  db.prepare("SELECT title FROM tasks WHERE id = 't1'").get()!["title"];
const tagsOf = (db: DatabaseSync) =>
  db.prepare("SELECT tag FROM task_tags WHERE task_id = 't1' ORDER BY tag").all()
    .map(({ tag }) => tag);
const historyOf = (db: DatabaseSync) =>
  db.prepare("SELECT changes FROM task_history WHERE task_id = 't1' ORDER BY changed_at_ms").all()
    .map(({ changes }) => JSON.parse(String(changes))[0].new);

test("the newer version of a row wins, and history comes only with its version", ({ first, second }) => {
  fillEveryTable(first.db);
  imported(second.db, exported(first.db));
  first.db.exec("UPDATE tasks SET claim_token = 3 WHERE id = 't1'");
  second.db.exec("DELETE FROM task_tags");
  changeTask(first.db, "newer", 9_000);
  changeTask(second.db, "older", 8_000);
  const older = exported(second.db);
  const { replaced, outdated } = imported(second.db, exported(first.db));
  assert.deepEqual([replaced, outdated], [1, 0]);
  assert.deepEqual([titleOf(second.db), tagsOf(second.db)], ["newer", ["newer", "ui"]]);
  assert.deepEqual(historyOf(second.db).slice(1), ["older", "newer"]);
  const { token } = second.db.prepare("SELECT claim_token AS token FROM tasks WHERE id = 't1'")
    .get()!;
  assert.equal(token, 7, "the number of a claim never falls");

  const back = imported(first.db, older);
  assert.equal(back.replaced, 0);
  assert.ok(back.outdated > 0);
  assert.deepEqual([titleOf(first.db), tagsOf(first.db)], ["newer", ["newer", "ui"]]);
  assert.deepEqual(historyOf(first.db).slice(1), ["newer"]);
});

test("a failure that was fixed elsewhere later replaces the open one, with its files and words", ({ first, second }) => {
  fillEveryTable(first.db);
  imported(second.db, exported(first.db));
  const text = exported(first.db);
  first.db.exec(
    `UPDATE observations SET title = 'lighthouse', text = 'lighthouse', updated_at_ms = updated_at_ms + 1
      WHERE resolved_by > 0`,
  );
  second.db.exec(
    "UPDATE observations SET resolved_by = NULL WHERE resolved_by > 0; DELETE FROM observation_files",
  );
  assert.equal(imported(second.db, exported(first.db)).replaced, 1);
  assert.deepEqual(imported(second.db, text).replaced, 0);
  const row = (db: DatabaseSync) =>
    db.prepare("SELECT title, resolved_by FROM observations WHERE title = 'lighthouse'").get();
  assert.deepEqual({ ...row(second.db) }, { ...row(first.db) });
  const found = second.db.prepare(
    "SELECT 1 FROM memory_index WHERE memory_index MATCH 'lighthouse'",
  );
  assert.equal(found.all().length, 1);
  assert.deepEqual(checkIndex(second.db), []);
});

test("a newer version does not bring back forgotten words", ({ first, second }) => {
  fillEveryTable(first.db);
  imported(second.db, exported(first.db));
  second.db.exec("UPDATE tasks SET title = '[forgotten]' WHERE id = 't1'");
  changeTask(first.db, "said again", 9_000);
  imported(second.db, exported(first.db));
  assert.equal(titleOf(second.db), "[forgotten]");
  assert.ok(!exported(second.db).join("\n").includes("said again"));
});

test("a capture of a forgotten observation stays away, also if the export has the number as a text", ({ first, second }) => {
  fillEveryTable(first.db);
  const rows = exported(first.db).map((line) => JSON.parse(line));
  const made = rows.find(({ type, observationId }) => type === "capture" && observationId);
  const { uid } = rows.find(({ type, id }) => type === "observation" && id === made.observationId);
  second.db.exec(
    `INSERT INTO forget_receipts (id, chosen, salt, remains, created_at_ms) VALUES ('r', '{}', '', '[]', 0);
     INSERT INTO forgotten (name, receipt_id) VALUES ('${uid}', 'r')`,
  );
  Object.assign(made, { id: "again", observationId: String(made.observationId) });
  imported(second.db, rows.map((row) => JSON.stringify(row)));
  const known = second.db.prepare("SELECT 1 FROM pending_queue WHERE id = 'again'").all();
  assert.deepEqual(known, []);
});
