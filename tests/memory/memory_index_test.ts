import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { integrityFaults } from "../../src/upkeep/care/care_table.ts";
import { schemaDifferences } from "../../src/db/migrate.ts";
import {
  checkIndex,
  indexFaultsAt,
  isIndexDamage,
  rebuildIndex,
  requireWholeIndex,
  withIndex,
} from "../../src/memory/search/memory_index_table.ts";
import { saveEvent, tempDatabase } from "../support/records.ts";
import { runProgram } from "../support/program.ts";
import CASES from "../testdata/memory_cases.json" with { type: "json" };
import { it, testWith } from "../support/fixtures.ts";

const ROWS = 600;

/** Ways in which a disk, or a program that knows no better, can damage the index. */
const DAMAGE: Readonly<Record<string, string>> = CASES.indexDamage;

async function filled() {
  const temp = await tempDatabase();
  const add = temp.db.prepare(
    "INSERT INTO observations (uid, session_id, kind, title, text, terms, created_at_ms, updated_at_ms) " +
      "VALUES (?, 's', 'note', ?, ?, '', 1, 1)",
  );
  temp.db.exec("BEGIN");
  for (let n = 0; n < ROWS; n++) {
    const words = Array.from({ length: 30 }, (_, at) => `w${(n * 7919 + at * 104729) % 99991}`);
    add.run(`u${n}`, `title ${n}`, `alpha ${words.join(" ")}`);
  }
  temp.db.exec("COMMIT");
  return temp;
}

function damage(path: string, sql: string): void {
  const options: Record<string, unknown> = { defensive: false };
  using db = new DatabaseSync(path, options);
  db.exec(sql);
}

function found(db: DatabaseSync): number {
  const sql = "SELECT rowid FROM memory_index WHERE memory_index MATCH ? ORDER BY rank";
  return db.prepare(sql).all("alpha").length;
}

const test = testWith(filled);

for (const [what, sql] of Object.entries(DAMAGE)) {
  test(`an index with ${what} is noticed and made anew, and no observation is lost`, (temp) => {
    temp.db.close();
    assert.deepEqual(indexFaultsAt(temp.path), []);
    damage(temp.path, sql);
    assert.notDeepEqual(indexFaultsAt(temp.path), []);
    using db = new DatabaseSync(temp.path);
    assert.notDeepEqual(checkIndex(db), []);
    assert.deepEqual(integrityFaults(db, "quick"), []);
    assert.deepEqual(integrityFaults(db, "full"), []);
    rebuildIndex(db);
    assert.deepEqual(checkIndex(db), []);
    assert.deepEqual(schemaDifferences(db), []);
    assert.equal(found(db), ROWS);
    assert.equal(db.prepare("SELECT count(*) AS n FROM observations").get()?.["n"], ROWS);
  });
}

test("withIndex() makes a damaged index anew once, tells of it, and goes on", (temp) => {
  temp.db.close();
  damage(temp.path, DAMAGE["pages of noise"]!);
  using db = new DatabaseSync(temp.path);
  const told: string[] = [];
  assert.equal(withIndex(db, () => found(db), (why) => told.push(why)), ROWS);
  assert.equal(withIndex(db, () => found(db), (why) => told.push(why)), ROWS);
  assert.equal(told.length, 1);
});

/** Runs a verb on the database of a test. */
const run = (temp: { readonly path: string; readonly folder: string }, ...args: string[]) =>
  runProgram(["--db", temp.path, ...args], { cwd: temp.folder, env: { HOME: temp.folder } });

