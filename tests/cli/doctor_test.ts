import assert from "node:assert/strict";
import { jsonOf, type RunOptions, runProgram } from "../support/program.ts";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { MIGRATIONS } from "../../migrations/mod.ts";
import { spoolRecord } from "../../src/db/spool.ts";
import { APPLICATION_ID } from "../../src/db/transaction.ts";
import { modeOf, namesIn, queryValue } from "../support/look.ts";
import { isNext } from "../support/next.ts";
import { INNER_HOME, privateMounts } from "../support/private_mounts.ts";
import { change } from "../support/on_home.ts";
import { endedPid } from "../support/processes.ts";
import { garbage } from "../support/spoilt.ts";
import {
  alterSettings,
  type Body,
  checkOf,
  type CheckRow,
  checksOf,
  snapshot,
  type Stage,
  stage,
} from "./support.ts";
import { it, testWith } from "../support/fixtures.ts";
import { hookRecord } from "../support/records.ts";
import { removeFolder } from "../support/folders.ts";

const test = testWith(stage);

/** The rows of one check. */
function rowsOf(body: Body, name: string): readonly CheckRow[] {
  return body.checks.filter((row) => row.name === name);
}

async function useOnce(place: Stage, session = "s1", options: RunOptions = {}): Promise<void> {
  const stdin = { session_id: session, tool_name: "Read", cwd: place.project };
  assert.equal((await place.run(["hook", "PostToolUse"], { stdin, ...options })).code, 0);
}

/** Two processes leave a log: the first makes the tables, which takes so long a log that it empties it itself. */
async function useTwice(place: Stage): Promise<void> {
  await useOnce(place, "s1", { through: [] });
  await useOnce(place, "s1", { through: [] });
}

/** Moves the log into the file and leaves nothing beside it. */
function settle(place: Stage): void {
  change(place.database, "PRAGMA wal_checkpoint(TRUNCATE)");
}

test("doctor on a fresh home finds no fault and makes no folder", async (place) => {
  const { code, body } = await place.json(["doctor"]);
  assert.deepEqual([code, body.ok], [0, true]);
  for (const check of body.checks) {
    assert.deepEqual(Object.keys(check), ["name", "status", "message", "next"]);
    assert.equal(check.next === null, check.status === "ok", check.message);
  }
  assert.match(
    rowsOf(body, "database")[0]!.message,
    /the first hook makes it \(chosen by default\)/,
  );
  assert.equal(rowsOf(body, "hooks")[0]!.next, "conclaude install-hooks");
  assert.deepEqual(namesIn(place.home), []);
});

test("doctor changes nothing: neither a database in use nor one whose log is gone", async (place) => {
  await useTwice(place);
  await place.run(["doctor"]);
  const inUse = snapshot(place.home);
  assert.ok(Object.keys(inUse).some((path) => path.endsWith("-wal")), "the log is there");
  assert.equal((await place.run(["doctor"])).code, 0);
  assert.deepEqual(Object.keys(snapshot(place.home)), Object.keys(inUse));
  const content = (files: Record<string, string>) =>
    Object.entries(files).filter(([path]) => !path.endsWith("-shm"));
  assert.deepEqual(content(snapshot(place.home)), content(inUse));

  settle(place);
  const closed = snapshot(place.home);
  assert.equal((await place.run(["doctor"])).code, 0);
  assert.deepEqual(snapshot(place.home), closed);
});

