import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { besideDatabase, daemonVerb, runDaemon } from "../support/daemon.ts";
import { spawnProgram, startProgram } from "../support/process.ts";
import { runProgram, tempHome } from "../support/program.ts";
import { until } from "../support/wait.ts";
import { modeOf } from "../support/look.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import { DatabaseSync } from "node:sqlite";
import CASES from "../testdata/process_cases.json" with { type: "json" };

const test = testWith(tempHome);

test("a second daemon of a database is refused and told who holds it, and the first is unharmed", async (home) => {
  await using daemon = await runDaemon(home);
  const env = { HOME: home.path };
  const { code, error } = await daemonVerb(home, "run");
  assert.equal(code, 1);
  assert.equal(error.what, "Database locked by another process");
  assert.match(error.why, new RegExp(`process id ${daemon.pid} has held it since 20`));
  assert.match(error.next, /^conclaude .*daemon stop$/);
  assert.equal((await daemon.ask("GET", "/health")).status, 200);
  const link = join(home.path, "link.db");
  Deno.symlinkSync(home.database, link);
  const third = await startProgram(["--db", link, "daemon", "run"], { env });
  assert.equal(third.code, 1, "a link to the database is the same database");
  const { pid, running } = await daemonVerb(home, "status");
  assert.deepEqual([pid, running], [daemon.pid, true]);
});

test("files of a killed daemon do not keep the next one from starting", async (home) => {
  {
    await using daemon = await runDaemon(home);
    daemon.child.kill("SIGKILL");
    await daemon.left;
  }
  const before = JSON.parse(Deno.readTextFileSync(besideDatabase(home, "daemon.json")));
  assert.equal((await daemonVerb(home, "status")).running, false);
  // Its number has been given to another process since.
  const reused = { ...before, pid: Deno.pid };
  Deno.writeTextFileSync(besideDatabase(home, "daemon.json"), JSON.stringify(reused));
  await using next = await runDaemon(home);
  assert.equal((await next.ask("GET", "/status")).body.pid, next.pid);
});

test.slow("when several daemons start at the same moment, one of them serves", async (home) => {
  const started = Array.from(
    { length: 4 },
    () => spawnProgram(["daemon", "run"], { env: { HOME: home.path } }),
  );
  const codes: number[] = [];
  for (const child of started) {
    child.status.then(({ code }) => codes.push(code));
  }
  await until("three have left", () => codes.length >= 3);
  assert.deepEqual(codes, [1, 1, 1]);
  await startProgram(["daemon", "stop"], { env: { HOME: home.path } });
  const texts = await Promise.all(started.map(async (child) => {
    await child.stdin.close();
    const { stderr } = await child.output();
    return new TextDecoder().decode(stderr);
  }));
  assert.equal(texts.filter((text) => /Database locked by another process/.test(text)).length, 3);
  assert.equal(codes.at(-1), 0);
});

test("only the user can open the socket and read the state file, the log and the lock", async (home) => {
  await using daemon = await runDaemon(home);
  assert.equal(daemon.socket, besideDatabase(home, "sock"));
  for (const ending of ["sock", "daemon.json", "daemon.log", "lock"]) {
    const path = besideDatabase(home, ending);
    await until(`${ending} is there`, () => existsSync(path)); // The log begins after the socket.
    assert.equal(modeOf(path), "600", ending);
  }
});

test("a socket whose path would be too long lies in a private folder, and is found there", async (home) => {
  const folder = join(home.path, "x".repeat(60), "y".repeat(60));
  Deno.mkdirSync(folder, { recursive: true });
  const database = join(folder, "far.db");
  await using daemon = await runDaemon(home, { database });
  assert.ok(daemon.socket.startsWith("/tmp/conclaude-"), daemon.socket);
  assert.equal(modeOf(daemon.socket), "600");
  const env = { HOME: home.path };
  const status = await startProgram(["--db", database, "daemon", "status", "--json"], { env });
  assert.equal(JSON.parse(status.stdout).answers, true);
  await startProgram(["--db", database, "daemon", "stop"], { env });
  assert.throws(() => Deno.lstatSync(daemon.socket), Deno.errors.NotFound);
});