test.slow("a search, a note, an import, a drain and doctor --fix rebuild an index that has lost a table", async (other) => {
  other.db.exec("DELETE FROM observations WHERE id > 1; UPDATE observations SET uid = 'other'");
  other.db.close();
  const exported = (await run(other, "export")).stdout;
  const mends: Record<string, RegExp> = {
    "queue drain": /captures +1 worked into memory, 0 failed/,
    "memory search alpha": /The search index is damaged \(/,
    "memory remember alpha": /Remembered as/,
    "import notes.jsonl": /1 observations?/,
    "doctor --fix": /made the search index anew/,
  };
  const lost = ["a missing table", "no table of its marks", "no table of sizes"];
  for (const table of [...lost, "no table of pages"]) {
    for (const [mend, says] of Object.entries(mends)) {
      using temp = await filled();
      const payload = JSON.stringify({ prompt: "alpha as well" });
      saveEvent(temp.db, { capture: { toolName: "UserPromptSubmit", payload } });
      temp.db.close();
      Deno.writeTextFileSync(`${temp.folder}/notes.jsonl`, exported);
      damage(temp.path, DAMAGE[table]!);
      const check = await run(temp, "db", "check");
      assert.match(check.stdout, /search index +[^]*doctor --fix/, table);
      const { stdout, stderr } = await run(temp, ...mend.split(" "));
      assert.match(stdout + stderr, says, `${table}: ${mend}`);
      assert.equal((await run(temp, "db", "check")).code, 0, `${table}: ${mend}`);
      using db = new DatabaseSync(temp.path);
      assert.ok(found(db) >= ROWS, mend);
    }
  }
});

it.slow("a search for a word that is found nowhere notices an index that has lost pages or rows", async () => {
  const added =
    "INSERT INTO observations (uid, session_id, kind, title, text, terms, created_at_ms, updated_at_ms) " +
    "VALUES ('later', 's', 'note', 'wombat', 'wombat', '', 2, 2)";
  const silent: Record<string, readonly [query: string, damage: string, first: RegExp]> = {
    "nothing is found": ["w7919", DAMAGE["missing inner pages"]!, /^#2 /],
    "something is found": ["alpha w7919", DAMAGE["missing inner pages"]!, /^#2 /],
    "rows came in without triggers": ["wombat", `${DAMAGE["no triggers"]!}; ${added}`, /^#601 /],
  };
  for (const [what, [query, sql, first]] of Object.entries(silent)) {
    using temp = await filled();
    temp.db.close();
    damage(temp.path, sql);
    const search = () => run(temp, "memory", "search", query);
    const { stdout, stderr } = await search();
    assert.match(stderr, /^The search index is damaged \(.*\): making it anew .*\n$/, what);
    assert.match(stdout, first, what);
    assert.equal((await search()).stderr, "", what);
  }
});

test("requireWholeIndex() has nothing against an index that is new, or that holds no word any more", async (temp) => {
  requireWholeIndex(temp.db);
  temp.db.exec("DELETE FROM observations");
  requireWholeIndex(temp.db);
  assert.deepEqual(checkIndex(temp.db), []);
  using other = await tempDatabase();
  requireWholeIndex(other.db);
});

Deno.test("isIndexDamage() takes no other error for one", () => {
  using db = new DatabaseSync(":memory:");
  db.exec("CREATE VIRTUAL TABLE words USING fts5 (text)");
  for (const wrong of ["SELECT * FROM nothing", "SELECT * FROM words WHERE words MATCH '\"'"]) {
    assert.throws(() => db.prepare(wrong).all(), (thrown) => !isIndexDamage(thrown));
  }
});

test("doctor and db check notice a damaged index; doctor --fix mends it and sets nothing aside", async (temp) => {
  temp.db.close();
  damage(temp.path, DAMAGE["another letter"]!);
  const run = (...args: string[]) =>
    runProgram(["--db", temp.path, ...args], { env: { HOME: temp.folder } });
  const check = await run("db", "check");
  assert.equal(check.code, 1);
  assert.match(check.stdout, /fail +search index.*(checksum|malformed)[^]*doctor --fix/);
  const doctor = await run("doctor");
  assert.match(doctor.stdout, /search index.*damaged/);
  const fixed = await run("doctor", "--fix");
  assert.match(fixed.stdout, /made the search index anew/);
  assert.equal((await run("db", "check")).code, 0);
  using db = new DatabaseSync(temp.path);
  assert.equal(found(db), ROWS);
});

test("once a row was removed, the index has the format of SQLite 3.42, which the README names", (temp) => {
  temp.db.exec("DELETE FROM observations WHERE id = 1");
  const row = temp.db.prepare("SELECT v FROM memory_index_config WHERE k = 'version'").get();
  // Older ones know 4 alone: "invalid fts5 file format (found 5, expected 4)".
  assert.equal(row!["v"], 5);
  const readme = Deno.readTextFileSync(new URL("../../README.md", import.meta.url));
  assert.match(readme, /`sqlite3 [^`]+` works; to look into the search index[^.]*3\.42 or newer/);
});
