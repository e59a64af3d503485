import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { projectTerm } from "../../src/memory/search/terms.ts";
import { isKnownProject } from "../../src/memory/store.ts";
import { ordinaryTables } from "../../src/db/table_copy.ts";
import { countBelow, MOVED_TABLES, moveRows } from "../../src/upkeep/transfer/store.ts";
import { testWith } from "../support/fixtures.ts";
import { fillEveryTable } from "../support/every_row.ts";
import { tempDatabase } from "../support/records.ts";
import CASES from "../testdata/upkeep_cases.json" with { type: "json" };

/** The columns that are not moved, and why: all others hold the path of a project. */
const STAYS: Readonly<Record<string, Readonly<Record<string, string>>>> = CASES.staysWhere;

const test = testWith(tempDatabase);

test("every column of the database is moved with a project, or is known to hold no path of it", (temp) => {
  const stays = new Set(
    Object.values(STAYS).flatMap((tables) =>
      Object.entries(tables).flatMap(([table, columns]) =>
        columns.split(" ").map((column) => `${table}.${column}`)
      )
    ),
  );
  const moved = Object.entries(MOVED_TABLES).flatMap(([table, { paths, marked, json }]) =>
    [...paths ?? [], ...marked ?? [], ...json ?? []].map((column) => `${table}.${column}`)
  );
  const there = ordinaryTables(temp.db).flatMap((table) =>
    temp.db.prepare("SELECT name FROM pragma_table_info(?) WHERE type IN ('TEXT', 'ANY')").all(
      table,
    )
      .map(({ name }) => `${table}.${name}`)
  );
  const handled = new Set([...stays, ...moved]);
  assert.deepEqual(there.filter((column) => !handled.has(column)), [], "say what a move does");
  assert.deepEqual([...handled].filter((column) => !there.includes(column)), []);
  assert.deepEqual(moved.filter((column) => stays.has(column)), []);
});

test("moveRows() leaves the old path in no row of any kind, and memory finds the project by the new one", ({ db }) => {
  fillEveryTable(db);
  db.exec(
    `UPDATE sessions SET project_dir = '/p/sub', repository = '/p/.git', cwd = '/p';
     UPDATE observations SET project = '/p/.git', terms = terms || ' ${projectTerm("/p/.git")}';
     UPDATE tasks SET project_dir = '/p', repository = '/p/.git', origin = 'coven:/p:task:' || id;
     UPDATE workflows SET project_dir = '/p', repository = '/p/.git', worktree = '/p/.conclaude/worktrees/1';
     UPDATE events SET data = '{"task":{"projectDir":"/p","repository":"/p/.git"},"other":"/pq"}';
     INSERT INTO config_cache VALUES ('strict:/p/.conclaude.yaml', '', '"deny"', 1);
     INSERT INTO trusted_folders VALUES ('/p', 1), ('/pq', 1), ('/work/p', 2);
     INSERT INTO forget_receipts (id, chosen, salt, created_at_ms) VALUES ('r', '{"project":"/p/.git"}', 's', 1);`,
  );
  const before = countBelow(db, "/p");
  assert.deepEqual([before["tasks"], before["events"], before["trusted_folders"]], [3, 2, 1]);
  moveRows(db, { from: "/p", to: "/work/p" });
  assert.deepEqual(countBelow(db, "/p"), {});
  assert.deepEqual(
    columnOf(db, "SELECT DISTINCT project AS value FROM observations"),
    ["/work/p/.git"],
  );
  assert.ok(isKnownProject(db, "/work/p/.git") && !isKnownProject(db, "/p/.git"));
  assert.equal(
    columnOf(db, "SELECT data AS value FROM events")[0],
    '{"task":{"projectDir":"/work/p","repository":"/work/p/.git"},"other":"/pq"}',
  );
  assert.deepEqual(columnOf(db, "SELECT path AS value FROM trusted_folders"), ["/pq", "/work/p"]);
  assert.deepEqual(
    columnOf(db, "SELECT origin AS value FROM tasks WHERE id = 't1'"),
    ["coven:/work/p:task:t1"],
  );
  assert.deepEqual(
    columnOf(db, "SELECT config_path AS value FROM config_cache WHERE config_path GLOB 'strict:*'"),
    ["strict:/work/p/.conclaude.yaml"],
  );
  const found = db.prepare("SELECT count(*) AS n FROM memory_index WHERE memory_index MATCH ?");
  const all = columnOf(db, "SELECT count(*) AS value FROM observations")[0];
  assert.equal(found.get(`"${projectTerm("/work/p/.git")}"`)?.["n"], all);
  assert.equal(found.get(`"${projectTerm("/p/.git")}"`)?.["n"], 0);
  db.exec("INSERT INTO memory_index (memory_index, rank) VALUES ('integrity-check', 1)");
});

test("when both folders have rows they are joined, and of a requirement the newest word counts", ({ db }) => {
  db.exec(
    `INSERT INTO requirements (repository, branch, requirement, session_id, scope, updated_at_ms)
     VALUES ('/old/.git', 'main', 'newer', '', 'branch', 2), ('/new/.git', 'main', 'newer', '', 'permanent', 1),
            ('/old/.git', 'main', 'older', '', 'branch', 1), ('/new/.git', 'main', 'older', '', 'permanent', 2),
            ('/old/.git', 'main', 'alone', '', 'branch', 1)`,
  );
  moveRows(db, { from: "/old", to: "/new" });
  assert.deepEqual(
    columnOf(
      db,
      "SELECT repository || ' ' || requirement || ' ' || scope AS value FROM requirements ORDER BY 1",
    ),
    ["/new/.git alone branch", "/new/.git newer branch", "/new/.git older permanent"],
  );
});

function columnOf(db: DatabaseSync, sql: string): unknown[] {
  return db.prepare(sql).all().map(({ value }) => value);
}