test("doctor names each fault of the database and the command against it", async (place) => {
  await useOnce(place);
  settle(place);
  await place.run(["db", "backup"]);
  const good = Deno.readFileSync(place.database);
  const write = (bytes: Uint8Array) => Deno.writeFileSync(place.database, bytes);
  const cases: readonly (readonly [name: string, spoil: () => void, why: RegExp, next: RegExp])[] =
    [
      [
        "garbage",
        () => write(garbage(9000)),
        /is not a SQLite database/,
        /^conclaude doctor --fix$/,
      ],
      ["a short file", () => write(good.slice(0, 50)), /ends after 50 bytes/, /doctor --fix/],
      [
        "truncated",
        () => write(good.slice(0, 30_000)),
        /is damaged.*--fix.*the rest comes from the backup of/,
        /doctor --fix/,
      ],
      [
        "newer",
        () => {
          write(good);
          change(place.database, "PRAGMA user_version = 99");
        },
        /newer conclaude: schema version 99/,
        /newest conclaude/,
      ],
      [
        "foreign",
        () => {
          Deno.removeSync(place.database);
          change(place.database, "CREATE TABLE t (a)");
        },
        /another program's database/,
        /CONCLAUDE_DB_PATH=/,
      ],
      [
        "a folder",
        () => {
          Deno.removeSync(place.database);
          Deno.mkdirSync(place.database);
        },
        /is a folder/,
        /^mv \S+conclaude\.db \S+conclaude\.db\.folder$/,
      ],
    ];
  for (const [name, spoil, why, next] of cases) {
    spoil();
    const before = snapshot(place.home);
    const { code, body } = await place.json(["doctor"]);
    const [row] = rowsOf(body, "database");
    assert.deepEqual([code, body.ok, row!.status], [1, false, "fail"], name);
    assert.match(row!.message, why);
    assert.match(row!.next!, next);
    assert.ok(isNext(row!.next!), row!.next!);
    assert.deepEqual(snapshot(place.home), before, name);
  }
});

test("doctor names the migration that fails and its cause, and the way out works", async (place) => {
  await useOnce(place);
  // Neither what its number says nor what this program makes: some steps to come find their tables there already.
  change(
    place.database,
    "PRAGMA user_version = 3; DROP TABLE summarizer_runs; PRAGMA wal_checkpoint(TRUNCATE)",
  );
  const before = snapshot(place.home);
  const { code, body } = await place.json(["doctor"]);
  const [row] = rowsOf(body, "database");
  assert.deepEqual([code, row!.status], [1, "fail"]);
  assert.match(
    row!.message,
    /has schema version 3, .*migration 4 \(counters\) fails: table counters already exists; hooks keep/,
  );
  assert.equal(row!.next, "conclaude db reset");
  assert.deepEqual(snapshot(place.home), before);
  const [schema] = rowsOf((await place.json(["db", "check"])).body, "schema");
  assert.deepEqual([schema!.status, schema!.next], ["fail", "conclaude doctor"]);
  const { stderr } = await place.run(["status"]);
  assert.match(stderr, /why: {2}migration 4 \(counters\) fails: .*\n {2}next: conclaude doctor\n/);

  assert.equal((await place.json(["db", "reset", "--yes"])).code, 0);
  assert.equal((await checkOf(place, "database")).status, "ok");
});

test("doctor accepts an older schema that the next hook can migrate", async (place) => {
  Deno.mkdirSync(join(place.home, ".conclaude"), { mode: 0o700 });
  Deno.writeTextFileSync(place.database, "", { mode: 0o600 });
  change(
    place.database,
    MIGRATIONS.slice(0, 3).map(({ sql }) => sql).join(";\n") +
      `; PRAGMA user_version = 3; PRAGMA application_id = ${APPLICATION_ID}`,
  );
  const before = snapshot(place.home);
  const { code, body } = await place.json(["doctor"]);
  assert.equal(code, 0);
  assert.match(rowsOf(body, "database")[0]!.message, /schema version 3, .*the next hook brings it/);
  assert.deepEqual(snapshot(place.home), before);
});

test("doctor --fix sets a damaged database aside, says so, and the next hook begins a new one", async (place) => {
  await useOnce(place);
  settle(place);
  Deno.writeFileSync(place.database, garbage(9000));
  await useOnce(place, "waits");
  const { code, body } = await place.json(["doctor", "--fix"]);
  assert.equal(code, 1);
  assert.match(rowsOf(body, "database").at(-1)!.message, /^nothing of .* could be brought back/);
  assert.match(body.fixed[0], /set the damaged database aside: \S+conclaude\.db\.damaged-\d{4}-/);
  assert.match(body.fixed[1]!, /wrote 1 waiting record into the database/);
  const aside = /aside: ([^;]+)/.exec(body.fixed[0])![1]!;
  assert.deepEqual(Deno.readFileSync(aside), garbage(9000));
  assert.equal(queryValue(place.database, "SELECT session_id FROM hook_executions"), "waits");
});

