import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "../migrations/mod.ts";
import { openDatabase } from "../src/db/database.ts";
import {
  APPLICATION_ID,
  ForeignDatabaseError,
  NewerSchemaError,
  SCHEMA_VERSION,
} from "../src/db/transaction.ts";
import { migrate } from "../src/db/migrate.ts";
import { change } from "./support/on_home.ts";

const FOLDER = new URL("../migrations/", import.meta.url);

Deno.test("every migration file is in the list, in the order of its number", async () => {
  const files = (await Array.fromAsync(Deno.readDir(FOLDER), ({ name }) => name))
    .filter((name) => name.endsWith(".sql")).sort();
  assert.deepEqual(
    files,
    MIGRATIONS.map(({ version, name }) => `${String(version).padStart(4, "0")}_${name}.sql`),
  );
  assert.equal(SCHEMA_VERSION, MIGRATIONS.length);
});

Deno.test("every migration begins with why it is there", () => {
  for (const { name, sql } of MIGRATIONS) assert.match(sql, /^-- \S.{20,}/, name);
});

Deno.test("every table is STRICT, and times are integers named …_at_ms", () => {
  for (const { name, sql } of MIGRATIONS) {
    for (const [statement] of sql.matchAll(/CREATE TABLE[^;]+;/g)) {
      assert.match(statement, /\) STRICT/, name);
      for (
        const [, column, type] of statement.matchAll(/^\s+(\w*(?:_at|time|date)\w*)\s+(\w+)/gm)
      ) {
        assert.match(column!, /_at_ms$/, name);
        assert.equal(type, "INTEGER", name);
      }
    }
  }
});

for (let version = 0; version < SCHEMA_VERSION; version++) {
  Deno.test(`migrate() brings schema ${version} to the newest, like a database made new`, async () => {
    const old = new DatabaseSync(":memory:");
    for (const { sql } of MIGRATIONS.slice(0, version)) old.exec(sql);
    old.exec(`PRAGMA user_version = ${version}; PRAGMA application_id = ${APPLICATION_ID}`);
    const report = migrate(old, ":memory:");
    assert.equal(report.from, version);
    assert.equal(report.applied.length, SCHEMA_VERSION - version);
    const fresh = await openDatabase(":memory:", { busyTimeoutMs: 100 });
    assert.deepEqual(schemaOf(old), schemaOf(fresh));
  });
}

Deno.test("openDatabase() leaves a newer schema untouched and says so", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/newer.db`;
  const sql = `PRAGMA user_version = ${SCHEMA_VERSION + 1}; PRAGMA application_id = `;
  change(path, `CREATE TABLE later (x); ${sql}${APPLICATION_ID}`);
  const before = await Deno.readFile(path);
  await assert.rejects(() => openDatabase(path, { busyTimeoutMs: 100 }), NewerSchemaError);
  assert.deepEqual(await Deno.readFile(path), before);
});

Deno.test("openDatabase() leaves another program's database untouched", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/foreign.db`;
  change(path, "CREATE TABLE bookmarks (url TEXT)");
  const before = await Deno.readFile(path);
  await assert.rejects(() => openDatabase(path, { busyTimeoutMs: 100 }), ForeignDatabaseError);
  assert.deepEqual(await Deno.readFile(path), before);
});

Deno.test("a migration that fails leaves the schema as it was", () => {
  const db = new DatabaseSync(":memory:");
  db.exec(MIGRATIONS[0]!.sql);
  db.exec(`CREATE TABLE counters (x TEXT) STRICT; PRAGMA user_version = 1`);
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  const before = schemaOf(db);
  assert.throws(() => migrate(db, ":memory:"), /counters/);
  assert.deepEqual(schemaOf(db), before);
  assert.equal(db.prepare("PRAGMA user_version").get()?.["user_version"], 1);
});

function schemaOf(db: DatabaseSync): unknown[] {
  return db.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all();
}

async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await Deno.makeTempDir({ prefix: "conclaude-migrations-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
