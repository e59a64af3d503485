/** Full and read-only file systems, homes that are none, and places where nothing can be written at all. */
import assert from "node:assert/strict";
import { filesBelow, namesIn } from "../support/look.ts";
import { written as capturesWritten } from "../support/captured_edits.ts";
import { answerOf, startProgram } from "../support/process.ts";
import { INNER_HOME, type PrivateMounts, privateMounts } from "../support/private_mounts.ts";
import { needsExecutable, needsMounts, testWhere } from "../support/requirements.ts";
import { it, testWith } from "../support/fixtures.ts";

const SILENT = { continue: true, suppressOutput: true };
const IN_HOME = { HOME: INNER_HOME };
const FULL = "/mnt/full";
const uid = Deno.uid();

/** Sends a tool use inside. @returns The answer. */
async function capture(place: PrivateMounts, id: string, env: Record<string, string> = IN_HOME) {
  const stdin = { session_id: "s1", cwd: "/w", tool_name: "Edit", tool_use_id: id };
  return await send(place, ["hook", "PostToolUse"], { stdin, env });
}

async function send(
  place: PrivateMounts,
  args: readonly string[],
  { stdin, env = IN_HOME }: { readonly stdin: object; readonly env?: Record<string, string> },
) {
  const startedMs = performance.now();
  const finished = await startProgram(args, { stdin, env, cwd: "/", through: place.through });
  assert.ok(performance.now() - startedMs < 10_000, "it took too long");
  return answerOf(finished);
}

/** The tool uses in a database inside, in the order in which they were written. */
function written(place: PrivateMounts, database: string): unknown[] {
  return capturesWritten(place.copyOut(database));
}

/** The files that wait in the second spool place. */
function waiting(place: PrivateMounts): string[] {
  return filesBelow(place.outside(`/tmp/conclaude-${uid}/spool`));
}

function secondLog(place: PrivateMounts): string {
  return Deno.readTextFileSync(place.outside(`/tmp/conclaude-${uid}/conclaude.log`));
}

const fill = (folder: string) =>
  `dd if=/dev/zero of=${folder}/filler bs=4k 2>/dev/null || true
  cp ${folder}/filler ${folder}/rest 2>/dev/null || true`;
const free = (folder: string) => `rm -f ${folder}/filler ${folder}/rest`;

const HOME_DATABASE = `${INNER_HOME}/.conclaude/conclaude.db`;

/** Tests with mounts that were prepared by a script of shell commands. */
const testAfter = (script: string) => testWith(() => privateMounts(script), needsMounts());
const test = testWith(() => privateMounts(), needsMounts());

test("with a full disk below the home, the second spool place keeps the events", async (place) => {
  await capture(place, "before");
  await place.run(fill(INNER_HOME));
  const ids = ["a", "b", "c"];
  for (const id of ids) assert.deepEqual(await capture(place, id), SILENT);
  await send(place, ["hook", "SessionStart"], { stdin: { session_id: "s1" } });
  const isKept = (id: string) => written(place, HOME_DATABASE).includes(id);
  assert.equal(waiting(place).length, 1 + ids.filter((id) => !isKept(id)).length);
  assert.match(secondLog(place), /full|disk I\/O error|No space/);

  await place.run(free(INNER_HOME));
  await capture(place, "after");
  assert.deepEqual(written(place, HOME_DATABASE), ["before", ...ids, "after"]);
  assert.deepEqual(waiting(place), []);
});

test("a disk that is full from the first hook on", async (place) => {
  await place.run(fill(INNER_HOME));
  for (const id of ["a", "b"]) assert.deepEqual(await capture(place, id), SILENT);
  assert.equal(waiting(place).length, 2);
  await place.run(free(INNER_HOME));
  await capture(place, "after");
  assert.deepEqual(written(place, HOME_DATABASE), ["a", "b", "after"]);
});

testAfter(`mkdir ${FULL} && mount -t tmpfs -o size=1200k tmpfs ${FULL}`).slow(
  "a full disk below the database alone: the spool in the home is used",
  async (place) => {
    const env = { ...IN_HOME, CONCLAUDE_DB_PATH: `${FULL}/c.db` };
    await capture(place, "before", env);
    await place.run(fill(FULL));
    // More than the log that is there already can take.
    const ids = Array.from({ length: 8 }, (_, i) => `use-${i}`);
    for (const id of ids) assert.deepEqual(await capture(place, id, env), SILENT);
    assert.ok(filesBelow(place.outside(`${INNER_HOME}/.conclaude/spool`)).length > 0);
    await place.run(free(FULL));
    await capture(place, "after", env);
    assert.deepEqual(written(place, `${FULL}/c.db`), ["before", ...ids, "after"]);
  },
);