test("doctor says that a database was cut to nothing, where there was one before", async (place) => {
  Deno.mkdirSync(join(place.home, ".conclaude"), { mode: 0o700 });
  Deno.writeTextFileSync(place.database, "", { mode: 0o600 });
  const rowNow = () => checkOf(place, "database");
  assert.equal((await rowNow()).status, "ok");
  await useTwice(place);
  assert.equal((await place.run(["queue", "drain"])).code, 0);
  settle(place);
  for (const ending of ["-wal", "-shm"]) removeFolder(place.database + ending);
  const backup = join(place.home, "copy.db");
  Deno.copyFileSync(place.database, backup);
  Deno.truncateSync(place.database);
  const row = await rowNow();
  assert.equal(row.status, "warn");
  assert.match(row.message, /is empty, and it was not before: .*; the next hook makes new tables$/);
  assert.ok(isNext(row.next!));
  Deno.copyFileSync(backup, place.database);
  await place.run(["db", "backup"]);
  settle(place);
  Deno.truncateSync(place.database);
  assert.match((await rowNow()).message, /the rest comes from the backup of/);
  const { body } = await place.json(["doctor", "--fix"]);
  assert.match(
    body.fixed[0],
    /hook_executions: 0 read, 2 from the backup, what came after it gone;/,
  );
  assert.equal((await rowNow()).status, "ok");
});

test("doctor still says that a database was cut to nothing when hooks have begun it anew", async (place) => {
  const rowsNow = () => checksOf(place, "database");
  Deno.mkdirSync(join(place.home, ".conclaude"), { mode: 0o700 });
  Deno.writeTextFileSync(place.database, "", { mode: 0o600 });
  await useTwice(place);
  assert.deepEqual((await rowsNow()).map(({ status }) => status), ["ok"]);
  assert.equal((await place.run(["queue", "drain"])).code, 0);
  const cut = async () => {
    settle(place);
    Deno.truncateSync(place.database);
    await useTwice(place);
    const rows = await rowsNow();
    assert.deepEqual(rows.map(({ status }) => status), ["ok", "warn"]);
    assert.match(
      rows[1]!.message,
      / began anew at \S+Z: its file was empty, and it was not before/,
    );
    assert.ok(isNext(rows[1]!.next!));
    return rows[1]!.next!;
  };
  assert.match(await cut(), /^ls -l /);
  await place.run(["db", "backup"]);
  assert.match((await rowsNow())[1]!.next!, /^ls -l /);
  const next = await cut();
  assert.match(next, /^conclaude db restore \S+/);
  const status = (await place.run(["status"])).stdout.replaceAll(/\n +/g, " ");
  assert.ok(status.includes(`what the newest backup holds: run \`${next}\``), status);
  const started = [];
  for (const session_id of ["n1", "n2"]) {
    const stdin = { session_id, hook_event_name: "SessionStart", source: "startup", cwd: "/" };
    started.push((await place.run(["hook", "SessionStart"], { stdin })).stdout);
  }
  // The person is told once.
  assert.deepEqual(started.map((text) => text.includes(`began anew`) && text.includes(next)), [
    true,
    false,
  ]);
  const { body } = await place.json(["doctor", "--fix"]);
  assert.match(rowsOf(body, "database")[1]!.message, /`doctor --fix` leaves it, since a restore/);
  assert.equal((await place.run(next.split(" ").slice(1))).code, 0);
  const [row, told] = await rowsNow();
  assert.equal(row!.status, "ok");
  // What the backup is of had begun anew, too.
  assert.match(told!.next!, /^ls -l /);
});

test("doctor --fix never renames a file that is no database by name or by content", async (place) => {
  const photo = join(place.project, "photo.jpg");
  Deno.writeFileSync(photo, garbage(5000));
  const { code } = await place.json(["--db", photo, "doctor", "--fix"]);
  assert.equal(code, 1);
  assert.deepEqual(namesIn(place.project), ["photo.jpg"]);
});

test("doctor says that another process keeps the database locked", async (place) => {
  await useOnce(place);
  using writer = new DatabaseSync(place.database);
  writer.exec("BEGIN IMMEDIATE");
  const { code, body } = await place.json(["doctor"]);
  const [row] = rowsOf(body, "database");
  assert.deepEqual([code, row!.status], [1, "fail"]);
  assert.match(row!.message, /is locked: another process/);
  assert.match(row!.next!, /fuser/);
  writer.exec("ROLLBACK");
  assert.equal((await place.json(["doctor"])).code, 0);
});

