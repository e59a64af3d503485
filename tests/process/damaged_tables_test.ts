/** Damaged pages of the tables themselves: what the real program brings back of them, and how. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { saveRecords } from "../../src/store/captures.ts";
import { openDatabase } from "../../src/store/database.ts";
import { jsonOf, startProgram, type TempHome, tempHome } from "../support/program.ts";
import { closeDatabase, spoil } from "../support/spoilt.ts";
import { workRecords } from "../support/work_sessions.ts";

const PAGE_BYTES = 4096;
/** What is compared of each table; a payload may be stored in another way. */
const TABLES = {
  observations: "*",
  pending_queue: "id, session_id, tool_name, status, files_touched, raw_bytes, observation_id",
  sessions: "*",
  hook_executions: "*",
};

function run(home: TempHome, ...args: string[]) {
  return startProgram(args, { env: { HOME: home.path } });
}

/** A database of 600 captures that were worked in, in one file. */
async function worked(home: TempHome): Promise<void> {
  Deno.mkdirSync(join(home.path, ".conclaude"), { mode: 0o700 });
  const db = await openDatabase(home.database, { busyTimeoutMs: 1000 });
  saveRecords(
    db,
    workRecords(600, { seed: 3, project: "/home/ana/app", startMs: Date.UTC(2026, 0, 1) }),
  );
  db.close();
  assert.equal((await run(home, "queue", "drain")).code, 0);
  closeDatabase(home.database);
}

function ask(path: string, sql: string): Record<string, unknown>[] {
  using db = new DatabaseSync(path, { readOnly: true });
  return db.prepare(sql).all();
}

function rowsIn(path: string, table: string, columns: string): string[] {
  return ask(path, `SELECT ${columns} FROM ${table}`).map((row) => JSON.stringify(row)).sort();
}

function pagesOf(path: string, table: string, kind: "internal" | "leaf"): number[] {
  return ask(
    path,
    `SELECT pageno FROM dbstat WHERE name = '${table}' AND pagetype = '${kind}' ORDER BY path`,
  ).map(({ pageno }) => Number(pageno));
}

Deno.test("doctor --fix brings every row back whose table has lost the pages that lead to it", async () => {
  using sound = tempHome();
  await worked(sound);
  for (const table of Object.keys(TABLES)) {
    const inner = pagesOf(sound.database, table, "internal");
    if (inner.length === 0) continue;
    using home = tempHome();
    Deno.mkdirSync(join(home.path, ".conclaude"), { mode: 0o700 });
    Deno.copyFileSync(sound.database, home.database);
    for (const page of inner) {
      spoil(home.database, { at: (page - 1) * PAGE_BYTES, length: PAGE_BYTES });
    }
    const { stdout } = await run(home, "doctor", "--fix");
    assert.match(stdout, /rows that can be read of it are in the new one\n/, table);
    for (const [each, columns] of Object.entries(TABLES)) {
      const [now, before] = [home, sound].map((of) => rowsIn(of.database, each, columns));
      assert.ok(now!.join() === before!.join(), `${table}: rows of ${each} differ`);
    }
    assert.equal((await run(home, "db", "check")).code, 0, table);
    const folder = [...Deno.readDirSync(join(home.path, ".conclaude"))].map(({ name }) => name);
    assert.deepEqual(folder.filter((name) => name.includes("-read")), []);
  }
  assert.ok(pagesOf(sound.database, "observations", "internal").length > 0);
  assert.ok(pagesOf(sound.database, "pending_queue", "internal").length > 0);
});

Deno.test("observations on a damaged page are made once more of their captures", async () => {
  using home = tempHome();
  await worked(home);
  const uids = () =>
    ask(home.database, "SELECT uid FROM observations ORDER BY uid").map(({ uid }) => uid);
  const titles = () =>
    ask(home.database, "SELECT kind, title, repeats FROM observations").map((row) =>
      JSON.stringify(row)
    ).sort();
  const [before, told] = [uids(), titles()];
  const page = pagesOf(home.database, "observations", "leaf").at(2)!;
  spoil(home.database, { at: (page - 1) * PAGE_BYTES, length: PAGE_BYTES });

  const { stdout } = await run(home, "doctor", "--fix");
  const [, again] = /and (\d+) captures are worked into memory once more/.exec(stdout) ?? [];
  assert.ok(uids().length < before.length, stdout);
  const drained = jsonOf(await run(home, "queue", "drain", "--json"));
  assert.equal(drained.worked, Number(again));
  assert.deepEqual(uids(), before);
  assert.deepEqual(titles(), told);
});