test("a read-only home that has a database: drained from the second place", async (place) => {
  await capture(place, "before");
  await place.run(`mount -o remount,ro ${INNER_HOME}`);
  const spoilt = Deno.readFileSync(place.outside(HOME_DATABASE));
  for (const id of ["a", "b"]) assert.deepEqual(await capture(place, id), SILENT);
  await send(place, ["hook", "SessionEnd"], { stdin: { session_id: "s1" } });
  assert.equal(waiting(place).length, 3);
  assert.match(secondLog(place), /readonly|read-only|unable to open/i);
  assert.deepEqual(Deno.readFileSync(place.outside(HOME_DATABASE)), spoilt);
  await place.run(`mount -o remount,rw ${INNER_HOME}`);
  await capture(place, "after");
  assert.deepEqual(written(place, HOME_DATABASE), ["before", "a", "b", "after"]);
  assert.deepEqual(waiting(place), []);
});

test.slow("queue drain takes in what waits in the second place", async (place) => {
  await place.run(`mkdir -p ${HOME_DATABASE} && mount -o remount,ro ${INNER_HOME}`);
  for (const id of ["a", "b"]) await capture(place, id);
  assert.equal(waiting(place).length, 2);
  await place.run(`mount -o remount,rw ${INNER_HOME} && rmdir ${HOME_DATABASE}`);
  await send(place, ["queue", "drain", "--json"], { stdin: {} });
  assert.deepEqual(written(place, HOME_DATABASE), ["a", "b"]);
  assert.deepEqual(waiting(place), []);
});

test.slow("records that a read-only disk cannot remove are written once, and delay nobody", async (place) => {
  const env = { ...IN_HOME, CONCLAUDE_DB_PATH: "/mnt/c.db" };
  await place.run("mkdir /mnt/c.db");
  await capture(place, "a", env);
  await place.run(`rmdir /mnt/c.db && mount -o remount,ro ${INNER_HOME}`);
  for (const id of ["b", "c", "d"]) assert.deepEqual(await capture(place, id, env), SILENT);
  assert.deepEqual(written(place, "/mnt/c.db"), ["a", "b", "c", "d"]);
  assert.deepEqual(waiting(place), []);
});

const NO_HOMES: Readonly<Record<string, Record<string, string>>> = {
  "no HOME": {},
  "an empty HOME": { HOME: "" },
  "HOME=/proc/nope": { HOME: "/proc/nope" },
  "a HOME that is a file": { HOME: "/mnt/file" },
  "a HOME on a read-only disk": { HOME: "/mnt/read-only" },
};
const PREPARE_NO_HOMES =
  "echo x >/mnt/file; mkdir /mnt/read-only; mount -t tmpfs -o ro tmpfs /mnt/read-only";

for (const [name, env] of Object.entries(NO_HOMES)) {
  // Deno itself, with which the bundle is run, does not start there.
  const missing = name === "a HOME that is a file" ? needsExecutable() : null;
  testWhere(
    needsMounts() ?? missing,
    `${name}: the database is /tmp/conclaude.db, and private`,
    async () => {
      await using place = await privateMounts(PREPARE_NO_HOMES);
      const before = namesIn(place.outside("/tmp"));
      assert.deepEqual(await capture(place, "a", env), SILENT);
      assert.deepEqual(await capture(place, "b", env), SILENT);
      assert.deepEqual(written(place, "/tmp/conclaude.db"), ["a", "b"]);
      assert.equal(Deno.statSync(place.outside("/tmp/conclaude.db")).mode! & 0o777, 0o600);
      assert.deepEqual(
        namesIn(place.outside("/tmp")).filter((name) => !before.includes(name)),
        [`conclaude-${uid}`, "conclaude.db", "conclaude.db-shm", "conclaude.db-wal"],
      );
    },
  );
}

for (const withConfig of [false, true]) {
  const configured = withConfig ? ", also with a configuration" : "";
  const title = `a /tmp/conclaude.db of another user, or a link, is not used${configured}`;
  testAfter("mkdir /mnt/project")(title, async (place) => {
    const env = { CLAUDE_PROJECT_DIR: "/mnt/project" };
    if (withConfig) {
      Deno.writeTextFileSync(place.outside("/mnt/project/.conclaude.yaml"), "store: {}\n");
    }
    await place.run("echo -n >/mnt/victim; ln -s /mnt/victim /tmp/conclaude.db");
    await capture(place, "a", env);
    assert.equal(Deno.statSync(place.outside("/mnt/victim")).size, 0);
    assert.equal(waiting(place).length, 1);

    await place.run("rm /tmp/conclaude.db; touch /tmp/conclaude.db; chown 12345 /tmp/conclaude.db");
    await capture(place, "b", env);
    assert.equal(Deno.statSync(place.outside("/tmp/conclaude.db")).size, 0);
    assert.equal(waiting(place).length, 2);

    await place.run("rm /tmp/conclaude.db");
    await capture(place, "c", env);
    assert.deepEqual(written(place, "/tmp/conclaude.db"), ["a", "b", "c"]);
  });
}

