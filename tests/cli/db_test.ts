import assert from "node:assert/strict";
import { join } from "node:path";
import { backupsOf, defaultBackupPath } from "../../src/upkeep/care/backup.ts";
import { closeDatabase, garbage, schemaPages, spoil } from "../support/spoilt.ts";
import { modeOf, namesIn, query, queryValue } from "../support/look.ts";
import { change, held, hurried } from "../support/on_home.ts";
import { addToken } from "../support/person.ts";
import { snapshot, type Stage, stage } from "./support.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(stage);

/** Makes the database, with one session in it. */
async function withSession(place: Stage, id: string): Promise<void> {
  const stdin = { session_id: id, cwd: place.project };
  assert.equal((await place.run(["hook", "SessionStart"], { stdin })).code, 0);
}

function sessionsIn(database: string): unknown[] {
  return query(database, "SELECT session_id FROM sessions ORDER BY 1").map((row) =>
    row["session_id"]
  );
}

test("db path tells which database is used and what chose it, and makes no database", async (place) => {
  const other = join(place.project, "other.db");
  assert.deepEqual((await place.json(["db", "path"])).body, {
    path: place.database,
    from: "default",
    exists: false,
  });
  assert.equal((await place.json(["--db", "other.db", "db", "path"])).body.path, other);
  const env = { CONCLAUDE_DB_PATH: other };
  assert.equal((await place.json(["db", "path"], { env })).body.from, "environment");
  place.configure("database:\n  path: other.db\n");
  assert.deepEqual((await place.json(["db", "path"])).body, {
    path: other,
    from: "configuration",
    exists: false,
  });
  assert.equal((await place.json(["db", "path", "--no-db"])).body.path, ":memory:");
  assert.deepEqual(namesIn(place.project), [".conclaude.yaml"]);
});

test("a verb that reads says when the database of --db does not exist", async (place) => {
  const { code, stdout, stderr } = await place.run(["--db", "other.db", "queue", "list"]);
  assert.equal(code, 0);
  assert.match(stdout, /No captures match/);
  assert.equal(
    stderr,
    `There is no database at ${join(place.project, "other.db")}: nothing is read.\n`,
  );
  assert.equal((await place.run(["queue", "list"])).stderr, "");
  assert.deepEqual(namesIn(place.project), []);
});

test("db backup makes a private, whole copy although the umask is 000, and never replaces a file", async (place) => {
  await withSession(place, "kept");
  const through = ["sh", "-c", 'umask 000; exec "$@"', "sh"];
  const first = await place.json(["db", "backup"], { through });
  assert.equal(first.code, 0);
  assert.match(first.body.file, /\/\.conclaude\/backups\/conclaude-[\dTZ-]+\.db$/);
  assert.equal(modeOf(first.body.file), "600");
  assert.equal(modeOf(join(place.home, ".conclaude", "backups")), "700");
  assert.deepEqual(sessionsIn(first.body.file), ["kept"]);

  place.configure("mine", "taken.db");
  const second = await place.run(["db", "backup", "taken.db"]);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /is there already/);
  assert.equal(Deno.readTextFileSync(join(place.project, "taken.db")), "mine");
  assert.deepEqual(namesIn(place.project), ["taken.db"]);
});

test("db backups lists the backups of the database with their sizes, the newest first", async (place) => {
  assert.match((await place.run(["db", "backups"])).stdout, /^No backups\./);
  await withSession(place, "kept");
  const made = [await place.json(["db", "backup"]), await place.json(["db", "backup"])];
  const { stdout } = await place.run(["db", "backups", "--json"]);
  const { backups } = JSON.parse(stdout);
  assert.deepEqual(
    backups.map(({ path, bytes }: { path: string; bytes: number }) => [path, bytes]),
    made.map(({ body: { file } }) => [file, Deno.statSync(file).size]).reverse(),
  );
});