/** The home of a sound database with a copy of it. */
function copyOf(sound: TempHome): TempHome {
  const home = tempHome();
  Deno.mkdirSync(join(home.path, ".conclaude"), { mode: 0o700 });
  Deno.copyFileSync(sound.database, home.database);
  return home;
}

function page(path: string, number: number): Uint8Array {
  return Deno.readFileSync(path).slice((number - 1) * PAGE_BYTES, number * PAGE_BYTES);
}

function putPage(path: string, number: number, bytes: Uint8Array): void {
  using file = Deno.openSync(path, { write: true });
  file.seekSync((number - 1) * PAGE_BYTES, Deno.SeekMode.Start);
  file.writeSync(bytes);
}

Deno.test("pages of a table that lie in each other's place cost no row, and a page that is gone is counted", async () => {
  using sound = tempHome();
  await worked(sound);
  const [one, other] = pagesOf(sound.database, "observations", "leaf").slice(3, 5) as [
    number,
    number,
  ];
  const before = rowsIn(sound.database, "observations", "*");
  {
    using home = copyOf(sound);
    putPage(home.database, one, page(sound.database, other));
    putPage(home.database, other, page(sound.database, one));
    await run(home, "doctor", "--fix");
    assert.deepEqual(rowsIn(home.database, "observations", "*"), before);
  }
  using home = copyOf(sound);
  putPage(home.database, one, page(sound.database, other));
  const { stdout } = await run(home, "doctor", "--fix");
  assert.match(stdout, /at least \d+ cannot be read, and \d+ captures are worked into memory once/);
});

Deno.test("a database that has lost its header is brought back whole", async () => {
  using sound = tempHome();
  await worked(sound);
  for (const length of [16, 100]) {
    using home = copyOf(sound);
    spoil(home.database, { at: 0, length });
    const { stdout } = await run(home, "doctor", "--fix");
    assert.match(stdout, /rows that can be read of it are in the new one\n/);
    for (const [table, columns] of Object.entries(TABLES)) {
      const [now, before] = [home, sound].map((of) => rowsIn(of.database, table, columns));
      assert.ok(now!.join() === before!.join(), `${length}: rows of ${table} differ`);
    }
    assert.equal((await run(home, "db", "check")).code, 0);
  }
});

Deno.test("a rescue that was stopped is named by doctor, and doctor --fix goes on with it", async () => {
  using home = tempHome();
  await worked(home);
  const before = rowsIn(home.database, "observations", "*");
  const aside = `${home.database}.damaged-2026-01-02T03-04-05Z`;
  Deno.renameSync(home.database, aside);
  Deno.copyFileSync(aside, `${aside}-read`);
  (await openDatabase(home.database, { busyTimeoutMs: 1000 })).close();
  const looked = await run(home, "doctor");
  assert.equal(looked.code, 1);
  assert.match(looked.stdout, /of \S+damaged-\S+Z was stopped before its end/);
  const { stdout } = await run(home, "doctor", "--fix");
  assert.match(stdout, /fixed: went on with \S+: \d+ rows/);
  assert.deepEqual(rowsIn(home.database, "observations", "*"), before);
  assert.equal((await run(home, "doctor")).code, 0);
});

Deno.test("a file of a few bytes that somebody names as the database stays as it is", async () => {
  using home = tempHome();
  const path = join(home.path, "notes.txt");
  Deno.writeTextFileSync(path, "x");
  const { code, stderr } = await run(home, "--db", path, "memory", "search", "a");
  assert.equal(code, 1);
  assert.match(stderr, /Cannot open the database[^]*file is not a database; nothing was changed/);
  assert.equal(Deno.readTextFileSync(path), "x");
});
