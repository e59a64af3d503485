/** Six kinds of damage: with a backup of yesterday only those rows of today are lost that no transcript has. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { backUpDaily } from "../../../src/upkeep/care/backup.ts";
import { filesBelow } from "../../support/look.ts";
import { type TempHome, tempHome } from "../../support/program.ts";
import { closeDatabase, garbage, spoil } from "../../support/spoilt.ts";
import { longTranscript, transcriptsOf } from "../../support/transcripts.ts";
import { run } from "../../support/verb.ts";
import { ask, PAGE_BYTES, pagesOf, rowsIn, worked } from "../../support/worked_database.ts";
import { testWith } from "../../support/fixtures.ts";
import { change } from "../../support/on_home.ts";

const YESTERDAY = new Date("2026-01-04T00:00:00Z");
/** A session of today, whose transcript is there. */
const TODAY = "70da0000-0000-4000-8000-000000000001";

/** A home with old captures, the backup of yesterday, and captures of today that a transcript has. */
async function usedHome(): Promise<TempHome> {
  const home = tempHome();
  await worked(home);
  const backup = await backUpDaily(home.database, {
    dataFolder: join(home.path, ".conclaude"),
    keep: 2,
    nowMs: YESTERDAY.getTime(),
  });
  Deno.utimeSync(backup!, YESTERDAY, YESTERDAY);
  const folder = join(transcriptsOf(home), "-home-ana-app");
  Deno.mkdirSync(folder, { recursive: true });
  Deno.writeTextFileSync(join(folder, `${TODAY}.jsonl`), longTranscript(TODAY, 40));
  assert.equal((await run(home, "reconcile", "--backfill")).code, 0);
  assert.equal((await run(home, "queue", "drain")).code, 0);
  closeDatabase(home.database);
  return home;
}

/** The same home once more. */
function again(home: TempHome): TempHome {
  const other = tempHome();
  for (const path of filesBelow(home.path)) {
    const to = join(other.path, path.slice(home.path.length + 1));
    Deno.mkdirSync(join(to, ".."), { recursive: true, mode: 0o700 });
    Deno.copyFileSync(path, to);
    const { mtime } = Deno.statSync(path);
    Deno.utimeSync(to, mtime!, mtime!);
  }
  return other;
}

function garble(path: string, pages: readonly number[]): void {
  for (const page of pages) spoil(path, { at: (page - 1) * PAGE_BYTES, length: PAGE_BYTES });
}

function zero(path: string, at: number, length: number): void {
  using file = Deno.openSync(path, { write: true });
  file.seekSync(at, Deno.SeekMode.Start);
  file.writeSync(new Uint8Array(length));
}

function replaceIn(path: string, text: string, other: string): void {
  const bytes = Deno.readFileSync(path);
  const at = new TextDecoder("latin1").decode(bytes).indexOf(text);
  assert.ok(at > 0, text);
  bytes.set(new TextEncoder().encode(other), at);
  Deno.writeFileSync(path, bytes);
}

/** The rows of each table. */
function rowCounts(path: string): Readonly<Record<string, number>> {
  const tables = ask(
    path,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '*_index*' AND name NOT GLOB 'sqlite*'",
  ).map(({ name }) => String(name));
  const count = (table: string) => ask(path, `SELECT count(*) AS n FROM ${table}`)[0]!["n"];
  return Object.fromEntries(tables.map((table) => [table, Number(count(table))]));
}

/** How each damage is done to the file. */
const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
  "its header is overwritten": (path) => spoil(path, { at: 0, length: 100 }),
  "its first page is zeroed": (path) => zero(path, 0, PAGE_BYTES),
  "a page of captures and one of observations are zeroed": (path) => {
    for (const table of ["pending_queue", "observations"]) {
      const leaves = pagesOf(path, table, "leaf");
      zero(path, (leaves[leaves.length >> 1]! - 1) * PAGE_BYTES, PAGE_BYTES);
    }
  },
  "its second half is cut off": (path) =>
    Deno.truncateSync(
      path,
      Math.floor(Deno.statSync(path).size / 2 / PAGE_BYTES) * PAGE_BYTES + 77,
    ),
  "it was cut to nothing": (path) => Deno.truncateSync(path, 0),
  "every ninth page is garbage": (path) => {
    const count = Deno.statSync(path).size / PAGE_BYTES;
    garble(path, Array.from({ length: count }, (_, page) => page + 1).filter((n) => n % 9 === 4));
  },
  "pages of its indexes are garbage": (path) =>
    ["memory_index_data", "observations_by_age", "sqlite_autoindex_pending_queue_1"].forEach(
      (name) => garble(path, pagesOf(path, name, "leaf").slice(0, 2)),
    ),
  "a letter of a definition is another one": (path) =>
    replaceIn(path, "CREATE TABLE observations (", "CREATE TABLX observations ("),
  "a table is gone": (path) => {
    change(path, "PRAGMA foreign_keys = OFF; DROP TABLE pending_queue");
  },
  "its list of free pages leads nowhere": (path) => spoil(path, { at: 32, length: 8 }),
  "its log is garbage": (path) => {
    garble(path, [pagesOf(path, "sessions", "leaf")[0]!]);
    Deno.writeFileSync(`${path}-wal`, garbage(40_000));
  },
};