test("a daemon is started, found and stopped; starting and stopping twice is no error", async (home) => {
  const json = async (...args: string[]) => {
    const { code, ...said } = await daemonVerb(home, ...args);
    assert.equal(code, 0, JSON.stringify(said));
    return said;
  };
  assert.equal((await json("status")).running, false);
  const started = await json("start");
  try {
    assert.deepEqual([started.running, started.started], [true, true]);
    const again = await json("start");
    assert.deepEqual([again.started, again.pid], [false, started.pid]);
    const status = await json("status");
    assert.deepEqual(
      [status.running, status.pid, status.socket, status.port],
      [true, started.pid, besideDatabase(home, "sock"), null],
    );
    assert.equal("token" in status, false);
    const { lines } = await json("logs");
    assert.equal(lines.filter((line: string) => /serves .*conclaude\.db/.test(line)).length, 1);
  } finally {
    assert.equal((await json("stop")).stopped, true);
  }
  assert.equal((await json("stop")).stopped, false);
  assert.equal((await json("status")).running, false);
  for (const ending of ["sock", "daemon.json"]) {
    assert.throws(() => Deno.lstatSync(besideDatabase(home, ending)), Deno.errors.NotFound);
  }
});

test("a daemon that cannot start says why, and one that runs opens no further port", async (home) => {
  using taken = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = taken.addr as Deno.NetAddr;
  const start = (...args: string[]) => daemonVerb(home, "start", ...args);
  const refused = await start("--port", String(port));
  assert.equal(refused.code, 1);
  assert.match(
    refused.error.why,
    new RegExp(`logged: Cannot listen on port ${port}: something else listens there$`),
  );
  await using daemon = await runDaemon(home);
  const other = await start("--port", String(port));
  assert.equal(other.code, 1);
  assert.match(other.error.why, new RegExp(`process ${daemon.pid}\\), on port \\d+; nothing was`));
  assert.equal((await start("--port", "0")).code, 0, "any port is asked for, and it has one");
  assert.equal((await start()).code, 0);
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`${signal} stops a daemon that has an open stream, and leaves nothing behind`, async (home) => {
    await using daemon = await runDaemon(home);
    const stream = daemon.ask("GET", "/events?stream=1");
    await daemon.ask("GET", "/health");
    daemon.child.kill(signal);
    assert.equal((await daemon.left).code, 0);
    assert.match((await stream).text, /^event: state\.snapshot\n/);
    assert.throws(() => Deno.lstatSync(daemon.socket), Deno.errors.NotFound);
    assert.throws(() => Deno.statSync(besideDatabase(home, "daemon.json")), Deno.errors.NotFound);
  });
}

for (const what of ["removed", "replaced"] as const) {
  test(`a daemon whose database is ${what} says so and stops`, async (home) => {
    await using daemon = await runDaemon(home);
    Deno.removeSync(home.database);
    if (what === "replaced") {
      Deno.writeTextFileSync(`${home.database}-new`, "");
      Deno.renameSync(`${home.database}-new`, home.database);
    }
    assert.equal((await daemon.left).code, 1);
    assert.match(daemon.stderr(), new RegExp(`the database ${home.database} was ${what}`));
    const log = Deno.readTextFileSync(besideDatabase(home, "daemon.log"));
    assert.match(log, new RegExp(`was ${what}`));
    assert.throws(() => Deno.lstatSync(daemon.socket), Deno.errors.NotFound);
  });
}

