/** Damaged pages of the search index cost no row: the real program on a database whose every other page is sound. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { integrityFaults } from "../../../src/upkeep/care/care_table.ts";
import { openDatabase } from "../../../src/db/database.ts";
import { checkIndex } from "../../../src/memory/search/memory_index_table.ts";
import { fillEveryTable } from "../../support/every_row.ts";
import { jsonOf, type TempHome, tempHome } from "../../support/program.ts";
import { closeDatabase, spoil } from "../../support/spoilt.ts";
import { run } from "../../support/verb.ts";

const PAGE_BYTES = 4096;
/** A word of an observation. */
const WORD = "handmade";

function ask<Answer>(path: string, look: (db: DatabaseSync) => Answer): Answer {
  using db = new DatabaseSync(path);
  return look(db);
}

/** Rows of every table but those of the index and a cache. */
function rowsIn(path: string): Record<string, string[]> {
  return ask(path, (db) => {
    const tables = db.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'memory_index%' AND name <> 'config_cache' " +
        "ORDER BY name",
    ).all();
    return Object.fromEntries(tables.map(({ name }) => [
      String(name),
      db.prepare(`SELECT * FROM "${name}"`).all().map((row) => JSON.stringify(row)).sort(),
    ]));
  });
}

function schemaOf(path: string): unknown {
  return ask(path, (db) => ({
    made: db.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all(),
    told: ["user_version", "application_id", "auto_vacuum", "journal_mode", "page_size"].map((
      name,
    ) => db.prepare(`PRAGMA ${name}`).get()),
  }));
}

/** A database with rows of every kind, in one file, and a text that holds a NUL. */
async function filled(home: TempHome): Promise<void> {
  const db = await openDatabase(home.database, { busyTimeoutMs: 1000 });
  fillEveryTable(db);
  const add = db.prepare(
    "INSERT INTO observations (uid, session_id, kind, title, text, terms, created_at_ms, updated_at_ms) " +
      "VALUES (?, 's', 'note', ?, ?, '', 1, 1)",
  );
  for (let n = 0; n < 400; n++) {
    add.run(`note-${n}`, `Note ${n}`, `${WORD}${n % 7} ${"words that take room ".repeat(8)}${n}`);
  }
  // What stands in every column is not a payload.
  db.exec("UPDATE pending_queue SET encoding = 'json', payload = '{}', raw_bytes = 2");
  db.exec("UPDATE observations SET text = text || char(0) || 'behind' WHERE uid = 'note-3'");
  db.close();
  closeDatabase(home.database);
}

/** A page of each table of the index: leaves, inner pages and roots among them. */
function pagesOfIndex(path: string): { readonly name: string; readonly page: number }[] {
  return ask(path, (db) =>
    db.prepare(
      `SELECT name, min(pageno) AS page FROM dbstat WHERE name LIKE 'memory_index%' GROUP BY name, pagetype
        UNION SELECT name, max(pageno) FROM dbstat WHERE name LIKE 'memory_index%' GROUP BY name, pagetype`,
    ).all() as unknown as { name: string; page: number }[]);
}

Deno.test("whatever page of the search index is damaged, doctor --fix keeps every row and searches find them", async () => {
  using sound = tempHome();
  await filled(sound);
  const pages = pagesOfIndex(sound.database);
  assert.ok(pages.length >= 5, JSON.stringify(pages));
  const rows = rowsIn(sound.database);
  const schema = schemaOf(sound.database);
  const hurts = [
    ...pages.map(({ name, page }, n) => (path: string) => {
      const at = (page - 1) * PAGE_BYTES;
      if (n % 2 === 0) spoil(path, { at, length: PAGE_BYTES });
      else {
        using file = Deno.openSync(path, { write: true });
        file.seekSync(at, Deno.SeekMode.Start);
        file.writeSync(new Uint8Array(PAGE_BYTES));
      }
      return `page ${page} of ${name}`;
    }),
    ...["memory_index_data", "memory_index_docsize"].map((name) => (path: string) => {
      using db = new DatabaseSync(path, { defensive: false } as object);
      db.exec(`PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = '${name}'`);
      return `without ${name}`;
    }),
  ];
  for (const hurt of hurts) {
    using home = tempHome();
    Deno.mkdirSync(join(home.path, ".conclaude"), { mode: 0o700 });
    Deno.copyFileSync(sound.database, home.database);
    Deno.chmodSync(home.database, 0o600);
    const what = hurt(home.database);
    const { stdout, stderr } = await run(home, "doctor", "--fix");
    const answer = await run(home, "memory", "search", `${WORD}3`, "--json");
    const found = jsonOf(answer).results ?? [];
    assert.ok(found.length > 0, `${what}: ${stdout}${stderr}${answer.stdout}`);
    const now = rowsIn(home.database);
    for (const [table, before] of Object.entries(rows)) {
      assert.equal(now[table]!.length, before.length, `${what}: ${table}`);
    }
    assert.deepEqual(now["observations"], rows["observations"], what);
    assert.deepEqual(schemaOf(home.database), schema, what);
    ask(home.database, (db) => {
      assert.deepEqual([...integrityFaults(db, "full"), ...checkIndex(db)], [], what);
      const { bytes } = db.prepare(
        "SELECT hex(substr(CAST(text AS BLOB), -7)) AS bytes FROM observations WHERE uid = 'note-3'",
      ).get()!;
      assert.equal(bytes, "00626568696E64", what);
    });
    assert.equal((await run(home, "db", "check")).code, 0, what);
  }
});

Deno.test("doctor notices words that an index of thousands of observations has lost, and mends it", async () => {
  using home = tempHome();
  const db = await openDatabase(home.database, { busyTimeoutMs: 1000 });
  const add = db.prepare(
    "INSERT INTO observations (uid, session_id, kind, title, text, terms, created_at_ms, updated_at_ms) " +
      "VALUES (?, 's', 'note', ?, ?, '', 1, 1)",
  );
  db.exec("BEGIN");
  for (let n = 0; n < 2_500; n++) add.run(`note-${n}`, `Note ${n}`, `${WORD}${n} and more`);
  db.exec("COMMIT");
  const { id, block } = db.prepare(
    "SELECT id, block FROM memory_index_data WHERE id > 10 ORDER BY length(block) DESC LIMIT 1",
  ).get() as { id: number; block: Uint8Array };
  db.close();
  closeDatabase(home.database);
  ask(home.database, (raw) => {
    block[block.length >> 1]! ^= 4;
    Reflect.get(raw, "enableDefensive")?.call(raw, false);
    raw.prepare("UPDATE memory_index_data SET block = ? WHERE id = ?").run(block, id);
  });
  assert.match((await run(home, "doctor")).stdout, /fail\s+search index/);
  assert.match((await run(home, "doctor", "--fix")).stdout, /made the search index anew/);
  assert.equal((await run(home, "db", "check")).code, 0);
  assert.equal(
    ask(home.database, (raw) => raw.prepare("SELECT count(*) AS n FROM observations").get()!["n"]),
    2_500,
  );
});
