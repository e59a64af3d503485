/** What happens when the database cannot be written: hooks answer as usual, nothing is lost, the log names it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { damages, filesBelow, logOf, query, queryValue, spoolFiles } from "../support/look.ts";
import { change, held } from "../support/on_home.ts";
import { startHook, type StartOptions, startProgram } from "../support/process.ts";
import { observed, type TempHome, tempHome } from "../support/program.ts";
import { closeDatabase, garbage, makeUsedDatabase, spoil } from "../support/spoilt.ts";
import { IS_SLOW_LANE } from "../support/lanes.ts";

const DEADLINE_MS = 10_000;

type Options = Omit<StartOptions, "stdin">;

/** Sends a tool use and holds the program to its promise: the usual answer, in time. */
async function capture(home: TempHome | string, id: string, options: Options = {}) {
  const payload = { session_id: "s1", cwd: "/w", tool_name: "Edit", tool_use_id: id };
  const startedMs = performance.now();
  const { code, stdout, stderr } = await startHook("PostToolUse", payload, home, options);
  assert.ok(performance.now() - startedMs < DEADLINE_MS, "it took too long");
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  const answer = JSON.parse(stdout);
  assert.equal(answer.continue, true);
  assert.equal(answer.suppressOutput, true);
  return answer;
}

/** The tool uses in the order in which they were written. */
function written(place: TempHome | string): unknown[] {
  return query(place, "SELECT tool_use_id AS id FROM pending_queue ORDER BY rowid")
    .map((row) => row["id"]);
}

/** The tool uses that wait, in the order of the file names. */
function waiting(home: TempHome): unknown[] {
  return spoolFiles(home)
    .map((path) => JSON.parse(Deno.readTextFileSync(path)).record.execution.toolUseId);
}

/** A way to make a used database useless, and what the log has to say of it. */
interface Spoilt {
  readonly name: string;
  readonly says: RegExp;
  readonly spoil: (path: string) => void;
}

const foreign = (version: number) => (path: string) => {
  Deno.removeSync(path);
  change(
    path,
    `CREATE TABLE bookmarks (url TEXT);
     INSERT INTO bookmarks VALUES ('https://example.org');
     PRAGMA user_version = ${version}`,
  );
};

const SPOILT: readonly Spoilt[] = [
  {
    name: "a folder in its place",
    says: /unable to open|directory/i,
    spoil: (path) => {
      Deno.removeSync(path);
      Deno.mkdirSync(path);
    },
  },
  ...[10, 4_096, 300_000].map((length) => ({
    name: `${length} bytes of garbage`,
    says: /not a database|malformed/i,
    spoil: (path: string) => Deno.writeFileSync(path, garbage(length)),
  })),
  ...[50, 99, 100, 512, 2_048, 4_096, 5_000, 8_192, 40_000].map((length) => ({
    name: `a file that ends after ${length} bytes`,
    says: /not a database|malformed/i,
    spoil: (path: string) => Deno.truncateSync(path, length),
  })),
  {
    name: "a schema of a newer program",
    says: /schema version 9999.*newer conclaude/,
    spoil: (path) => change(path, "PRAGMA user_version = 9999"),
  },
  ...[0, 3, 6].map((version) => ({
    name: `the database of another program with user_version ${version}`,
    says: /database of another program/,
    spoil: foreign(version),
  })),
];