Deno.test("after each of six kinds of damage doctor --fix brings back what the backup and transcripts hold", async (test) => {
  using sound = await usedHome();
  const captures = rowsIn(sound.database, "pending_queue", "id");
  const told = rowsIn(sound.database, "observations", "session_id, kind, title, text");
  assert.ok(captures.length > 600 && told.length > 600, `${captures.length} ${told.length}`);
  const rows = rowCounts(sound.database);
  for (const [name, damage] of Object.entries(DAMAGES)) {
    await test.step(name, async () => {
      using home = again(sound);
      damage(home.database);
      const looked = await run(home, "doctor");
      assert.match(looked.stdout, /`doctor --fix` sets it aside under a dated name/, looked.stdout);
      const { stdout } = await run(home, "doctor", "--fix");
      const [, aside] = /fixed: set the damaged database aside: ([^;]+);/.exec(stdout) ?? [];
      assert.ok(aside !== undefined && Deno.statSync(aside).isFile, stdout);
      const left = rowCounts(home.database);
      for (const [table, count] of Object.entries(rows)) {
        const says = new RegExp(
          `; ${table}: [^;]* gone;| known to have been in: [^;]*\\b${table}\\b`,
        );
        if (left[table]! < count) assert.match(stdout, says, table);
        if (count === 0) assert.doesNotMatch(stdout, new RegExp(`; ${table}: `));
      }
      assert.equal((await run(home, "queue", "drain")).code, 0);
      const checked = await run(home, "db", "check");
      assert.equal(checked.code, 0, checked.stdout);
      assert.equal((await run(home, "doctor")).stdout.match(/^fail .*/m)?.[0] ?? "", "");
      // A transcript is not read for a capture whose observation is there.
      const uids = rowsIn(home.database, "observations", "uid AS id");
      const now = [...rowsIn(home.database, "pending_queue", "id"), ...uids];
      assert.deepEqual(captures.filter((row) => !now.includes(row)), [], stdout);
      const tells = rowsIn(home.database, "observations", "session_id, kind, title, text");
      assert.deepEqual(told.filter((row) => !tells.includes(row)), [], stdout);
      assert.equal(tells.length, told.length, stdout);
      const { found } = JSON.parse((await run(home, "memory", "search", "echo", "--json")).stdout);
      assert.ok(found !== 0);
      assert.deepEqual(filesBelow(home.path).filter((path) => /\.tmp/.test(path)), []);
    });
  }
});

const test = testWith(tempHome);

test("without a backup doctor --fix brings back what can be read, and says per table what is gone", async (home) => {
  await worked(home);
  const before = rowsIn(home.database, "pending_queue", "id").length;
  const leaves = pagesOf(home.database, "pending_queue", "leaf");
  garble(home.database, [leaves[3]!, leaves[9]!]);
  const { stdout } = await run(home, "doctor", "--fix");
  const [, read, gone] = /pending_queue: (\d+) read, at least (\d+) gone/.exec(stdout) ?? [];
  assert.equal(Number(read) + Number(gone), before, stdout);
  assert.match(stdout, /tables came back whole \(\d+ rows\).*; there is no backup/);
  assert.equal(
    ask(home.database, "SELECT count(*) AS n FROM pending_queue")[0]!["n"],
    Number(read),
  );
});

test("a process that has the database open cannot write to the one that doctor --fix set aside", async (home) => {
  await worked(home);
  garble(home.database, [pagesOf(home.database, "observations_by_age", "leaf")[0]!]);
  using other = new DatabaseSync(home.database);
  const put = other.prepare("UPDATE sessions SET title = 'late'");
  assert.match((await run(home, "doctor", "--fix")).stdout, /set the damaged database aside/);
  assert.throws(() => put.run(), /the database is being replaced/);
});

test("where nothing can be brought back, doctor --fix says so and where the damaged file lies", async (home) => {
  await worked(home);
  const { size } = Deno.statSync(home.database);
  zero(home.database, 0, size);
  const { code, stdout } = await run(home, "doctor", "--fix");
  assert.equal(code, 1);
  const [, aside] = /fixed: set the damaged database aside: ([^;]+);/.exec(stdout) ?? [];
  assert.equal(Deno.statSync(aside!).size, size);
  assert.match(
    stdout,
    /fail +database +nothing of \S+damaged-\S+, where the damaged database lies/,
  );
  assert.equal((await run(home, "doctor")).code, 0);
});
