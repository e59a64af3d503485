import assert from "node:assert/strict";
import { end, isAlive } from "../support/processes.ts";
import { besideDatabase, daemonVerb, runDaemon } from "../support/daemon.ts";
import { finished, spawnProgram } from "../support/process.ts";
import { type TempHome, tempHome } from "../support/program.ts";
import { until } from "../support/wait.ts";
import { testWith } from "../support/fixtures.ts";

/** The process id in the state file; null when there is none that can be read. */
function writtenPid(home: TempHome): number | null {
  try {
    return JSON.parse(Deno.readTextFileSync(besideDatabase(home, "daemon.json"))).pid;
  } catch {
    return null;
  }
}

const test = testWith(tempHome);

test("a client finds the daemon that was started after a kill, not the killed one", async (home) => {
  const dead = await daemonVerb(home, "start");
  Deno.kill(dead.pid, "SIGKILL");
  await until("it is gone", () => !isAlive(dead.pid));
  const next = await daemonVerb(home, "start", "--port", "0");
  try {
    assert.equal(next.started, true);
    assert.notEqual(next.pid, dead.pid);
    assert.ok(next.port > 0, `port ${next.port}`);
    assert.ok(next.startedAtMs > dead.startedAtMs);
    assert.equal(writtenPid(home), next.pid);
  } finally {
    await daemonVerb(home, "stop");
  }
});

test.slow("when several verbs start a daemon at the same moment, one of them says that it did", async (home) => {
  const told = await Promise.all(Array.from({ length: 4 }, () => daemonVerb(home, "start")));
  try {
    assert.deepEqual(told.map(({ code }) => code), [0, 0, 0, 0]);
    assert.equal(new Set(told.map(({ pid }) => pid)).size, 1);
    assert.equal(told.filter(({ started }) => started).length, 1);
  } finally {
    await daemonVerb(home, "stop");
  }
});

for (const [what, spoil] of Object.entries({ removed: removeIfThere, spoilt: writeGarbage })) {
  test(`a daemon whose state file was ${what} is known by its socket, and writes it anew`, async (home) => {
    await using daemon = await runDaemon(home);
    const path = besideDatabase(home, "daemon.json");
    const before = Deno.readTextFileSync(path);
    spoil(path);
    const status = await daemonVerb(home, "status");
    assert.deepEqual([status.pid, status.answers, status.port], [daemon.pid, true, daemon.port]);
    spoil(path);
    assert.match(
      (await daemonVerb(home, "run")).error.why,
      new RegExp(`process id ${daemon.pid} `),
    );
    await until("its file is written", () => writtenPid(home) === daemon.pid);
    assert.equal(Deno.readTextFileSync(path), before);
    await until("it says so", () => /was removed or changed: written anew/.test(daemon.stderr()));
    spoil(path);
    assert.equal((await daemonVerb(home, "stop")).stopped, true);
    assert.equal((await daemon.left).code, 0);
  });
}

test.linux("a daemon that cannot be asked is stopped by a signal, and only the one that wrote the file", async (home) => {
  await using daemon = await runDaemon(home);
  const path = besideDatabase(home, "daemon.json");
  const before = Deno.readTextFileSync(path);
  // Held, for it would see within a second by itself that its socket is gone.
  daemon.child.kill("SIGSTOP");
  Deno.removeSync(daemon.socket);
  Deno.writeTextFileSync(path, JSON.stringify({ ...JSON.parse(before), pid: Deno.pid }));
  assert.equal((await daemonVerb(home, "status")).pid, null, "the number is another process's");
  Deno.writeTextFileSync(path, before);
  const stopping = daemonVerb(home, "stop");
  const pending = () =>
    Deno.readTextFileSync(`/proc/${daemon.pid}/status`).match(/^ShdPnd:\s*(\S+)/m)![1]!;
  await until("SIGTERM waits for it", () => (Number.parseInt(pending(), 16) & (1 << 14)) !== 0);
  daemon.child.kill("SIGCONT");
  assert.equal((await stopping).stopped, true);
  await daemon.left;
});

for (const ending of ["sock", "lock"]) {
  test(`a daemon whose .${ending} was removed says so and stops`, async (home) => {
    await using daemon = await runDaemon(home);
    const path = besideDatabase(home, ending);
    Deno.removeSync(path);
    assert.equal((await daemon.left).code, 1);
    assert.match(daemon.stderr(), new RegExp(`its (socket|lock) ${path} was removed`));
    assert.equal(writtenPid(home), null);
  });
}

test.slow("no verb says that it kept something in a database that is gone", async (home) => {
  await using daemon = await runDaemon(home);
  Deno.renameSync(home.database, `${home.database}.aside`);
  Deno.writeTextFileSync(home.database, "");
  const { status, body } = await daemon.ask("POST", "/tasks", { body: { title: "Lost" } });
  assert.deepEqual([status, body.error.code], [503, "SHUTTING_DOWN"]);
  assert.match(body.error.why, /was removed or replaced/);
  assert.equal((await daemon.left).code, 1);
});

test.slow("a daemon whose lock was removed stays the only one until it stops", async (home) => {
  await using daemon = await runDaemon(home);
  Deno.removeSync(besideDatabase(home, "lock"));
  // On a busy machine the first one sees that its lock is gone, and leaves, before the second one has begun.
  const second = spawnProgram(["daemon", "run"], { env: { HOME: home.path } });
  const told = finished(second);
  const isRefused = await Promise.race([told.then(() => true), daemon.left.then(() => false)]);
  if (isRefused) {
    assert.match((await told).stderr, new RegExp(`process id ${daemon.pid} has held it`));
  } else {
    await end(second);
  }
  assert.equal((await daemon.left).code, 1);
  await told;
  const other = await daemonVerb(home, "start");
  try {
    assert.notEqual(other.pid, daemon.pid);
    const status = await daemonVerb(home, "status");
    assert.deepEqual([status.pid, status.answers], [other.pid, true]);
    await until("the file is the other one's", () => writtenPid(home) === other.pid);
  } finally {
    await daemonVerb(home, "stop");
  }
});

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // Not written anew yet.
  }
}

function writeGarbage(path: string): void {
  Deno.writeTextFileSync(path, "{garbage");
}