test.unix("doctor finds open permissions, and --fix closes them", async (place) => {
  await useOnce(place);
  const folder = join(place.home, ".conclaude");
  Deno.chmodSync(place.database, 0o644);
  Deno.chmodSync(folder, 0o755);
  Deno.chmodSync(join(folder, "spool"), 0o777);
  const { body } = await place.json(["doctor"]);
  assert.match(rowsOf(body, "home")[0]!.next!, /^chmod 700 /);
  assert.deepEqual(rowsOf(body, "permissions").map(({ next }) => next), [
    `chmod 600 ${place.database}`,
    `chmod 700 ${join(folder, "spool")}`,
  ]);
  await place.json(["doctor", "--fix"]);
  assert.deepEqual([modeOf(place.database), modeOf(folder), modeOf(join(folder, "spool"))], [
    "600",
    "700",
    "700",
  ]);
});

test.unix("doctor finds a log's index that was left read-only, and --fix makes it writable", async (place) => {
  await useTwice(place);
  const index = `${place.database}-shm`;
  Deno.chmodSync(index, 0o400);
  const found = await checksOf(place, "permissions");
  assert.match(found[0]!.message, /-shm cannot be written: mode 0400/);
  assert.equal(found[0]!.next, `chmod 600 ${index}`);
  const { body } = await place.json(["doctor", "--fix"]);
  assert.match(rowsOf(body, "permissions")[0]!.message, /^files 0600/);
  assert.equal(Deno.statSync(index).mode! & 0o777, 0o600);
});

