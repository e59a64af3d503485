/** Damaged pages of the tables themselves: what the real program brings back of them, and how. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { openDatabase } from "../../../src/store/database.ts";
import { tableRoots } from "../../../src/store/table_roots.ts";
import { change } from "../../support/on_home.ts";
import { jsonOf, runProgram, tempHome } from "../../support/program.ts";
import { closeDatabase, spoil } from "../../support/spoilt.ts";
import {
  ask,
  copyOf,
  PAGE_BYTES,
  pagesOf,
  rowsIn,
  TABLES,
  uidsIn,
  worked,
} from "../../support/worked_database.ts";
import { run } from "../../support/verb.ts";

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
  const uids = () => uidsIn(home.database);
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
  const [, rows] = /fixed: went on with \S+; (\d+) rows/.exec(stdout) ?? [];
  assert.ok(Number(rows) > before.length, stdout);
  assert.deepEqual(rowsIn(home.database, "observations", "*"), before);
  // One that was stopped at its very end.
  Deno.copyFileSync(aside, `${aside}-read`);
  const again = await run(home, "doctor", "--fix");
  assert.match(again.stdout, new RegExp(`fixed: went on with \\S+; ${rows} rows that can be read`));
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

/** Lets an index miss a change of its table, as a write that was lost does. */
function loseWrite(path: string, index: string, change: string): void {
  const pages = pagesOf(path, index, "leaf");
  const before = Deno.readFileSync(path);
  {
    using db = new DatabaseSync(path);
    db.exec(change);
  }
  closeDatabase(path);
  using file = Deno.openSync(path, { write: true });
  for (const page of pages) {
    const at = (page - 1) * PAGE_BYTES;
    file.seekSync(at, Deno.SeekMode.Start);
    file.writeSync(before.subarray(at, at + PAGE_BYTES));
  }
}

Deno.test("an index that lacks entries is found by doctor as by db check, and made anew without losing a row", async () => {
  using home = tempHome();
  await worked(home);
  loseWrite(
    home.database,
    "observations_by_age",
    "UPDATE observations SET created_at_ms = created_at_ms + 1, updated_at_ms = updated_at_ms + 1 WHERE id = 7",
  );
  const before = rowsIn(home.database, "observations NOT INDEXED", "*");
  assert.equal((await run(home, "db", "check")).code, 1);
  const found = await run(home, "doctor");
  assert.match(
    found.stdout,
    /only in its indexes or in pages that can be made anew \(row \d+ missing/,
  );
  const { stdout } = await run(home, "doctor", "--fix");
  assert.match(stdout, /wrote the database anew with all its \d+ rows/);
  assert.equal((await run(home, "db", "check")).code, 0);
  assert.deepEqual(rowsIn(home.database, "observations", "*"), before);
});

Deno.test("an observation whose facts are damaged silences nothing else, and doctor takes out what cannot be read", async () => {
  using home = tempHome();
  await worked(home);
  const start = async (session: string) => {
    const event = {
      session_id: session,
      hook_event_name: "SessionStart",
      source: "startup",
      cwd: "/home/ana/app",
    };
    const { code, stdout } = await runProgram(["hook"], {
      env: { HOME: home.path, CLAUDE_PROJECT_DIR: "/home/ana/app" },
      stdin: JSON.stringify(event),
    });
    assert.equal(code, 0);
    return JSON.parse(stdout).hookSpecificOutput.additionalContext as string;
  };
  const sound = await start("c0de0000-0000-4000-8000-000000000001");
  {
    using db = new DatabaseSync(home.database);
    db.exec(
      "UPDATE observations SET facts = substr(facts, 1, length(facts) - 1) || char(0) WHERE id % 5 = 0",
    );
    db.exec("UPDATE observations SET files = '[' WHERE id % 7 = 0");
    db.exec("UPDATE observations SET facts = '{' WHERE kind = 'summary'");
  }
  const told = await start("c0de0000-0000-4000-8000-000000000002");
  assert.ok(told.length > sound.length / 2, told);
  for (const args of [["show", "5"], ["show", "7"], ["timeline", "5"], ["search", "auth"]]) {
    const { code, stderr } = await run(home, "memory", ...args);
    assert.equal(code, 0, args.join(" ") + stderr);
  }
  const found = await run(home, "doctor");
  assert.match(found.stdout, /the facts or files of \d+ observations are damaged/);
  const { stdout } = await run(home, "doctor", "--fix");
  assert.match(stdout, /took out what cannot be read of \d+ observations/);
  assert.doesNotMatch((await run(home, "doctor")).stdout, /are damaged/);
});

Deno.test("damaged pages of the table of files, or of its index, cost nothing that the other one has", async () => {
  using sound = tempHome();
  await worked(sound);
  for (const isEmpty of [false, true]) {
    for (const name of ["observation_files", "observation_files_by_observation"]) {
      using home = copyOf(sound);
      if (isEmpty) change(home, "DELETE FROM observation_files");
      const before = rowsIn(home.database, "observations", "*");
      const paths = rowsIn(home.database, "observation_files", "path, observation_id");
      const [root] = ask(
        home.database,
        `SELECT rootpage AS page FROM sqlite_schema WHERE name = '${name}'`,
      );
      spoil(home.database, { at: (Number(root!["page"]) - 1) * PAGE_BYTES, length: PAGE_BYTES });
      const { stdout } = await run(home, "doctor", "--fix");
      const isLost = !isEmpty && name === "observation_files";
      assert.equal(/cannot be read/.test(stdout), isLost, name + stdout);
      assert.deepEqual(rowsIn(home.database, "observations", "*"), before);
      const now = rowsIn(home.database, "observation_files", "path, observation_id");
      assert.deepEqual(now, paths, name);
    }
  }
});

Deno.test("doctor --fix brings back what an export can read of a page whose bits flipped, and more", async () => {
  using sound = tempHome();
  await worked(sound);
  const all = rowsIn(sound.database, "pending_queue", "id").length;
  const leaves = pagesOf(sound.database, "pending_queue", "leaf");
  assert.ok(leaves.length > 6);
  const number = leaves[2]!;
  const before = page(sound.database, number);
  const cells = new DataView(before.buffer).getUint16(3);
  /** Where the page tells where its first and its last row begin; the high bytes of these. */
  for (const at of [8, 8 + 2 * (cells - 1)]) {
    for (const bits of [0x01, 0x07]) {
      using home = copyOf(sound);
      const bytes = before.slice();
      bytes[at]! ^= bits;
      bytes[at + 1]! ^= 0x55;
      putPage(home.database, number, bytes);
      const exported = await run(home, "export");
      const read = exported.stdout.split("\n").filter((line) =>
        line.startsWith('{"type":"capture"')
      );
      const { stdout } = await run(home, "doctor", "--fix");
      const now = rowsIn(home.database, "pending_queue", "id").length;
      assert.ok(now >= read.length, `${at} ${bits}: ${now} of ${read.length}`);
      assert.ok(now >= all - 1, `${at} ${bits}: ${now} of ${all}: ${stdout}`);
      if (now < all) assert.match(stdout, /at least \d+ cannot be read/);
    }
  }
});

Deno.test("a rescue looks for rows in every table with row numbers but those of the search index", async () => {
  using home = tempHome();
  await worked(home);
  const roots = tableRoots(home.database);
  const names = ask(home.database, "SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0")
    .filter(({ rootpage }) => roots.includes(Number(rootpage))).map(({ name }) => String(name));
  assert.deepEqual(names.filter((name) => name.startsWith("memory_index")), []);
  for (const table of Object.keys(TABLES)) assert.ok(names.includes(table), table);
});
