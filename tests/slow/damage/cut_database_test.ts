/** A database whose end is missing: the real program brings back what is left of it. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../../src/store/database.ts";
import { fillEveryTable } from "../../support/every_row.ts";
import { runProgram, tempHome } from "../../support/program.ts";
import { closeDatabase } from "../../support/spoilt.ts";

const PAGE_BYTES = 4096;
const NOTES = 400;

Deno.test("doctor --fix brings back what is left of a database whose end is missing, and keeps that", async () => {
  using home = tempHome();
  const db = await openDatabase(home.database, { busyTimeoutMs: 1000 });
  fillEveryTable(db);
  const add = db.prepare(
    "INSERT INTO observations (uid, session_id, kind, title, text, terms, created_at_ms, updated_at_ms) " +
      "VALUES (?, 's', 'note', ?, ?, '', 1, 1)",
  );
  for (let n = 0; n < NOTES; n++) {
    add.run(`note-${n}`, `Note ${n}`, "words that take room ".repeat(9));
  }
  db.exec("VACUUM");
  db.exec(
    "CREATE TABLE filling (text); INSERT INTO filling VALUES (zeroblob(50000)); DROP TABLE filling",
  );
  db.close();
  closeDatabase(home.database);
  const { size } = Deno.statSync(home.database);
  const left = size - 6 * PAGE_BYTES;
  Deno.truncateSync(home.database, left);

  const { stdout } = await runProgram(["doctor", "--fix"], { env: { HOME: home.path } });
  const [, aside, rows] =
    /set the damaged database aside: (\S+); (\d+) rows that can be read of it are in the new one/
      .exec(stdout) ?? [];
  assert.ok(Number(rows) >= NOTES, stdout);
  assert.equal(Deno.statSync(aside!).size, left);
  const folder = home.database.slice(0, home.database.lastIndexOf("/"));
  assert.deepEqual([...Deno.readDirSync(folder)].filter(({ name }) => name.includes("filled")), []);
  using anew = new DatabaseSync(home.database, { readOnly: true });
  const { n } = anew.prepare("SELECT count(*) AS n FROM observations WHERE title LIKE 'Note %'")
    .get()!;
  assert.equal(n, NOTES);
});