for (const { name, says, spoil } of SPOILT) {
  Deno.test(`${name}: nothing is touched, nothing is lost, and all is drained afterwards`, async () => {
    using home = tempHome();
    await makeUsedDatabase(home);
    const sound = Deno.readFileSync(home.database);
    spoil(home.database);
    const isFile = Deno.statSync(home.database).isFile;
    const spoilt = isFile ? Deno.readFileSync(home.database) : null;

    await capture(home, "a");
    for (const event of ["SessionStart", "Stop", "Told", "SessionEnd"]) {
      const { code, stderr } = await startHook(event, { session_id: "s1", cwd: "/w" }, home);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    }
    await capture(home, "b");
    assert.deepEqual(waiting(home), ["a", null, null, null, null, "b"]);
    assert.match(logOf(home), says);
    assert.ok(logOf(home).includes(home.database));
    await assertDoctorNames(home);
    if (spoilt !== null) assert.deepEqual(Deno.readFileSync(home.database), spoilt);

    Deno.removeSync(home.database, { recursive: true });
    for (const companion of ["-wal", "-shm"]) {
      await Deno.remove(home.database + companion).catch(() => {});
    }
    Deno.writeFileSync(home.database, sound);
    await capture(home, "c");
    assert.deepEqual(written(home).slice(12), ["a", "b", "c"]);
    assert.deepEqual(spoolFiles(home), []);
    assert.equal(
      queryValue(home, "SELECT value FROM counters WHERE session_id = 's1' AND type = 'edits'"),
      3,
    );
    assert.equal(
      queryValue(home, "SELECT count(*) FROM hook_executions WHERE session_id = 's1'"),
      7,
    );
    assert.deepEqual(damages(home), []);
  });
}