test.unix("doctor --fix does not change the mode of another program's database", async (place) => {
  const foreign = join(place.home, "app.db");
  change(foreign, "CREATE TABLE mine (x)");
  Deno.chmodSync(foreign, 0o644);
  const { body } = await place.json(["--db", foreign, "doctor", "--fix"]);
  assert.match(rowsOf(body, "database")[0]!.message, /another program's database/);
  assert.equal(Deno.statSync(foreign).mode! & 0o777, 0o644);
});

test("doctor --fix reports the state after its repairs", async (place) => {
  await useOnce(place, "s1", { through: [] });
  spoolRecord(record("01890000-0000-7000-8000-000000000001"), {
    database: place.database,
    folders: [join(place.home, ".conclaude", "spool")],
  });
  for (const ending of ["", "-wal", "-shm"]) Deno.removeSync(place.database + ending);
  const { body } = await place.json(["doctor", "--fix"]);
  assert.ok(body.fixed.some((line: string) => /1 waiting record/.test(line)), body.fixed.join());
  assert.match(rowsOf(body, "database")[0]!.message, /conclaude\.db \(chosen by default\)$/);
});

test("doctor without HOME uses the temporary folder, and says so", async (place) => {
  const { body } = await place.json(["doctor"], { env: { HOME: "" } });
  const [row] = rowsOf(body, "home");
  assert.equal(row!.status, "warn");
  assert.match(
    row!.message,
    /^HOME is not set, so events go to \S+\/conclaude\.db, log and spool to \S+\/conclaude(?:-\d+)?, and a restart may remove/,
  );
  const [database] = rowsOf(body, "database");
  const [, named] = /events go to (\S+),/.exec(row!.message)!;
  assert.ok(database!.message.startsWith(named!), database!.message);

  // Who names a database has it where it is named.
  const env = { HOME: "", CONCLAUDE_DB_PATH: join(place.home, "own.db") };
  const own = await checkOf(place, "home", [], { env });
  assert.match(
    own.message,
    /^HOME is not set, so log and spool go to \S+, which a restart may empty$/,
  );
});

test.unix("doctor says why a home cannot be used", async (place) => {
  Deno.writeTextFileSync(join(place.home, ".conclaude"), "a file");
  const { code, body } = await place.json(["doctor"]);
  assert.equal(code, 1);
  assert.match(rowsOf(body, "home")[0]!.message, /\.conclaude is not a folder, so events go to/);
});

it.mounts("doctor names a read-only home, a read-only database and a full disk", async () => {
  await using mounts = await privateMounts();
  const inside = { through: mounts.through, cwd: "/", env: { HOME: INNER_HOME } };
  const doctor = async (...args: string[]): Promise<Body> =>
    jsonOf(await runProgram([...args, "doctor", "--json"], inside));
  const send = (tool_response: string) =>
    runProgram(["hook", "PostToolUse"], {
      ...inside,
      stdin: { session_id: "s", tool_name: "Read", tool_response },
    });
  await send("first");

  await mounts.run(`dd if=/dev/zero of=${INNER_HOME}/filler bs=4096 2>/dev/null || true`);
  await send("x".repeat(200_000));
  const full = await doctor();
  assert.equal(rowsOf(full, "disk")[0]!.status, "fail");
  assert.match(rowsOf(full, "disk")[0]!.message, /the disk (is|was) full/);
  assert.match(rowsOf(full, "disk")[0]!.next!, /df -h/);
  assert.equal(rowsOf(full, "spool")[0]!.status, "warn");
  await mounts.run(`rm ${INNER_HOME}/filler`);

  await mounts.run(`mount -o remount,ro ${INNER_HOME}`);
  const readOnly = await doctor();
  assert.match(rowsOf(readOnly, "home")[0]!.message, /read-only file system/);
  assert.match(rowsOf(readOnly, "database")[0]!.message, /cannot be written: .*read-only/i);
  const elsewhere = await doctor("--db", `${INNER_HOME}/new/conclaude.db`);
  assert.match(
    rowsOf(elsewhere, "database")[0]!.message,
    /cannot be made: .*read-only file system/,
  );
});

test("doctor counts records that wait, here and for other databases, and --fix takes in its own", async (place) => {
  await useOnce(place);
  const folders = [join(place.home, ".conclaude", "spool")];
  const other = join(place.project, "other.db");
  for (const [database, id] of [[place.database, "a1"], [place.database, "a2"], [other, "b1"]]) {
    spoolRecord(record(id!), { database: database!, folders });
  }
  Deno.writeTextFileSync(join(folders[0]!, "x.json.damaged"), "?", { mode: 0o600 });
  const before = (await place.json(["doctor"])).body;
  assert.deepEqual(rowsOf(before, "spool").map(({ message }) => message), [
    "2 records are waiting for the database; the next hook that can write takes them in",
    `1 record is waiting for another database: ${other}`,
    "1 record is set aside because no database could take them",
  ]);
  assert.equal(rowsOf(before, "spool")[1]!.next, `conclaude --db ${other} doctor --fix`);
  const { body } = await place.json(["doctor", "--fix"]);
  assert.deepEqual(body.fixed, ["wrote 2 waiting records into the database"]);
  assert.equal(queryValue(place.database, "SELECT count(*) FROM hook_executions"), 3);
  assert.equal(rowsOf(body, "spool").length, 2);
});

test("doctor looks into the hooks of every settings file that counts", async (place) => {
  const project = join(place.project, ".claude", "settings.json");
  const hooks = () => checksOf(place, "hooks");
  await place.run(["install-hooks"]);
  assert.match((await hooks())[0]!.message, /^installed in \S+settings\.json \(SessionStart, /);

  const older = join(place.project, "conclaude-0.0.9");
  Deno.writeTextFileSync(older, "#!/bin/sh\n", { mode: 0o755 });
  await place.run(["install-hooks", "--scope", "project", "--command", older]);
  const doubled = (await hooks()).map(({ message }) => message).join("\n");
  assert.match(doubled, /start another program than this one .*: \S+conclaude-0\.0\.9/);
  assert.match(doubled, /recorded twice/);

  Deno.writeTextFileSync(project, '{"disableAllHooks": true}');
  assert.match((await hooks())[0]!.message, /`disableAllHooks` is true in \S+project/);
  Deno.writeTextFileSync(
    join(place.project, ".claude", "settings.local.json"),
    '{"disableAllHooks": false}',
  );
  assert.equal((await hooks())[0]!.status, "ok");

  alterSettings(place, ({ hooks }) => {
    hooks.PreToolUse.push({ matcher: "*", hooks: [{ type: "command", timeout: 0 }] });
  });
  const [discarded] = await hooks();
  assert.equal(discarded!.status, "fail");
  assert.match(discarded!.message, /hooks\.PreToolUse\[1\].*discards the whole file, conclaude's/);

  Deno.writeTextFileSync(place.settings, "{ // mine\n}");
  assert.match((await hooks())[0]!.message, /comments.*may ignore the file/);
});

test("doctor finds sessions whose process is gone, and --fix marks them as abandoned", async (place) => {
  const env = { CLAUDE_PID: String(await endedPid()) };
  const stdin = { session_id: "gone", tool_name: "Read" };
  await place.run(["hook", "PostToolUse"], { stdin, env });
  await useOnce(place, "of nobody knows which process");
  const { body } = await place.json(["doctor"]);
  const [row] = rowsOf(body, "sessions");
  assert.equal(
    row!.message,
    "1 of 2 active sessions has no process any more; the process of 1 is not known",
  );
  const status = "SELECT status FROM sessions WHERE session_id = 'gone'";
  assert.equal(queryValue(place.database, status), "active");
  assert.deepEqual((await place.json(["doctor", "--fix"])).body.fixed, [
    "marked 1 session as abandoned",
  ]);
  assert.equal(queryValue(place.database, status), "abandoned");
  assert.equal(
    (await checkOf(place, "sessions")).message,
    "1 active; the process of 1 is not known",
  );
});

test("doctor reports configuration, queue, retention and the last line of the log", async (place) => {
  await useOnce(place);
  const now = Date.now();
  const old = now - 90 * 86_400_000;
  change(
    place.database,
    `UPDATE pending_queue SET status = 'error';
     INSERT INTO sessions (session_id, short_id, status, started_at_ms, updated_at_ms, ended_at_ms)
     VALUES ('old', 'old', 'ended', ${old}, ${old}, ${old})`,
  );
  place.configure("captur: 1\n");
  Deno.writeTextFileSync(
    join(place.home, ".conclaude", "conclaude.log"),
    `${new Date(old).toISOString()} error [1] long ago\n` +
      `${new Date(now).toISOString()} error [1] one \u001b[2J\n` +
      `${new Date(now).toISOString()} warn [1] the last\n`,
    { mode: 0o600 },
  );
  const { body } = await place.json(["doctor"]);
  const expected: readonly (readonly [name: string, message: RegExp, next: RegExp])[] = [
    ["configuration", /:1:1 captur: there is no such key/, /^conclaude config validate$/],
    [
      "memory",
      /^1 capture was given up after errors: no reason was written down$/,
      /^conclaude queue retry --all$/,
    ],
    ["retention", /more than 30 days ago/, /^conclaude retention run$/],
    ["log", /^1 error and 1 warning in the last 24 hours; .*the last$/, /^tail /],
  ];
  for (const [name, message, next] of expected) {
    const [row] = rowsOf(body, name);
    assert.match(row!.message, message);
    assert.match(row!.next!, next);
    assert.equal(row!.status, "warn");
  }
});

test("of a log that several homes share, doctor reports only its own home's lines", async (own) => {
  using other = stage();
  await useOnce(own);
  await useOnce(other);
  // Where a folder stands in the place of the log, the shared one is used.
  Deno.mkdirSync(join(own.home, ".conclaude", "conclaude.log"));
  Deno.writeTextFileSync(own.database, "no database at all, but long enough to be read as one");
  await useOnce(own);
  const [told] = await checksOf(own, "log");
  assert.match(
    told!.message,
    /^0 errors and 1 warning in .*: hook \w+: the database .* could not take it/,
  );
  const [quiet] = await checksOf(other, "log");
  assert.deepEqual([quiet!.status, quiet!.message], [
    "ok",
    "no error and no warning in the last 24 hours",
  ]);
});

const record = (id: string) => hookRecord({ id, atMs: 1_700_000_000_000 });

test("doctor says that an older installation ends commands at a stop too soon, and how to mend it", async (place) => {
  await place.run(["install-hooks"]);
  const hooks = () => checksOf(place, "hooks");
  const text = Deno.readTextFileSync(place.settings);
  Deno.writeTextFileSync(place.settings, text.replaceAll('"timeout": 600', '"timeout": 10'));
  const [row] = await hooks();
  assert.equal(row!.status, "warn");
  assert.match(row!.message, /too little time .*: SubagentStop \(10 s\), Stop \(10 s\)/);
  await place.run(row!.next!.split(" ").slice(1));
  assert.equal((await hooks())[0]!.status, "ok");
});
