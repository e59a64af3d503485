import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { rewriteRows } from "../../../src/upkeep/care/rewrite_rows_table.ts";
import { integrityFaults } from "../../../src/upkeep/care/care_table.ts";
import { openDatabase } from "../../../src/db/database.ts";
import { tempFolder } from "../../support/folders.ts";

const SECRET = "zanzibarquux";

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state / 2 ** 32;
  };
}

/** A database that was written without `secure_delete`, and from which every other row was taken. */
async function usedDatabase(path: string, { seed, autoVacuum }: {
  readonly seed: number;
  readonly autoVacuum: boolean;
}): Promise<void> {
  if (!autoVacuum) {
    // A database of before: what was made first decides.
    using first = new DatabaseSync(path);
    first.exec("PRAGMA auto_vacuum = NONE; PRAGMA journal_mode = WAL; CREATE TABLE old (x)");
    first.exec("PRAGMA application_id = 1668247139");
  }
  using db = await openDatabase(path, { busyTimeoutMs: 1000 });
  db.exec("PRAGMA secure_delete = OFF");
  const random = randomOf(seed);
  const text = () => `${SECRET} `.repeat(Math.floor(random() ** 4 * 1500) + 1);
  const add = db.prepare(
    "INSERT INTO observations (uid, session_id, kind, title, text, terms, created_at_ms, updated_at_ms) " +
      "VALUES (?, 's', 'note', ?, ?, '', 1, 1)",
  );
  const put = db.prepare("INSERT INTO config_cache VALUES (?, 'h', ?, 1)");
  const note = db.prepare(
    "INSERT INTO events (type, entity_type, entity_id, data, created_at_ms) VALUES ('t', 'task', 'e', ?, 1)",
  );
  for (let round = 0; round < 6; round++) {
    db.exec("BEGIN");
    for (let n = 0; n < 60; n++) {
      const key = `${round}-${n}-${random()}`;
      add.run(key, `note ${key}`, text());
      put.run(key, text());
      note.run(JSON.stringify(text()));
    }
    db.exec("COMMIT");
    db.exec(`UPDATE events SET data = '"gone"' WHERE id % 3 = ${round % 3}`);
    db.exec("DELETE FROM config_cache WHERE length(parsed) % 2 = 0");
  }
  db.exec("DELETE FROM config_cache WHERE length(parsed) > 20");
  db.exec("DELETE FROM config_cache");
  db.exec("UPDATE events SET data = '\"gone\"'");
  db.exec("DELETE FROM events WHERE id % 2 = 0");
  db.exec("UPDATE observations SET text = 'kept ' || id WHERE id % 2 = 0");
  db.exec("DELETE FROM observations WHERE id % 2 = 1");
}

function countIn(path: string): number {
  return new TextDecoder("latin1").decode(Deno.readFileSync(path)).split(SECRET).length - 1;
}

function contentOf(path: string): unknown {
  using db = new DatabaseSync(path);
  return ["observations", "events", "config_cache", "observation_files"]
    .map((table) => db.prepare(`SELECT * FROM ${table}`).all());
}

for (const autoVacuum of [true, false]) {
  Deno.test(`rewriteRows() leaves nothing of removed rows and every other row as it is (auto_vacuum ${autoVacuum})`, async () => {
    for (let seed = 1; seed <= 3; seed++) {
      using folder = tempFolder();
      const path = `${folder.path}/conclaude.db`;

      await usedDatabase(path, { seed, autoVacuum });
      const before = contentOf(path);
      assert.ok(countIn(path) > 100, `seed ${seed}: ${countIn(path)}`);
      assert.ok(rewriteRows(path));
      assert.equal(countIn(path), 0, `seed ${seed}`);
      assert.deepEqual(contentOf(path), before);
      using db = new DatabaseSync(path);
      assert.deepEqual(integrityFaults(db, "full"), []);
      // It goes on to work with the pages that it has.
      db.exec("UPDATE observations SET text = text || hex(randomblob(3000))");
      db.exec("DELETE FROM observations WHERE id % 4 = 0");
      assert.deepEqual(integrityFaults(db, "full"), []);
    }
  });
}
