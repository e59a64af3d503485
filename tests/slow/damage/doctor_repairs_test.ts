/** `doctor --fix` does in one run what `doctor` offers, and every command that it names helps. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { change } from "../../support/on_home.ts";
import { lookAtSqlite } from "../../../src/upkeep/doctor/program_and_project.ts";
import { isNext } from "../../support/next.ts";
import { privateMounts } from "../../support/private_mounts.ts";
import { runProgram } from "../../support/program.ts";
import { needsUsers } from "../../support/requirements.ts";
import { type Body, type CheckRow, type Stage, stage } from "../../cli/support.ts";
import { namesIn } from "../../support/look.ts";
import { it, testWith } from "../../support/fixtures.ts";

const NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

function rowOf(body: Body, name: string): CheckRow {
  return body.checks.find((row) => row.name === name)!;
}

function capture(place: Stage, id: string, size = 10) {
  const stdin = {
    session_id: "s1",
    tool_name: "Read",
    tool_use_id: id,
    tool_response: "x".repeat(size),
    cwd: "/",
  };
  return place.run(["hook", "PostToolUse"], { stdin });
}

/** A stage on which everything is done by a user who is not root. */
function stageOfNobody(): Stage {
  const place = stage();
  for (const folder of [join(place.home, ".."), place.home, place.project]) {
    Deno.chownSync(folder, 65534, 65534);
  }
  return through(NOBODY, place);
}

/** A stage on which every verb is a process of its own, started through these words. */
function through(words: readonly string[], place: Stage): Stage {
  return {
    ...place,
    run: (args, options) => place.run(args, { through: words, ...options }),
    json: (args, options) => place.json(args, { through: words, ...options }),
    [Symbol.dispose]: place[Symbol.dispose],
  };
}

const test = testWith(stageOfNobody, needsUsers());

test("doctor --fix opens a read-only database and takes in what waits, in one run", async (place) => {
  await capture(place, "first");
  Deno.chmodSync(place.database, 0o400);
  await capture(place, "waits");
  const { stdout } = await place.run(["doctor"]);
  const [, promised] = /`conclaude doctor --fix` can correct (\d+) of them/.exec(stdout)!;
  const before = (await place.json(["doctor"])).body;
  const wrong = ["database", "permissions", "spool"];
  // Other tests may leave records in the temporary folder.
  const faults = before.checks.filter(({ name, status, message }) =>
    wrong.includes(name) && status !== "ok" && !message.includes("for another database")
  );
  assert.equal(Number(promised), faults.length, stdout);

  const { code, body } = await place.json(["doctor", "--fix"]);
  assert.equal(code, 0);
  assert.deepEqual(
    wrong.map((name) =>
      body.checks.filter((row) =>
        row.name === name && row.status !== "ok" && !row.message.includes("for another database")
      ).length
    ),
    [0, 0, 0],
  );
  assert.ok(body.fixed.some((text) => /wrote 1 waiting record/.test(text)), body.fixed.join());
});

Deno.test("doctor offers no repair that needs a database where there is a folder", async () => {
  using place = stage();
  Deno.mkdirSync(place.database, { recursive: true, mode: 0o700 });
  await capture(place, "waits");
  const { stdout } = await place.run(["doctor"]);
  assert.match(stdout, /1 problem, \d/);
  assert.doesNotMatch(stdout, /can correct/);
  const { body } = await place.json(["doctor", "--fix"]);
  assert.deepEqual(body.fixed, []);
  assert.equal(body.checks.filter(({ status }) => status === "fail").length, 1);
  const spool = rowOf(body, "spool");
  assert.match(spool.message, /^1 record is waiting for the database/);
  assert.equal(spool.next, `mv ${place.database} ${place.database}.folder`);
  assert.equal(rowOf(body, "database").next, spool.next);
});

