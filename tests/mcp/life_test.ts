/** The server as a process: what it does with bad requests, bad databases, many calls, and its end. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { filesBelow, queryValue } from "../support/look.ts";
import { change, connected } from "../support/on_home.ts";
import { spawnProgram } from "../support/process.ts";
import { runProgram } from "../support/program.ts";
import { connect, keep, places } from "./support.ts";
import { pause } from "../support/wait.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import CASES from "../testdata/mcp_cases.json" with { type: "json" };

const test = testWith(places);

const INITIALIZE = CASES.initialize;

const callOf = (id: number, name: string, args: unknown) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

test("a call with wrong arguments says the mistake, and the server goes on", async (at) => {
  await keep(at.database, [{ project: at.project, title: "Edit of the menu" }]);
  await using server = await connect(at);
  const wrong = rowsOf<readonly [string, Record<string, unknown>, string]>(CASES.wrongCalls);
  for (const [tool, args, why] of wrong) {
    const { text, isError } = await server.call(tool, args);
    assert.equal(isError, true, JSON.stringify([tool, args, text]));
    assert.match(text, new RegExp(why));
  }
  for (const id of ["1", "#1"]) {
    assert.match((await server.call("open", { id })).text, /^Edit of the menu\n/);
  }
  assert.match((await server.call("recall", { query: "menu", file: null })).text, /^#1 /);
  for (const query of ["", "  ", "\ufeff"]) {
    const { text, isError } = await server.call("recall", { query });
    assert.notEqual(isError, true, text);
    assert.match(text, /^Nothing that matches is remembered of \//);
  }
  await assert.rejects(server.client.listResources(), /does not support|Method not found/);
  assert.deepEqual(server.faults, []);
  assert.equal(server.stderr(), "");
});

test("any text may be searched for", async (at) => {
  await keep(at.database, [{ project: at.project, title: "Edit of the menu" }]);
  await using server = await connect(at);
  for (
    const query of ['"', "a AND (", "NEAR/", "*", "' OR 1=1 --", "🦔", "\0", "x".repeat(99_999)]
  ) {
    const { text, isError } = await server.call("recall", { query });
    assert.equal(isError, false, `${JSON.stringify(query.slice(0, 20))}: ${text}`);
  }
});

test("without a database nothing is remembered, and asking makes none", async (at) => {
  await using server = await connect(at);
  for (const [tool, args] of [["recall", { query: "menu" }], ["status", {}], ["open", { id: 1 }]]) {
    const { text, isError } = await server.call(String(tool), args as Record<string, unknown>);
    assert.equal(isError, false);
    assert.match(text, /^Nothing is remembered yet/);
  }
  assert.deepEqual(filesBelow(join(server.home, ".conclaude")), []);
  assert.match((await server.call("remember", { text: "The first" })).text, /^Remembered as #1\. /);
  assert.match((await server.call("recall", { query: "first" })).text, /^#1 /);
});

test("a database that was replaced, removed or migrated meanwhile is seen at the next call", async (at) => {
  await keep(at.database, [{ project: at.project, title: "Edit of the menu" }]);
  await using server = await connect(at);
  const recall = () => server.call("recall", { query: "edit" });
  assert.match((await recall()).text, /^#1 .*menu/);

  const other = join(at.home, "other.db");
  await keep(other, [{ project: at.project, title: "Edit of the printer" }]);
  for (const end of ["-wal", "-shm"]) await Deno.remove(at.database + end).catch(() => {});
  await Deno.rename(other, at.database);
  assert.match((await recall()).text, /^#1 .*printer/);

  change(at.database, "PRAGMA user_version = 99");
  const newer = await recall();
  assert.equal(newer.isError, true);
  assert.match(newer.text, /a newer conclaude has been here.*\n {2}next: Install the newest/);

  await Deno.writeTextFile(at.database, "no database at all, but long enough to be looked at");
  assert.equal((await recall()).isError, true);
  assert.equal((await server.call("status")).isError, true);

  await Deno.remove(at.database);
  assert.match((await recall()).text, /^Nothing is remembered yet/);
  assert.equal(server.stderr(), "");
});

test("a locked database is waited for", async (at) => {
  await keep(at.database, [{ project: at.project, title: "Edit of the menu" }]);
  await using server = await connect(at);
  using db = connected(at.database);
  db.exec("BEGIN IMMEDIATE");
  const kept = server.call("remember", { text: "While it was locked" });
  await pause(300);
  db.exec("ROLLBACK");
  assert.match((await kept).text, /^Remembered as #2\. /);
  db.exec("BEGIN IMMEDIATE");
  const refused = await server.call("remember", { text: "Locked for ever" });
  db.exec("ROLLBACK");
  assert.equal(refused.isError, true);
  assert.match(refused.text, /The database is in use/);
});

test("with the database switched off a call says so", async (at) => {
  await using server = await connect(at, { args: ["--no-db"] });
  for (const [tool, args] of [["recall", { query: "menu" }], ["remember", { text: "It" }]]) {
    const { text, isError } = await server.call(String(tool), args as Record<string, string>);
    assert.equal(isError, true);
    assert.match(text, /with `--no-db` nothing is kept/);
  }
});

test("50 calls at once are all answered, each with its own answer", async (at) => {
  await keep(
    at.database,
    Array.from({ length: 25 }, (_, i) => ({ project: at.project, title: `Edit of file${i}.ts` })),
  );
  await using server = await connect(at);
  await Promise.all(
    Array.from({ length: 25 }, async (_, i) => {
      const [opened, kept] = await Promise.all([
        server.call("open", { id: i + 1 }),
        server.call("remember", { text: `Note number ${i} of many` }),
      ]);
      assert.match(opened.text, new RegExp(`^Edit of file${i}\\.ts\n`));
      assert.match(kept.text, /^Remembered as #\d+\. Project: /);
    }),
  );
  const notes = queryValue(at.database, "SELECT count(*) FROM observations WHERE kind = 'note'");
  assert.equal(notes, 25);
  assert.deepEqual(server.faults, []);
});

test("lines that are no requests are passed over, and stdout carries the protocol alone", async (at) => {
  const lines = [
    JSON.stringify(INITIALIZE),
    "garbage",
    "",
    '{"jsonrpc":"2.0"',
    "[]",
    "\0\ufeff",
    JSON.stringify({ ...callOf(1, "recall", []), params: { name: "recall", arguments: [] } }),
    JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call" }),
    JSON.stringify(callOf(3, "recall", { query: "menu" })),
    JSON.stringify({ jsonrpc: "2.0", id: 4, method: "tools/list" }),
  ];
  const { code, stdout, stderr } = await runProgram(["mcp"], {
    cwd: at.project,
    env: { HOME: at.home },
    through: ["timeout", "-s", "KILL", "120"],
    stdin: lines.join("\n") + "\n",
  });
  const answers = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  const ids = answers.map(({ jsonrpc, id }) => `${jsonrpc} ${id}`).sort();
  assert.deepEqual(ids, ["2.0 0", "2.0 1", "2.0 2", "2.0 3", "2.0 4"]);
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  assert.match(byId.get(3).result.content[0].text, /^Nothing is remembered yet/);
  for (const [id, why] of [[1, '"arguments" is no object'], [2, '"name" is no text']] as const) {
    const { code, message } = byId.get(id).error;
    assert.equal(code, -32602);
    const [what, ...more] = message.split("\n");
    assert.deepEqual([what, more[0]], ["Cannot call a tool", `  why:  ${why}`]);
    assert.match(more[1], /^ {2}next: Call one of recall, /);
  }
  assert.equal(stderr, "");
  assert.equal(code, 0);
});

test.slow(
  "all requests before the end of stdin are answered, also to a slow reader",
  async (at) => {
    const text = "What the command printed, word for word. ".repeat(130);
    await keep(at.database, [{ project: at.project, text }]);
    const count = 200;
    const child = spawnProgram(["mcp"], {
      cwd: at.project,
      env: { HOME: at.home },
      through: ["timeout", "-s", "KILL", "120"],
    });
    const requests = [
      INITIALIZE,
      ...Array.from({ length: count }, (_, i) => callOf(i + 1, "open", { id: 1 })),
    ];
    const writer = child.stdin.getWriter();
    await writer.write(
      new TextEncoder().encode(requests.map((one) => `${JSON.stringify(one)}\n`).join("")),
    );
    await writer.close();
    await pause(400);
    const { stdout, stderr, code } = await child.output();
    const lines = new TextDecoder().decode(stdout).trimEnd().split("\n");
    assert.equal(new TextDecoder().decode(stderr), "");
    assert.equal(lines.length, count + 1);
    assert.ok(lines.every((line) => JSON.parse(line).result !== undefined));
    assert.equal(code, 0);
  },
);

const ENDS = {
  "stdin is closed": (child: Deno.ChildProcess) => child.stdin.close(),
  "it gets SIGTERM": (child: Deno.ChildProcess) => child.kill("SIGTERM"),
  "it gets SIGINT": (child: Deno.ChildProcess) => child.kill("SIGINT"),
};

/** Starts a server that has answered once, and reads what it says from then on. */
async function started(at: ReturnType<typeof places>) {
  const child = spawnProgram(["mcp"], { cwd: at.project, env: { HOME: at.home } });
  const tooLate = setTimeout(() => child.kill("SIGKILL"), 10_000);
  child.status.finally(() => clearTimeout(tooLate));
  await send(child, INITIALIZE);
  const reader = child.stdout.getReader();
  assert.match(new TextDecoder().decode((await reader.read()).value), /^{.*}\n$/);
  return { child, reader };
}

async function send(child: Deno.ChildProcess, message: object): Promise<void> {
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  writer.releaseLock();
}

for (const [name, end] of Object.entries(ENDS)) {
  test(`the server leaves with 0 at once when ${name}`, async (at) => {
    const { child, reader } = await started(at);
    const start = performance.now();
    await end(child);
    const { code, signal } = await child.status;
    assert.deepEqual([code, signal], [0, null]);
    assert.ok(performance.now() - start < 900, `${performance.now() - start} ms`);
    assert.equal((await reader.read()).done, true);
    assert.equal(await new Response(child.stderr).text(), "");
    await child.stdin.close().catch(() => {});
  });
}

test("the server leaves with 0 when nobody reads its answers any more", async (at) => {
  const { child, reader } = await started(at);
  await reader.cancel();
  const left = child.status.then(() => true);
  // The system may close the pipe a moment later, so that the first answer still fits into it.
  for (let id = 1; !await Promise.race([left, pause(100)]); id++) {
    await send(child, callOf(id, "recall", { query: "menu" })).catch(() => {});
  }
  const { code, signal } = await child.status;
  assert.deepEqual([code, signal], [0, null]);
  assert.equal(await new Response(child.stderr).text(), "");
  await child.stdin.close().catch(() => {});
});