for (const { name, spoil } of SPOILT) {
  Deno.test(`${name}: the person is told when a session begins, in one line`, async () => {
    using home = tempHome();
    await makeUsedDatabase(home);
    spoil(home.database);
    let told = "";
    for (const source of ["startup", "resume"]) {
      const { stdout } = await startHook("SessionStart", { session_id: "s1", source }, home);
      told = stdout === "" ? "" : JSON.parse(stdout).systemMessage ?? "";
      assert.ok(told.includes(home.database), `nothing was said at ${source}: ${stdout}`);
      assert.match(
        told,
        /requirements, pauses and counted stops cannot be known.*`conclaude doctor/,
      );
      assert.doesNotMatch(told, /\n/);
    }
    const { stdout } = await startProgram(["doctor", "--fix", "--json"], {
      env: { HOME: home.path },
    });
    const repaired = JSON.parse(stdout).fixed.length > 0;
    assert.equal(told.includes("`conclaude doctor --fix`"), repaired, told);
    const again = await startHook("SessionStart", { session_id: "s1" }, home);
    assert.equal(again.stdout.includes(home.database), !repaired);
  });
}

/** `doctor` names the database as the cause, and a way out. */
async function assertDoctorNames(home: TempHome): Promise<void> {
  const { stdout } = await startProgram(["doctor", "--json"], { env: { HOME: home.path } });
  const { ok, checks } = JSON.parse(stdout);
  assert.equal(ok, false);
  const failed = checks.filter((check: { status: string }) => check.status === "fail");
  assert.ok(
    failed.some(({ message, next }: { message: string; next: string }) =>
      message.includes(home.database) && next !== ""
    ),
  );
}

Deno.test("wherever a database is damaged, an event is a row or waits in the spool", async () => {
  using home = tempHome();
  await makeUsedDatabase(home);
  const sound = Deno.readFileSync(home.database);
  const pageBytes = Number(queryValue(home, "PRAGMA page_size"));
  const step = pageBytes * (IS_SLOW_LANE ? 1 : 5);
  for (let at = 0; at < sound.length; at += step) {
    for (const companion of ["-wal", "-shm"]) {
      await Deno.remove(home.database + companion).catch(() => {});
    }
    Deno.writeFileSync(home.database, sound);
    spoil(home.database, { at, length: pageBytes });
    const id = `page-at-${at}`;
    await capture(home, id);
    assert.ok(waiting(home).includes(id) || isWritten(home, id), id);
  }
});

/** Looks at the newest row only: the others, and the indexes, may be what is damaged. */
function isWritten(home: TempHome, id: string): boolean {
  try {
    return queryValue(
      home,
      "SELECT tool_use_id FROM pending_queue ORDER BY rowid DESC LIMIT 1",
    ) === id;
  } catch {
    return false;
  }
}

Deno.test("a newer schema is told to the person once a session", async () => {
  using home = tempHome();
  await makeUsedDatabase(home);
  change(home, "PRAGMA user_version = 9999");
  const first = await capture(home, "a");
  assert.match(first.systemMessage, /older than its database.*install the newest/);
  assert.equal((await capture(home, "b")).systemMessage, undefined);
  const other = await startHook("SessionStart", { session_id: "s2" }, home);
  assert.match(JSON.parse(other.stdout).systemMessage, /older than its database/);
});

Deno.test("the write-ahead log of a newer program keeps what only it holds", async () => {
  using home = tempHome();
  await makeUsedDatabase(home);
  const newer = new DatabaseSync(home.database);
  newer.exec("PRAGMA wal_autocheckpoint = 0; PRAGMA user_version = 9999");
  newer.exec("CREATE TABLE of_the_future (a TEXT); INSERT INTO of_the_future VALUES ('kept')");
  // Killed, not closed: its log stays as it is.
  const files = ["", "-wal"].map((end) => Deno.readFileSync(home.database + end));
  newer.close();
  Deno.writeFileSync(home.database, files[0]!);
  Deno.writeFileSync(`${home.database}-wal`, files[1]!);
  await capture(home, "a");
  assert.equal(queryValue(home, "SELECT a FROM of_the_future"), "kept");
  assert.equal(queryValue(home, "PRAGMA user_version"), 9999);
  assert.deepEqual(waiting(home), ["a"]);
});

const LOCKS: Readonly<Record<string, string>> = {
  "an exclusive transaction": "BEGIN EXCLUSIVE",
  "an exclusive connection": "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT",
};
const HELD_MS = IS_SLOW_LANE ? 15_000 : 4_000;

for (const [name, sql] of Object.entries(LOCKS)) {
  Deno.test(`${name} of another process for ${HELD_MS / 1000} s: hooks spool in time and drain afterwards`, async () => {
    using home = tempHome();
    await makeUsedDatabase(home);
    using other = held(home.database, sql);
    const untilMs = performance.now() + HELD_MS;
    const ids: string[] = [];
    while (performance.now() < untilMs) {
      const round = Array.from({ length: 3 }, (_, i) => `${ids.length + i}`);
      await Promise.all([
        ...round.map((id) => capture(home, id)),
        startHook("SessionStart", { session_id: "s1", cwd: "/w" }, home),
      ]);
      ids.push(...round);
    }
    assert.deepEqual(waiting(home).filter((id) => id !== null).toSorted(), ids.toSorted());
    assert.match(logOf(home), /database is locked/);
    other.release();

    await capture(home, "after");
    assert.deepEqual(new Set(written(home).slice(12)), new Set([...ids, "after"]));
    assert.equal(written(home).length, 12 + ids.length + 1);
    assert.deepEqual(spoolFiles(home), []);
  });
}

Deno.test("a hook that may wait as long as the configuration allows still answers in time", async () => {
  using home = tempHome();
  await makeUsedDatabase(home);
  await startHook("SessionStart", { session_id: "gone" }, home, { env: { CLAUDE_PID: "4194000" } });
  change(
    home.database,
    `UPDATE sessions SET status = 'ended', ended_at_ms = 1 WHERE session_id = 'before'`,
  );
  Deno.writeTextFileSync(
    join(home.path, ".conclaude", "config.yaml"),
    "database:\n  busyTimeoutMs: 9000\n",
  );
  using other = held(home.database);
  const startedMs = performance.now();
  const tookMs = await Promise.all(
    ["SessionStart", "SessionEnd", "PostToolUse", "Stop"].map(async (event) => {
      await startHook(event, { session_id: "s1", tool_name: "Bash" }, home, {
        env: { CLAUDE_PID: String(Deno.pid) },
      });
      return [event, performance.now() - startedMs] as const;
    }),
  );
  other.release();
  assert.deepEqual(tookMs.filter(([, ms]) => ms >= DEADLINE_MS), []);
  assert.equal(spoolFiles(home).length, 4);
});

/** A home whose database is a folder, with some tool uses that wait. */
async function homeWithSpool(home: TempHome, ids: readonly string[]): Promise<void> {
  Deno.mkdirSync(home.database, { recursive: true });
  for (const id of ids) await capture(home, id);
  assert.deepEqual(waiting(home), ids);
}

Deno.test("queue drain writes what waits, once and in order", async () => {
  using home = tempHome();
  await homeWithSpool(home, ["a", "b", "c"]);
  Deno.removeSync(home.database);
  const env = { HOME: home.path };
  const { code, stderr } = await startProgram(["queue", "drain", "--json"], { env });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.deepEqual(written(home), ["a", "b", "c"]);
  assert.deepEqual(spoolFiles(home), []);
  await startProgram(["queue", "drain", "--json"], { env });
  assert.equal(queryValue(home, "SELECT value FROM counters WHERE type = 'edits'"), 3);
});

Deno.test("a record that was written but not yet cleared away is not written again", async () => {
  using home = tempHome();
  await homeWithSpool(home, ["a", "b"]);
  const copies = spoolFiles(home).map((path) => [path, Deno.readTextFileSync(path)] as const);
  Deno.removeSync(home.database);
  await capture(home, "c");
  for (const [path, text] of copies) Deno.writeTextFileSync(path, text);
  await capture(home, "d");
  assert.deepEqual(written(home), ["a", "b", "c", "d"]);
  assert.equal(queryValue(home, "SELECT value FROM counters WHERE type = 'edits'"), 4);
  assert.deepEqual(filesBelow(join(home.path, ".conclaude", "spool")), []);
});

Deno.test("many hooks that drain at once write each record once", async () => {
  using home = tempHome();
  Deno.mkdirSync(home.database, { recursive: true });
  await capture(home, "0");
  const [first] = spoolFiles(home);
  const text = Deno.readTextFileSync(first!);
  for (let i = 1; i < 400; i++) {
    const { record } = JSON.parse(text);
    // None of them may be the first one's own id by chance.
    const id = record.id.slice(0, -12) + String(i).padStart(12, "0");
    Deno.writeTextFileSync(
      first!.replace(record.id, id),
      text.replaceAll(record.id, id).replaceAll('"toolUseId":"0"', `"toolUseId":"${i}"`),
    );
  }
  Deno.removeSync(home.database);
  await Promise.all(Array.from({ length: 12 }, (_, i) => capture(home, `live-${i}`)));
  // Hooks leave the rest to the next one when their time is over, as on a busy machine.
  await startProgram(["queue", "drain", "--json"], { env: { HOME: home.path } });
  assert.deepEqual(spoolFiles(home), []);
  assert.equal(queryValue(home, "SELECT count(*) FROM pending_queue"), 412);
  assert.equal(queryValue(home, "SELECT value FROM counters WHERE type = 'edits'"), 412);
  assert.equal(filesBelow(join(home.path, ".conclaude", "spool")).length, 0);
});

Deno.test("a damaged spool file is set aside as it is, the others are drained", async () => {
  using home = tempHome();
  await homeWithSpool(home, ["a", "b"]);
  const [first, second] = spoolFiles(home);
  const whole = Deno.readTextFileSync(second!);
  const changed = (change: (entry: ReturnType<typeof JSON.parse>) => void) => {
    const entry = JSON.parse(whole);
    change(entry);
    return JSON.stringify(entry);
  };
  const texts = [
    "",
    "garbage",
    "null",
    "[]",
    "{}",
    whole.slice(0, -40),
    changed((entry) => entry.format = 0),
    changed((entry) => delete entry.record),
    changed((entry) => entry.record.execution = null),
    changed((entry) => entry.record.execution.status = "unheard of"),
    changed((entry) => entry.record.atMs = "soon"),
    changed((entry) => entry.record.sessionId = null),
  ];
  const paths = texts.map((text, i) => {
    const path = first!.replace(/[^/]{8}(?=-[^/]*$)/, (0x10000000 + i).toString(16));
    Deno.writeTextFileSync(path, text);
    return path;
  });
  Deno.removeSync(home.database);
  await capture(home, "c");
  assert.deepEqual(written(home), ["a", "b", "c"]);
  assert.deepEqual(spoolFiles(home), []);
  for (const [i, path] of paths.entries()) {
    assert.equal(Deno.readTextFileSync(`${path}.damaged`), texts[i]);
  }
  await capture(home, "d");
  assert.deepEqual(written(home), ["a", "b", "c", "d"]);
});

Deno.test("what waits for one database does not go into another", async () => {
  using home = tempHome();
  await homeWithSpool(home, ["a"]);
  const other = join(home.path, "other.db");
  await capture(home, "b", { env: { CONCLAUDE_DB_PATH: other } });
  assert.deepEqual(written(other), ["b"]);
  assert.deepEqual(waiting(home), ["a"]);
  Deno.removeSync(home.database);
  await capture(home, "c");
  assert.deepEqual(written(home), ["a", "c"]);
});

Deno.test("what waits in a home that is moved then goes into its database where it lies now", async () => {
  using home = tempHome();
  using moved = tempHome();
  await homeWithSpool(home, ["a", "b"]);
  Deno.renameSync(join(home.path, ".conclaude"), join(moved.path, ".conclaude"));
  Deno.removeSync(moved.database);
  await capture(moved, "c");
  assert.deepEqual(written(moved), ["a", "b", "c"]);
  assert.deepEqual(spoolFiles(moved), []);
});

Deno.test("half-written files and strangers in the spool do no harm", async () => {
  using home = tempHome();
  await homeWithSpool(home, ["a"]);
  const folder = join(home.path, ".conclaude", "spool");
  const strangers = [`${spoolFiles(home)[0]!}.0123abcd.tmp`, join(folder, "notes.txt")];
  for (const path of strangers) Deno.writeTextFileSync(path, "{");
  Deno.mkdirSync(join(folder, "folder.json"));
  Deno.removeSync(home.database);
  await capture(home, "b");
  assert.deepEqual(written(home), ["a", "b"]);
});

Deno.test("a file where the spool should be: the second place takes what the database cannot", async () => {
  using home = tempHome();
  Deno.mkdirSync(home.database, { recursive: true });
  Deno.writeTextFileSync(join(home.path, ".conclaude", "spool"), "in the way");
  await capture(home, "a");
  await capture(home, "b");
  Deno.removeSync(home.database);
  await capture(home, "c");
  assert.deepEqual(written(home), ["a", "b", "c"]);
});

Deno.test("a database that is gone during a session is made anew, and the old one is not held against it", async () => {
  using home = tempHome();
  await makeUsedDatabase(home);
  Deno.removeSync(home.database);
  await capture(home, "a");
  assert.deepEqual(written(home), ["a"]);
  closeDatabase(home.database);
  assert.deepEqual(damages(home), []);
});

Deno.test("a database that was truncated to nothing keeps its log, and the event waits", async () => {
  using home = tempHome();
  // The first one makes the tables, and empties the long log of that itself.
  await startHook("PostToolUse", observed("PostToolUse.Bash"), home);
  await startHook("PostToolUse", observed("PostToolUse.Bash"), home);
  const log = Deno.readFileSync(`${home.database}-wal`);
  assert.ok(log.length > 0);
  Deno.truncateSync(home.database, 0);
  const { code, stdout } = await startHook("PostToolUse", observed("PostToolUse.Bash"), home);
  assert.deepEqual([code, JSON.parse(stdout)], [0, { continue: true, suppressOutput: true }]);
  assert.deepEqual(Deno.readFileSync(`${home.database}-wal`), log);
  assert.match(Deno.readTextFileSync(join(home.path, ".conclaude", "conclaude.log")), /truncated/);
});
