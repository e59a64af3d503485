/** A migration that drops anything: the copy that is made before, and who makes it. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "../../migrations/mod.ts";
import { openDatabase } from "../../src/db/database.ts";
import { APPLICATION_ID, SCHEMA_VERSION } from "../../src/db/transaction.ts";
import { namesIn } from "../support/look.ts";
import { spawnProgram } from "../support/process.ts";
import { hook, runProgram, tempHome } from "../support/program.ts";
import { pause } from "../support/wait.ts";
import { it } from "../support/fixtures.ts";
import { sizeOf } from "../support/lanes.ts";

/** The schema before the last migration that drops anything. */
const BEFORE = MIGRATIONS.findLast(({ drops }) => drops)!.version - 1;

/** Makes a database as the program of that schema left it. @param megabytes Of text that it holds. */
function olderDatabase(path: string, megabytes = 0): void {
  using db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = WAL");
  for (const { sql } of MIGRATIONS.slice(0, BEFORE)) db.exec(sql);
  db.exec(`PRAGMA user_version = ${BEFORE}; PRAGMA application_id = ${APPLICATION_ID}`);
  const add = db.prepare("INSERT INTO meta (key, value) VALUES (?, printf('%.*c', ?, 'x'))");
  for (let at = 0; at < megabytes; at += 100) add.run(`text ${at}`, Math.min(100, megabytes) * 1e6);
  add.run("kept", 3);
}

function temporaryFolder(): AsyncDisposable & { readonly path: string } {
  const path = Deno.makeTempDirSync({ prefix: "conclaude-schema-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

function look(path: string) {
  using db = new DatabaseSync(path, { readOnly: true });
  const ask = (sql: string) => Object.values(db.prepare(sql).get() ?? {})[0];
  return {
    version: ask("PRAGMA user_version"),
    kept: ask("SELECT value FROM meta WHERE key = 'kept'"),
    isSound: ask("PRAGMA quick_check") === "ok",
  };
}

Deno.test("a migration that drops anything makes a private copy first, and removes older copies", async () => {
  await using folder = temporaryFolder();
  const path = `${folder.path}/conclaude.db`;
  olderDatabase(path);
  Deno.writeTextFileSync(`${path}.schema-3`, "an older copy");
  Deno.writeTextFileSync(`${path}.schema-${BEFORE}.draft`, "of a process that was killed");
  const told: number[] = [];
  const db = await openDatabase(path, { busyTimeoutMs: 100, onCopy: (bytes) => told.push(bytes) });
  db.close();
  const copy = `${path}.schema-${BEFORE}`;
  const copies = namesIn(folder.path).filter((name) => name.includes("schema"));
  assert.deepEqual(copies, [`conclaude.db.schema-${BEFORE}`]);
  assert.deepEqual(look(path), { version: SCHEMA_VERSION, kept: "xxx", isSound: true });
  assert.deepEqual(look(copy), { version: BEFORE, kept: "xxx", isSound: true });
  assert.equal(Deno.statSync(copy).mode! & 0o777, 0o600);
  assert.ok(told.length === 1 && told[0]! > 100_000, String(told));
});

Deno.test("a hook leaves a database that is too large to copy at once as it is", async () => {
  await using folder = temporaryFolder();
  const path = `${folder.path}/conclaude.db`;
  olderDatabase(path);
  const opening = openDatabase(path, { busyTimeoutMs: 100, maxCopyBytes: 1_000 });
  await assert.rejects(opening, { name: "SchemaBehindError" });
  assert.deepEqual(look(path), { version: BEFORE, kept: "xxx", isSound: true });
  const tooOld = namesIn(folder.path).filter((name) => name.includes("schema"));
  assert.deepEqual(tooOld, []);
});

Deno.test("beside a large database hooks spool, and the drain brings it up to date with their events", async () => {
  using home = tempHome();
  Deno.mkdirSync(`${home.path}/.conclaude`, { mode: 0o700 });
  olderDatabase(home.database, 40);
  const event = {
    session_id: "s",
    tool_name: "Bash",
    tool_input: { command: "ls" },
    cwd: home.path,
  };
  const { stdout } = await hook("PostToolUse", event, home.path);
  assert.match(stdout, /is brought up to date after this turn\. Until then events wait/);
  assert.equal(look(home.database).version, BEFORE);
  await hook("Drain", event, home.path);
  assert.equal(look(home.database).version, SCHEMA_VERSION);
  using db = new DatabaseSync(home.database, { readOnly: true });
  const { n } = db.prepare("SELECT count(*) AS n FROM hook_executions").get()!;
  assert.equal(n, 1);
});

/** How large the database is that is killed while it is copied, in megabytes, and what is told of it. */
const { megabytes, told } = sizeOf({
  fast: { megabytes: 0, told: /^/ },
  slow: {
    megabytes: 300,
    told: /Copying the database \(300\.\d MB\) before it is brought up to date/,
  },
  whole: {
    megabytes: 1_000,
    told: /Copying the database \(1\.0 GB\) before it is brought up to date/,
  },
});

it.slow("a large copy that is killed leaves the database as it was, and is made by the next drain", async () => {
  using home = tempHome();
  Deno.mkdirSync(`${home.path}/.conclaude`, { mode: 0o700 });
  olderDatabase(home.database, megabytes);
  const copy = `${home.database}.schema-${BEFORE}`;
  const drafts = () => namesIn(`${home.path}/.conclaude`).filter((name) => name.endsWith(".draft"));
  const child = spawnProgram(["queue", "drain"], { env: { HOME: home.path } });
  while (drafts().length === 0) await pause(1);
  await pause(50);
  child.kill("SIGKILL");
  await Promise.all([child.output(), child.stdin.close()]);
  assert.deepEqual(look(home.database), { version: BEFORE, kept: "xxx", isSound: true });
  assert.throws(() => Deno.statSync(copy));
  const { code, stderr } = await runProgram(["queue", "drain"], { env: { HOME: home.path } });
  assert.equal(code, 0, stderr);
  assert.match(stderr, told);
  assert.deepEqual(drafts(), []);
  assert.deepEqual(look(home.database), { version: SCHEMA_VERSION, kept: "xxx", isSound: true });
  assert.deepEqual(look(copy), { version: BEFORE, kept: "xxx", isSound: true });
});