it.users("doctor says which user owns the data folder, and how to get it back", async () => {
  for (const mode of [0o755, 0o700]) {
    using place = stageOfNobody();
    const folder = join(place.home, ".conclaude");
    Deno.mkdirSync(folder);
    Deno.chmodSync(folder, mode);
    const { body } = await place.json(["doctor"]);
    const row = rowOf(body, "home");
    assert.equal(row.status, "fail");
    assert.ok(row.message.includes(`${folder} belongs to another user (number 0)`), row.message);
    assert.doesNotMatch(row.message, /rename/);
    assert.equal(row.next, `sudo chown -R 65534 ${folder}`);
    assert.ok(isNext(row.next));
    assert.deepEqual(namesIn(folder), []);
  }
});

it.mounts("doctor names no place that cannot be written", async () => {
  await using mounts = await privateMounts();
  await mounts.run("mount -o remount,ro /tmp");
  const doctor = async (...args: string[]): Promise<Body> => {
    const through = mounts.through;
    return JSON.parse(
      (await runProgram([...args, "doctor", "--json"], { through, cwd: "/" })).stdout,
    );
  };
  const row = rowOf(await doctor(), "database");
  assert.match(row.message, /\/tmp lies on a read-only file system/);
  assert.match(
    row.next!,
    /^Set CONCLAUDE_DB_PATH to name a file in a folder that this user can write to$/,
  );
  assert.match(
    rowOf(await doctor("--db", "/tmp/x.db"), "database").next!,
    /^Use `--db FILE` to name/,
  );
});

Deno.test("doctor names a table or an index that is gone, and --fix makes it anew and says what is lost", async () => {
  const gone: Record<string, RegExp> = {
    "INDEX observations_by_session": /the index observations_by_session is missing/,
    "INDEX observations_by_same": /the index observations_by_same is missing/,
    "TABLE pending_queue": /the table pending_queue is missing/,
    "TABLE observations": /the table observations is missing/,
    "TABLE meta": /the table meta is missing/,
  };
  for (const [part, says] of Object.entries(gone)) {
    using place = stage();
    await capture(place, "t1");
    await capture(place, "t2");
    change(place.database, "PRAGMA foreign_keys = OFF; DROP " + part);
    const check = await place.run(["db", "check"]);
    assert.equal(check.code, 1);
    const looked = await place.json(["doctor"]);
    assert.equal(looked.code, 1, part);
    assert.match(rowOf(looked.body, "database").message, says, part);
    assert.equal(rowOf(looked.body, "database").next, "conclaude doctor --fix");
    const fixed = await place.json(["doctor", "--fix"]);
    assert.match(fixed.body.fixed.join("\n"), /set the damaged database aside/, part);
    assert.equal(rowOf(fixed.body, "database").status, "ok", part);
    assert.equal((await place.run(["db", "check"])).code, 0, part);
    await capture(place, "t3");
    assert.equal((await place.run(["queue", "drain"])).code, 0, part);
  }
});

Deno.test("doctor --fix puts the schema version back that something has changed, and every row is there", async () => {
  for (const version of [17, 0]) {
    using place = stage();
    await capture(place, "before");
    change(place.database, `PRAGMA user_version = ${version}; PRAGMA wal_checkpoint(TRUNCATE)`);
    await capture(place, "waits");
    const row = rowOf((await place.json(["doctor"])).body, "database");
    assert.match(
      row.message,
      /its tables are those of version \d+ already: something has changed the number/,
    );
    assert.equal(row.next, "conclaude doctor --fix");
    const { body } = await place.json(["doctor", "--fix"]);
    assert.match(body.fixed[0]!, /\d+ tables came back whole \(\d+ rows\)$/);
    assert.equal(rowOf(body, "database").status, "ok");
    const { stdout } = await place.run(["export"]);
    const { captures } = JSON.parse(stdout.trimEnd().split("\n").at(-1)!);
    assert.equal(captures, 2);
  }
});

Deno.test("doctor warns of a SQLite before 3.51.3", () => {
  const cases = { "3.9.0": "warn", "3.50.10": "warn", "3.51.3": "ok", "3.53.2": "ok", "4.0": "ok" };
  for (const [version, status] of Object.entries(cases)) {
    assert.equal(lookAtSqlite(version).status, status, version);
  }
});