test.slow("a port that is taken, and a file in the socket's place, are told and nothing is left locked", async (home) => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const env = { HOME: home.path };
  const taken = await startProgram(["daemon", "run", "--port", String(port)], { env });
  assert.equal(taken.code, 1);
  assert.match(taken.stderr, /Cannot listen on port \d+\n {2}why: {2}something else listens there/);
  Deno.writeTextFileSync(besideDatabase(home, "sock"), "mine");
  const other = await startProgram(["daemon", "run"], { env });
  assert.equal(other.code, 1);
  assert.match(other.stderr, /something that is no socket lies there/);
  assert.equal(Deno.readTextFileSync(besideDatabase(home, "sock")), "mine");
});

test.slow("advice about the daemon and tasks repeats the database that --db named", async (home) => {
  const database = join(home.path, "x.db");
  const run = async (...args: string[]) => {
    const { stdout, stderr } = await startProgram(["--db", database, ...args], {
      env: { HOME: home.path },
    });
    return stdout + stderr;
  };
  const here = `conclaude --db ${database}`;
  const start = `${here} daemon start`;
  const made = await run("task", "create", "--title", "a", "--workflow", "plan", "--json");
  const { id } = JSON.parse(made).task;
  assert.ok((await run("task", "start", id)).includes(`No daemon runs here: ${start}`));
  assert.ok((await run("task", "delete", id)).includes(`; ${here} task restore `));
  assert.ok((await run("daemon", "status")).includes(`\`${start}\``));
  await using _daemon = await runDaemon(home, { database, args: [] });
  assert.ok((await run("daemon", "run")).includes(`next: ${here} daemon stop`));
  const both = `next: ${here} daemon stop && ${start} --port 1`;
  assert.ok((await run("daemon", "start", "--port", "1")).includes(both));
  assert.equal(await run("daemon", "logs", "--lines", "0"), "", "it has logged something");
});

test("a file that is no database gets no daemon, and nothing is left beside it", async (home) => {
  const folder = join(home.path, "p");
  Deno.mkdirSync(folder);
  Deno.writeTextFileSync(join(folder, "f"), "a text that is far from being a database");
  for (const verb of ["start", "run"]) {
    const { code, stderr } = await startProgram(["--db", join(folder, "f"), "daemon", verb], {
      env: { HOME: home.path },
    });
    assert.equal(code, 1);
    assert.match(stderr, /^Cannot open the database ".*\/f"\n {2}why: {2}file is not a database/);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["f"]);
  }
});

test("without a database there is no daemon", async (home) => {
  const { code, stderr } = await startProgram(["--no-db", "daemon", "start"], {
    env: { HOME: home.path },
  });
  assert.equal(code, 1);
  assert.match(stderr, /Cannot serve a database/);
});

/** Routes whose verbs look at the files of the database itself. */
const LOOKING = rowsOf<readonly [method: string, path: string, body?: unknown]>(
  CASES.lookingRoutes,
);

test.unix("what the daemon does for a page leaves its database open to it, whoever else opens and closes it", async (home) => {
  const env = { HOME: home.path };
  await using daemon = await runDaemon(home, { cwd: home.path });
  await daemon.ask("POST", "/tasks", { body: { title: "first" } });
  const wal = `${home.database}-wal`;
  const before = Deno.statSync(wal).ino;
  for (const [method, path, body] of LOOKING) {
    const reply = await daemon.ask(method, path, body === undefined ? {} : { body });
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
    // The last one to close a database removes its log.
    new DatabaseSync(home.database).close();
    await runProgram(["session", "list"], { env, cwd: home.path });
    assert.equal(Deno.statSync(wal).ino, before, `${method} ${path}: the log stays`);
  }
  await daemon.ask("POST", "/tasks", { body: { title: "second" } });
  const { stdout } = await runProgram(["task", "list", "--all-projects", "--json"], {
    env,
    cwd: home.path,
  });
  const titles = JSON.parse(stdout).tasks.map(({ title }: { title: string }) => title);
  assert.deepEqual(titles.toSorted(), ["first", "second"]);
});
