/** Hooks whose database is of no use: they answer as usual, nothing is lost, the log names it. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { capture, waiting, written } from "../support/captured_edits.ts";
import { someOf } from "../support/lanes.ts";
import { damages, executions, logOf, queryValue, spoolFiles } from "../support/look.ts";
import { change, printed } from "../support/on_home.ts";
import { hook, runProgram, type TempHome, tempHome } from "../support/program.ts";
import { closeDatabase, garbage, makeUsedDatabase, spoil } from "../support/spoilt.ts";
import { testWith } from "../support/fixtures.ts";
import { RequiredProject, SESSION } from "../support/required_project.ts";
import { PAGE_BYTES, pagesOf } from "../support/worked_database.ts";

/** A way to make a used database useless, and what the log has to say of it. */
type Spoilt = Readonly<{ name: string; says: RegExp; spoil: (path: string) => void }>;

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
  ...someOf([4_096, 10, 300_000], 1).map((length) => ({
    name: `${length} bytes of garbage`,
    says: /not a database|malformed/i,
    spoil: (path: string) => Deno.writeFileSync(path, garbage(length)),
  })),
  ...someOf([50, 99, 100, 512, 2_048, 4_096, 5_000, 8_192, 40_000], 3).map((length) => ({
    name: `a file that ends after ${length} bytes`,
    says: /not a database|malformed/i,
    spoil: (path: string) => Deno.truncateSync(path, length),
  })),
  {
    name: "a schema of a newer program",
    says: /schema version 9999.*newer conclaude/,
    spoil: (path) => change(path, "PRAGMA user_version = 9999"),
  },
  ...someOf([0, 3, 6], 1).map((version) => ({
    name: `the database of another program with user_version ${version}`,
    says: /database of another program/,
    spoil: foreign(version),
  })),
];

const test = testWith(tempHome);

for (const { name, says, spoil } of SPOILT) {
  test.sized(`${name}: nothing is touched, nothing is lost, and all is drained afterwards`, async (home) => {
    await makeUsedDatabase(home);
    const sound = Deno.readFileSync(home.database);
    spoil(home.database);
    const isFile = Deno.statSync(home.database).isFile;
    const spoilt = isFile ? Deno.readFileSync(home.database) : null;

    await capture(home, "a");
    for (const event of ["SessionStart", "Stop", "Told", "SessionEnd"]) {
      const { code, stderr } = await hook(event, { session_id: "s1", cwd: "/w" }, home);
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
  test.sized(`${name}: the person is told when a session begins, in one line`, async (home) => {
    await makeUsedDatabase(home);
    spoil(home.database);
    let told = "";
    for (const source of ["startup", "resume"]) {
      const { stdout } = await hook("SessionStart", { session_id: "s1", source }, home);
      told = stdout === "" ? "" : JSON.parse(stdout).systemMessage ?? "";
      assert.ok(told.includes(home.database), `nothing was said at ${source}: ${stdout}`);
      assert.match(
        told,
        /requirements, pauses, counted stops and what commands change of protected files cannot be known.*`conclaude doctor/,
      );
      assert.doesNotMatch(told, /\n/);
    }
    const { stdout } = await runProgram(["doctor", "--fix", "--json"], {
      env: { HOME: home.path },
    });
    const repaired = JSON.parse(stdout).fixed.length > 0;
    assert.equal(told.includes("`conclaude doctor --fix`"), repaired, told);
    const again = await hook("SessionStart", { session_id: "s1" }, home);
    assert.equal(again.stdout.includes(home.database), !repaired);
  });
}

/** `doctor` names the database as the cause, and a way out. */
async function assertDoctorNames(home: TempHome): Promise<void> {
  const { stdout } = await runProgram(["doctor", "--json"], { env: { HOME: home.path } });
  const { ok, checks } = JSON.parse(stdout);
  assert.equal(ok, false);
  const failed = checks.filter((check: { status: string }) => check.status === "fail");
  assert.ok(
    failed.some(({ message, next }: { message: string; next: string }) =>
      message.includes(home.database) && next !== ""
    ),
  );
}

test("wherever a database is damaged, an event is a row or waits in the spool", async (home) => {
  await makeUsedDatabase(home);
  const sound = Deno.readFileSync(home.database);
  const pageBytes = Number(queryValue(home, "PRAGMA page_size"));
  for (let at = 0; at < sound.length; at += pageBytes) {
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

test("a newer schema is told to the person once a session", async (home) => {
  await makeUsedDatabase(home);
  change(home, "PRAGMA user_version = 9999");
  const first = await capture(home, "a");
  assert.match(first.systemMessage, /older than its database.*install the newest/);
  assert.equal((await capture(home, "b")).systemMessage, undefined);
  const other = await hook("SessionStart", { session_id: "s2" }, home);
  assert.match(JSON.parse(other.stdout).systemMessage, /older than its database/);
});

test("the write-ahead log of a newer program keeps what only it holds", async (home) => {
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

test("a database that is gone during a session is made anew, and the old one is not held against it", async (home) => {
  await makeUsedDatabase(home);
  Deno.removeSync(home.database);
  await capture(home, "a");
  assert.deepEqual(written(home), ["a"]);
  closeDatabase(home.database);
  assert.deepEqual(damages(home), []);
});

Deno.test("a damaged table takes only its own part of an answer, which says so; each event is kept once", async () => {
  using project = new RequiredProject("requirements: {commit_plan: {}}\n");
  const { home } = project;
  await project.send("SessionStart", { source: "startup", session_id: "before" });
  await printed(home, project.path, "memory", "remember", "The port of the harbour is 5400");
  closeDatabase(home.database);
  for (const page of pagesOf(home.database, "requirements", "leaf")) {
    spoil(home.database, { at: (page - 1) * PAGE_BYTES, length: PAGE_BYTES });
  }
  const missing = /what requirements are open cannot be told \(.+\)\. Run `conclaude doctor --fix`/;
  const started = JSON.stringify(await project.send("SessionStart", { source: "startup" }));
  assert.match(started, missing);
  assert.match(started, /The port of the harbour is 5400/);
  const prompted = await project.send("UserPromptSubmit", { prompt: "Please implement the plan" });
  assert.match(JSON.stringify(prompted), missing);
  assert.match(logOf(home), /hook UserPromptSubmit: what requirements are open cannot be told/);
  await runProgram(["doctor", "--fix"], { env: { HOME: home.path }, cwd: project.path });
  const kept = executions(home).filter(({ session_id }) => session_id === SESSION)
    .map(({ hook_name, status }) => [hook_name, status]);
  assert.deepEqual(kept, [["SessionStart", "success"], ["UserPromptSubmit", "success"]]);
});
