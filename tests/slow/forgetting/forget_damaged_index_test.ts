/** What was forgotten stands in no word of the search index, whatever state that was in. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { openDatabase } from "../../../src/db/database.ts";
import { jsonOf, type TempHome, tempHome } from "../../support/program.ts";
import { closeDatabase } from "../../support/spoilt.ts";
import { run } from "../../support/verb.ts";

const NOTES = 600;
const TEXT = "Zanzibar-Qx7 plan";
const WORDS = ["zanzibar", "qx7"];

/** Ways to damage an index that a quick look does not see. */
const DAMAGES = {
  "has lost the marks of where its words are": "DELETE FROM memory_index_idx",
  "has lost half of its marks": "DELETE FROM memory_index_idx WHERE pgno % 4 = 0",
  "has another letter in a word":
    "UPDATE memory_index_data SET block = CAST(replace(CAST(block AS TEXT), 'harbour', 'harboux') AS BLOB) WHERE id > 10",
};

/** A home with many notes; one of them is to be forgotten. */
async function withNotes(): Promise<TempHome> {
  const home = tempHome();
  Deno.mkdirSync(join(home.path, ".conclaude"), { mode: 0o700 });
  const db = await openDatabase(home.database, { busyTimeoutMs: 1000 });
  const add = db.prepare(
    "INSERT INTO observations (uid, session_id, kind, title, text, terms, created_at_ms, updated_at_ms) " +
      "VALUES (?, 's', 'note', ?, ?, '', 1, 1)",
  );
  db.exec("BEGIN");
  for (let n = 1; n <= NOTES; n++) {
    const words = Array.from({ length: 30 }, (_, at) => `w${(n * 7919 + at * 104729) % 99991}`);
    const said = n === 300 ? `The ${TEXT} begins here` : "The harbour opens at noon";
    add.run(`u${n}`, `note ${n}`, `${said} ${words.join(" ")}`);
  }
  db.exec("COMMIT");
  db.close();
  closeDatabase(home.database);
  return home;
}

function damage(home: TempHome, sql: string): void {
  const options: Record<string, unknown> = { defensive: false };
  using db = new DatabaseSync(home.database, options);
  db.exec(sql);
}

/** Which words stand in the bytes of the database and its log, in letters of either case. */
function wordsLeft(home: TempHome): string[] {
  const bytes = [home.database, `${home.database}-wal`].map((path) => {
    try {
      return new TextDecoder("latin1").decode(Deno.readFileSync(path)).toLowerCase();
    } catch {
      return "";
    }
  }).join("\n");
  return WORDS.filter((word) => bytes.includes(word));
}

for (const [name, sql] of Object.entries({ "is sound": "SELECT 1", ...DAMAGES })) {
  for (const how of [["--text", TEXT], ["300"]]) {
    Deno.test(`memory forget ${how.join(" ")}: nothing is left in an index that ${name}`, async () => {
      using home = await withNotes();
      assert.deepEqual(wordsLeft(home).length > 0, true);
      damage(home, sql);
      const forgotten = await run(home, "memory", "forget", ...how, "--yes", "--json");
      assert.equal(forgotten.code, 0, forgotten.stdout + forgotten.stderr);
      assert.deepEqual(jsonOf(forgotten).left, []);
      assert.deepEqual(wordsLeft(home), []);
      const check = await run(home, "db", "check");
      assert.equal(check.code, 0, check.stdout);
      const { stdout } = await run(home, "memory", "search", "harbour", "--limit", "1");
      assert.match(stdout, /The harbour opens at noon/);
    });
  }
}
