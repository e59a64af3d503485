import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { backUp } from "../../src/upkeep/care/backup.ts";
import { resetDatabase, restoreDatabase } from "../../src/upkeep/care/replace.ts";
import { setAside } from "../../src/upkeep/care/database_files.ts";
import { openDatabase } from "../../src/db/database.ts";
import { identifyDatabase } from "../../src/db/database_identity.ts";
import { namesIn } from "../support/look.ts";
import { tempFolder } from "../support/folders.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(tempFolder);

const NOW = Date.UTC(2026, 0, 31, 9, 30);

test("setAside() takes the log along and never reuses a name", ({ path: folder }) => {
  const path = join(folder, "x.db");
  const write = () => ["", "-wal"].forEach((end) => Deno.writeTextFileSync(path + end, "bytes"));
  write();
  setAside(path, { reason: "damaged", nowMs: NOW });
  write();
  setAside(path, { reason: "damaged", nowMs: NOW });
  assert.deepEqual(namesIn(folder), [
    "x.db.damaged-2026-01-31T09-30-00Z",
    "x.db.damaged-2026-01-31T09-30-00Z-wal",
    "x.db.damaged-2026-01-31T09-30-00Z.2",
    "x.db.damaged-2026-01-31T09-30-00Z.2-wal",
  ]);
});

test("what was committed to the log alone is in the backup, and in the database that is set aside", async ({ path: folder }) => {
  const path = join(folder, "x.db");
  // The connection stays open, as that of a hook that was killed: the row is in the log and not in the file.
  const db = await openDatabase(path, { busyTimeoutMs: 100 });
  db.exec("INSERT INTO meta VALUES ('only', 'in the log')");
  const file = join(folder, "backup.db");
  await backUp(path, file);
  assert.equal(valueIn(file), "in the log");
  db.close();
  const { aside } = await resetDatabase(path, { nowMs: NOW, busyTimeoutMs: 100 });
  assert.equal(valueIn(aside!), "in the log");
  assert.equal(valueIn(path), undefined);
  await restoreDatabase(path, { file, dataFolder: folder, nowMs: NOW });
  assert.equal(valueIn(path), "in the log");
});

test("a restore that fails leaves no half of a copy behind", async ({ path: folder }) => {
  const path = join(folder, "x.db");
  (await openDatabase(path, { busyTimeoutMs: 100 })).close();
  const file = join(folder, "backup.db");
  await backUp(path, file);
  const bytes = Deno.readFileSync(file);
  bytes.fill(0xff, 8192, 12_288);
  Deno.writeFileSync(file, bytes);
  await assert.rejects(
    restoreDatabase(path, { file, dataFolder: folder, nowMs: NOW }),
    /Cannot use/,
  );
  assert.deepEqual(namesIn(folder), ["backup.db", "x.db"]);
  assert.equal(identifyDatabase(path).kind, "ours");
});

test("identifyDatabase() tells a newer schema that is in the log alone", async ({ path: folder }) => {
  const path = join(folder, "x.db");
  const db = await openDatabase(path, { busyTimeoutMs: 100 });
  db.exec("PRAGMA user_version = 99");
  assert.deepEqual(identifyDatabase(path), { kind: "newer", version: 99 });
  db.close();
  assert.deepEqual(identifyDatabase(path), { kind: "newer", version: 99 });
});

function valueIn(path: string): unknown {
  using db = new DatabaseSync(path, { readOnly: true });
  return db.prepare("SELECT value FROM meta WHERE key = 'only'").get()?.["value"];
}