test("backups of the same second get names of their own, and the last one is the newest", (place) => {
  const folder = join(place.home, "backups");
  Deno.mkdirSync(folder);
  const newestBackup = () => backupsOf({ dataFolder: place.home }, place.database)[0]?.path;
  const paths = Array.from({ length: 11 }, () => {
    const path = defaultBackupPath(place.home, 1_700_000_000_000);
    Deno.writeTextFileSync(path, "");
    assert.equal(newestBackup(), path);
    return path;
  });
  assert.equal(paths[0], join(folder, "conclaude-2023-11-14T22-13-20Z.db"));
  assert.equal(paths[1], join(folder, "conclaude-2023-11-14T22-13-20Z.2.db"));
  Deno.writeTextFileSync(join(folder, "conclaude-2023-11-14T22-13-21Z.db"), "");
  assert.match(newestBackup()!, /21Z\.db$/);
});

test("db backup removes the drafts of a killed backup, but no draft that is being written or that is not its own", async (place) => {
  await withSession(place, "kept");
  const folder = join(place.home, ".conclaude", "backups");
  Deno.mkdirSync(folder);
  const draft = () => `conclaude-2023-11-14T22-13-20Z.db.${crypto.randomUUID()}.tmp`;
  const [left, atWork] = [draft(), draft()];
  const kept = [atWork, `${atWork}-wal`, `mine.db.${crypto.randomUUID()}.tmp`];
  for (const name of [left, `${left}-journal`, ...kept]) {
    Deno.writeTextFileSync(join(folder, name), "half");
  }
  Deno.utimeSync(join(folder, left), new Date(0), new Date(0));
  const { body } = await place.json(["db", "backup"]);
  assert.deepEqual(sessionsIn(body.file), ["kept"]);
  const names = namesIn(folder).filter((name) => name.endsWith(".tmp") || name.includes("tmp-"));
  assert.deepEqual(names.toSorted(), kept.toSorted());
});

test("db restore puts the backup in place and sets the present database aside with its log", async (place) => {
  await withSession(place, "old");
  await place.run(["db", "backup", "saved.db"]);
  await withSession(place, "new");
  const { code, body } = await place.json(["db", "restore", "saved.db"]);
  assert.equal(code, 0);
  assert.deepEqual(sessionsIn(place.database), ["old"]);
  assert.deepEqual(sessionsIn(body.aside), ["new", "old"]);
  assert.match(body.aside, /conclaude\.db\.before-restore-\d{4}-/);
  assert.equal(modeOf(place.database), "600");
  assert.equal(queryValue(place.database, "PRAGMA journal_mode"), "wal");
  await withSession(place, "after");
  assert.deepEqual(sessionsIn(place.database), ["after", "old"]);
});

test("db restore switches a copy without a write-ahead log to one", async (place) => {
  await withSession(place, "old");
  await place.run(["db", "backup", "saved.db"]);
  change(join(place.project, "saved.db"), "PRAGMA journal_mode = DELETE");
  assert.equal((await place.run(["db", "restore", "saved.db"])).code, 0);
  assert.equal(queryValue(place.database, "PRAGMA journal_mode"), "wal");
});