const NOTHING_WRITABLE = [INNER_HOME, "/tmp", "/var/tmp", "/run"]
  .map((folder) => `mount -o remount,ro ${folder}`).join("\n");

testAfter(NOTHING_WRITABLE)(
  "where nothing can be written the person is told each time",
  async (place) => {
    for (const id of ["a", "b"]) {
      const answer = await capture(place, id);
      assert.equal(answer.continue, true);
      assert.match(answer.systemMessage, /cannot record this session.*conclaude doctor/s);
    }
    const atStart = await send(place, ["hook", "SessionStart"], { stdin: { session_id: "s1" } });
    assert.match(atStart.systemMessage, /cannot record/);
    assert.equal(await send(place, ["hook", "Stop"], { stdin: { stop_hook_active: true } }), null);
  },
);

const MARKER_ALONE = `${NOTHING_WRITABLE}\nmount -o remount,rw /var/tmp`;
testAfter(MARKER_ALONE)(
  "where only a marker can be written the person is told once a session",
  async (place) => {
    assert.match((await capture(place, "a")).systemMessage, /cannot record this session/);
    for (const id of ["b", "c"]) assert.deepEqual(await capture(place, id), SILENT);
    const stdin = { session_id: "another" };
    const other = await send(place, ["hook", "SessionStart"], { stdin });
    assert.match(other.systemMessage, /cannot record this session/);
    assert.equal(await send(place, ["hook", "SessionEnd"], { stdin }), null);
  },
);

const SPOOL_OF_ANOTHER = `mkdir -p -m 777 /tmp/conclaude-${uid}/spool
  chown -R 12345 /tmp/conclaude-${uid}
  mkdir -p ${HOME_DATABASE}
  mount -o remount,ro ${INNER_HOME}`;
testAfter(SPOOL_OF_ANOTHER)(
  "a second spool place that another user made is not trusted",
  async (place) => {
    assert.match((await capture(place, "a")).systemMessage, /cannot record this session/);
    assert.deepEqual(waiting(place), []);

    // Nor is what lies there taken in, when the database is well again.
    await place.run(`mount -o remount,rw ${INNER_HOME} && rmdir ${HOME_DATABASE}`);
    await capture(place, "b");
    assert.deepEqual(written(place, HOME_DATABASE), ["b"]);
  },
);

test("db backup on a read-only file system names a way out that works", async (place) => {
  await capture(place, "one");
  const options = { through: place.through, env: IN_HOME, cwd: "/" };
  assert.equal((await startProgram(["db", "checkpoint", "--mode", "truncate"], options)).code, 0);
  await place.run(`mount -o remount,ro ${INNER_HOME}`);
  const { code, stderr } = await startProgram(["db", "backup"], options);
  assert.equal(code, 1);
  const [, next] = /next: (cp .+)\n/.exec(stderr) ?? [];
  assert.ok(next !== undefined, stderr);
  await place.run(next);
  const checked = await startProgram(["--db", "/tmp/conclaude.db", "db", "check"], options);
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  assert.equal((await startProgram(["db", "backup", "/tmp/b.db"], options)).code, 0);
});

const MOUNT = `mount -o remount,ro ${INNER_HOME}`;
const FILL = `dd if=/dev/zero of=${INNER_HOME}/filler bs=1k 2>/dev/null || true`;
const PLACES = { "mounted read-only": MOUNT, "full": FILL };

for (const [place, close] of Object.entries(PLACES)) {
  it.mounts(`a database on a disk that is ${place} is searched and exported`, async () => {
    await using inside = await privateMounts();
    const say = async (...args: string[]) =>
      await startProgram(args, { env: { HOME: INNER_HOME }, cwd: "/", through: inside.through });
    assert.equal((await say("memory", "remember", "the cache key holds the tenant")).code, 0);
    // As a checkpoint leaves it: without the files that a reader finds its way by.
    assert.equal((await say("db", "vacuum")).code, 0);
    await inside.run(`rm -f ${INNER_HOME}/.conclaude/*-wal ${INNER_HOME}/.conclaude/*-shm`);
    await inside.run(close);
    for (const args of [["memory", "search", "tenant"], ["memory", "show", "1"], ["export"]]) {
      const { code, stdout, stderr } = await say(...args);
      assert.deepEqual({ args, code }, { args, code: 0 });
      assert.match(stdout, /the cache key holds the tenant/);
      assert.match(stderr, /cannot be written.*read from a copy/);
    }
    const refused = await say("memory", "remember", "another");
    assert.deepEqual([refused.code, refused.stdout], [1, ""]);
    assert.match(refused.stderr, /Cannot open the database[^]*nothing was changed/);
    const left = Array.from(Deno.readDirSync(inside.outside("/tmp")), ({ name }) => name);
    assert.deepEqual(left.filter((name) => name.startsWith("conclaude-nameless-")), []);
  });
}