test("db restore refuses damaged, newer and foreign files and the database itself, and changes nothing", async (place) => {
  await withSession(place, "present");
  addToken(place.database);
  const at = (name: string) => join(place.project, name);
  Deno.writeFileSync(at("garbage.db"), garbage(9000));
  change(at("foreign.db"), "CREATE TABLE t (a)");
  for (const name of ["newer.db", "torn.db"]) await place.run(["db", "backup", name]);
  change(at("newer.db"), "PRAGMA journal_mode = DELETE; PRAGMA user_version = 99");
  change(at("torn.db"), "PRAGMA journal_mode = DELETE");
  Deno.truncateSync(at("torn.db"), 30_000);
  const cases: readonly (readonly [file: string, why: RegExp])[] = [
    ["garbage.db", /not a SQLite database/],
    ["foreign.db", /another program's/],
    ["newer.db", /newer conclaude/],
    ["torn.db", /damaged|malformed/],
    ["none.db", /no such file/],
    [place.database, /the database itself/],
  ];
  // Whoever looks at a log makes its index; after that nothing may change.
  await place.run(["db", "checkpoint"]);
  for (const [file, why] of cases) {
    const before = [snapshot(place.home), snapshot(place.project)];
    const { code, stderr } = await place.run(["db", "restore", file]);
    assert.equal(code, 1, file);
    assert.match(stderr, why);
    assert.deepEqual([snapshot(place.home), snapshot(place.project)], before, file);
  }
});

test("db restore of the wrong file shows where the backups are", async (place) => {
  await withSession(place, "present");
  Deno.writeFileSync(join(place.project, "garbage.db"), garbage(9000));
  const next = async (file: string) => (await place.json(["db", "restore", file])).body.error.next;
  assert.equal(await next("none.db"), `ls -lt ${place.project}`);
  await place.run(["db", "backup"]);
  for (const file of ["none.db", "garbage.db", "."]) {
    assert.equal(await next(file), `ls -lt ${join(place.home, ".conclaude", "backups")}`);
  }
});

test("db backup below a file says that it is no folder", async (place) => {
  await withSession(place, "present");
  place.configure("", "file");
  const { code, body } = await place.json(["db", "backup", "file/x.db"]);
  assert.deepEqual([code, body.error.next], [1, "conclaude db backup"]);
  assert.match(body.error.why, /Not a directory.*; nothing was changed$/);
});

test("db reset needs a yes, begins a new database and keeps the former one", async (place) => {
  await withSession(place, "old");
  const refused = await place.run(["db", "reset"]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /nothing was changed\n {2}next: conclaude db reset --yes\n/);
  assert.deepEqual(sessionsIn(place.database), ["old"]);
  const { code, body } = await place.json(["db", "reset", "--yes"]);
  assert.equal(code, 0);
  assert.deepEqual([sessionsIn(place.database), sessionsIn(body.aside)], [[], ["old"]]);
  assert.match(body.aside, /before-reset/);
});

test("db reset leaves a locked database where it is", async (place) => {
  hurried({ path: place.home });
  await withSession(place, "old");
  addToken(place.database);
  using writer = held(place.database, "BEGIN IMMEDIATE; DELETE FROM sessions");
  const { code, stderr } = await place.run(["db", "reset", "--yes"]);
  assert.equal(code, 1);
  assert.match(stderr, /another process is using it/);
  writer.release();
  assert.equal(namesIn(join(place.home, ".conclaude")).includes("conclaude.db"), true);
});

test("no verb touches a newer or a foreign database", async (place) => {
  await withSession(place, "mine");
  await place.run(["db", "backup", "newer.db"]);
  change(join(place.project, "newer.db"), "PRAGMA journal_mode = DELETE; PRAGMA user_version = 99");
  change(join(place.project, "foreign.db"), "CREATE TABLE t (a); PRAGMA user_version = 6");
  await place.run(["db", "backup", "good.db"]);
  const before = snapshot(place.project);
  const verbs = [["migrate"], ["vacuum"], ["checkpoint"], ["stats"], ["check"], ["backup", "x.db"]];
  for (const name of ["newer.db", "foreign.db"]) {
    for (const verb of verbs) {
      const { code, stderr } = await place.run(["--db", name, "db", ...verb]);
      assert.equal(code, 1, `${name} ${verb}`);
      assert.match(stderr, /nothing was changed/);
    }
    await place.run(["--db", name, "doctor"]);
    await place.run(["--db", name, "doctor", "--fix"]);
  }
  for (const verb of [["reset", "--yes"], ["restore", "good.db"]]) {
    assert.equal((await place.run(["--db", "foreign.db", "db", ...verb])).code, 1);
  }
  assert.deepEqual(snapshot(place.project), before);
});

test("db check reads everything and exits with 1 when there is a fault", async (place) => {
  await withSession(place, "s");
  const good = await place.json(["db", "check"]);
  assert.equal(good.code, 0);
  assert.deepEqual(
    good.body.checks.map(({ name, status }) => [name, status]),
    [
      ["integrity", "ok"],
      ["foreign keys", "ok"],
      ["payloads", "ok"],
      ["schema", "ok"],
      ["search index", "ok"],
      ["permissions", "ok"],
    ],
  );
  change(place.database, "DROP INDEX sessions_by_short_id");
  Deno.chmodSync(place.database, 0o644);
  const bad = await place.json(["db", "check"]);
  assert.equal(bad.code, 1);
  assert.match(JSON.stringify(bad.body), /index sessions_by_short_id is missing/);
  assert.match(JSON.stringify(bad.body), /chmod 600/);
});

test("db check and doctor tell the first fault of damaged pages and count the others, and --json has all faults", async (place) => {
  await withSession(place, "s");
  const stdin = { session_id: "s", tool_name: "Read", tool_response: "x".repeat(60_000) };
  for (let i = 0; i < 3; i++) await place.run(["hook", "PostToolUse"], { stdin });
  closeDatabase(place.database);
  spoil(place.database, { at: await schemaPages() * 4096, length: 3 * 4096 });
  const { body } = await place.json(["db", "check"]);
  const { message, faults = [] } = body.checks.find(({ name }) => name === "integrity")!;
  assert.ok(faults.length > 2, message);
  assert.ok(faults.every((fault) => !/\n|\*\*\*/.test(fault)), faults.join("\n"));
  const told = faults.length < 20 ? faults.length - 1 : "at least 19";
  assert.equal(message, `${faults[0]} (and ${told} more)`);
  const looked = (await place.json(["doctor"])).body.checks;
  const [, fault] = /is damaged: (.*?); `doctor --fix`/s.exec(
    looked.find(({ name }) => name === "database")!.message,
  )!;
  assert.match(fault!, /^[^\n*]{1,200} \(and (?:at least )?\d+ more\)$/);
});

test("db migrate makes the database once, and stats counts what is in it", async (place) => {
  const missing = await place.run(["db", "stats"]);
  assert.deepEqual([missing.code, /no such file/.test(missing.stderr)], [1, true]);
  const made = (await place.json(["db", "migrate"])).body;
  assert.equal(made.from, 0);
  assert.equal(made.applied.length, made.to);
  assert.deepEqual((await place.json(["db", "migrate"])).body.applied, []);
  await withSession(place, "one");
  const { body } = await place.json(["db", "stats"]);
  assert.equal(body.schemaVersion, made.to);
  assert.ok(body.pages > 0 && body.pageBytes === 4096);
  assert.equal(body.tables.find(({ name }) => name === "sessions")?.rows, 1);
});

test("db checkpoint empties the log", async (place) => {
  await withSession(place, "one");
  const { code, body } = await place.json(["db", "checkpoint"]);
  assert.deepEqual([code, body.busy], [0, false]);
  assert.deepEqual(sessionsIn(place.database), ["one"]);
});

test("db vacuum makes a database smaller with no more rights than the program has", async (place) => {
  Deno.mkdirSync(join(place.home, ".conclaude"), { mode: 0o700 });
  Deno.writeTextFileSync(place.database, "", { mode: 0o600 });
  change(place.database, "PRAGMA auto_vacuum = INCREMENTAL; VACUUM");
  await withSession(place, "stays");
  change(
    place.database,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 800)
     INSERT INTO meta SELECT 'key ' || i, hex(randomblob(5000)) FROM n;
     PRAGMA wal_checkpoint(TRUNCATE);
     DELETE FROM meta WHERE key LIKE 'key %'`,
  );
  const { code, body } = await place.json(["db", "vacuum"]);
  assert.equal(code, 0);
  assert.ok(body.bytesBefore > 8_000_000 && body.bytesAfter < 500_000, JSON.stringify(body));
  assert.equal(Deno.statSync(place.database).size, body.bytesAfter);
  assert.deepEqual(sessionsIn(place.database), ["stays"]);
});

test("db vacuum names the sqlite3 command where it cannot compact the database itself", async (place) => {
  Deno.mkdirSync(join(place.home, ".conclaude"), { mode: 0o700 });
  Deno.writeTextFileSync(place.database, "", { mode: 0o600 });
  change(place.database, "PRAGMA auto_vacuum = NONE; VACUUM");
  await withSession(place, "s");
  if (queryValue(place.database, "PRAGMA auto_vacuum") !== 0) return;
  // A process may not do what this one may.
  const { code, stderr } = await place.run(["db", "vacuum"], { through: [] });
  assert.equal(code, 1);
  assert.match(stderr.replaceAll(/\\\n\s*/g, ""), /next: sqlite3 +\S+conclaude\.db +VACUUM/);
});
