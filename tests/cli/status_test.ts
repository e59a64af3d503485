import assert from "node:assert/strict";
import { SCHEMA_VERSION } from "../../src/db/transaction.ts";
import { VERSION } from "../../src/base/version.ts";
import { drainAt, saveEvent, saveUse, tempDatabase } from "../support/records.ts";
import { runVerb, runVerbJson } from "../support/verb.ts";
import { testWith } from "../support/fixtures.ts";
import { tempFolder } from "../support/folders.ts";

const test = testWith(tempDatabase);

test("status --json tells of the database, the sessions, the queue and the last day", async (temp) => {
  saveEvent(temp.db, { capture: { payload: '{"a":1}' }, execution: { durationMs: 4 } });
  saveEvent(temp.db, { execution: { status: "failure", durationMs: 8 } });
  saveEvent(temp.db, { atMs: Date.now() - 25 * 3_600_000 });

  const report = await runVerbJson(["status"], temp);
  const { database, audit, queue, project, recent, protections: _, ...rest } = report;
  assert.equal(project, temp.folder);
  assert.equal(database.path, temp.path);
  assert.equal(database.exists, true);
  assert.equal(database.schema, SCHEMA_VERSION);
  assert.ok(database.bytes > 0);
  const { sinceMs, ...day } = audit;
  assert.ok(Math.abs(Date.now() - 86_400_000 - sinceMs) < 10_000);
  assert.deepEqual(day, {
    count: 2,
    failures: 1,
    blocked: 0,
    p50Ms: 4,
    p95Ms: 8,
    p99Ms: 8,
    maxMs: 8,
  });
  assert.equal(queue.byStatus.raw, 1);
  assert.equal(queue.byPriority.high, 1);
  assert.deepEqual([recent.sessions, recent.decided], [[], []], "of this project");
  assert.deepEqual(rest, {
    version: VERSION,
    sessions: {
      here: { total: 0, active: 0, ended: 0, abandoned: 0 },
      all: { total: 1, active: 1, ended: 0, abandoned: 0 },
    },
    memory: { observations: 0, waiting: 1, openFailures: 0 },
    work: {
      tasks: { open: 0, in_progress: 0, pending_merge: 0, blocked: 0 },
      workflows: { running: 0, pending_merge: 0, blocked: 0 },
      agents: 0,
      questions: 0,
    },
    violations: 0,
    team: [],
    daemon: { running: false },
    spool: { waiting: 0 },
    fallback: null,
    mods: [],
    hooks: [],
    config: { files: [], problems: 0, held: [] },
  });
});

test("status has lines for open tasks, and no lines for counts of 0", async (temp) => {
  const none = (await runVerb(["status", "--verbose"], temp)).stdout;
  assert.doesNotMatch(none, /^(tasks|workflows|agents|questions|daemon) /m);
  for (const title of ["a", "b", "c"]) await runVerb(["task", "create", "--title", title], temp);
  const { tasks } = await runVerbJson(["task", "list"], temp);
  await runVerb(["task", "claim", tasks[0].id], temp);
  await runVerb(["task", "block", tasks[0].id, "--reason", "r"], temp);
  await runVerb(["task", "claim", tasks[1].id], temp);
  const { stdout } = await runVerb(["status", "--verbose"], temp);
  assert.match(stdout, /^tasks {10}1 open, 1 in work, 1 blocked$/m);
  assert.doesNotMatch(stdout, /^daemon /m, "there is nothing for it to do");
  temp.db.prepare("UPDATE tasks SET queued_at_ms = 1 WHERE id = ?").run(tasks[2].id);
  assert.match(
    (await runVerb(["status", "--verbose"], temp)).stdout,
    /^daemon {9}not running, and there is work for it: `conclaude .*daemon start`$/m,
  );
  const { work } = await runVerbJson(["status"], temp);
  assert.deepEqual(work.tasks, { open: 1, in_progress: 1, pending_merge: 0, blocked: 1 });
});

test("status names the configuration that is in force, and its problems", async (temp) => {
  Deno.writeTextFileSync(`${temp.folder}/.conclaude.yaml`, "stroe: {}\n");

  const { config } = await runVerbJson(["status"], temp);
  assert.deepEqual(config, {
    files: [{ layer: "project", path: `${temp.folder}/.conclaude.yaml` }],
    problems: 1,
    held: [],
  });
  const { stdout } = await runVerb(["status"], temp);
  assert.match(stdout, /1 problem: run `conclaude config validate`/);
});

test("status says in one line which protections hold, and whether Claude Code asks for them", async (temp) => {
  const rules = async () =>
    /^rules {4}.*/m.exec((await runVerb(["status"], temp)).stdout)?.[0].slice(9);
  assert.equal(await rules(), "built-in protections, NOT ARMED");
  await runVerb(["install-hooks"], temp);
  assert.equal(await rules(), "built-in protections, armed");
  Deno.writeTextFileSync(
    `${temp.folder}/.conclaude.yaml`,
    "preToolUse: {strict: true, denyDangerousCommands: false, uneditableFiles: [a.lock, b.lock]}\n" +
      "requirements: {plan: {}}\nstop: {commands: [{run: make}]}\n",
  );
  const { protections } = await runVerbJson(["status"], temp);
  assert.deepEqual({ ...protections, builtIn: 0 }, {
    builtIn: 0,
    switchedOff: ["preToolUse.denyDangerousCommands"],
    guards: 5,
    requirements: 1,
    strict: true,
    unarmed: [],
  });
  assert.equal(await rules(), "built-in (1 off), 5 guards, 1 requirement, strict, armed");
});

Deno.test("status of a fresh home fits on one screen and makes no database", async () => {
  using home = tempFolder();

  const { code, stdout } = await runVerb(["status", "--verbose"], { home: home.path });
  assert.equal(code, 0);
  assert.match(stdout, /nothing there yet/);
  assert.ok(stdout.split("\n").length < 30);
  assert.match(
    (await runVerb(["status"], { home: home.path })).stdout,
    /^health {3}hooks are not installed: run `conclaude install-hooks`$/m,
  );
  Deno.writeTextFileSync(`${home.path}/.conclaude.yaml`, "nope: 1\n");
  const shown = async (...flags: string[]) =>
    (await runVerb(["status", ...flags], { home: home.path })).stdout;
  assert.match(await shown(), /^health .*\(and 1 more: `conclaude status --verbose`\)$/m);
  assert.match(await shown("--verbose"), /^health .*validate`\n {9}hooks are not installed/m);
  assert.throws(() => Deno.statSync(`${home.path}/.conclaude/conclaude.db`), Deno.errors.NotFound);
});

Deno.test("status shows the project as its folder, also from a worktree, and keeps the git directory for programs", async () => {
  using folder = tempFolder();

  const [main, worktree] = [`${folder.path}/main`, `${folder.path}/worktree`];
  Deno.mkdirSync(`${main}/.git/worktrees/w`, { recursive: true });
  Deno.mkdirSync(worktree);
  Deno.writeTextFileSync(`${main}/.git/HEAD`, "ref: refs/heads/main\n");
  Deno.writeTextFileSync(`${main}/.git/worktrees/w/HEAD`, "ref: refs/heads/w\n");
  Deno.writeTextFileSync(`${main}/.git/worktrees/w/commondir`, "../..\n");
  Deno.writeTextFileSync(`${worktree}/.git`, `gitdir: ${main}/.git/worktrees/w\n`);
  for (const home of [main, worktree]) {
    assert.equal((await runVerbJson(["status"], { home })).project, `${main}/.git`);
    const { stdout } = await runVerb(["status"], { home });
    assert.match(stdout, new RegExp(`^project +${main}$`, "m"));
  }
});

test("status leads with the last sessions, what is open and what was decided, each line in 80 columns, and ends with one line of health", async (temp) => {
  const session = { projectDir: temp.folder };
  const use = (tool: string, payload: object, sessionId: string, atMs: number) =>
    saveUse(temp.db, tool, payload, { sessionId, atMs, session });
  const now = Date.now();
  for (let n = 0; n < 7; n++) {
    const id = `5e55${n}000-0000-4000-8000-000000000000`;
    const atMs = now - (7 - n) * 3_600_000;
    use("UserPromptSubmit", { prompt: `Make part ${n} ${"and more ".repeat(30)}` }, id, atMs);
    use("Bash", { tool_input: { command: `make ${n}` }, error: "Exit code 2\nno" }, id, atMs + 1);
    use("Bash", { tool_input: { command: `make ${n}` }, error: "Exit code 2\nno" }, id, atMs + 2);
  }
  // Installing a plugin makes a session of which hooks see the end alone.
  saveEvent(temp.db, {
    sessionId: "0e9d0000-0000-4000-8000-000000000000",
    session: { ...session, effect: "end" },
  });
  await drainAt(temp.db, now);
  assert.match((await runVerb(["session", "show"], temp)).stdout, /^session +5e556000-/);
  await runVerb(["memory", "remember", "Tests need the service on port 5433"], temp);
  await runVerb(["task", "create", "--title", "Tell the customers"], temp);
  const { stdout } = await runVerb(["status"], temp);
  const lines = stdout.split("\n");
  for (const line of lines) assert.ok(line.length <= 80, line);
  assert.equal(lines[0], `project  ${temp.folder}`);
  assert.match(stdout, /^Last sessions\n {2}5e556000 {2}1h ago {5}Make part 6/m);
  assert.equal(stdout.match(/^ {2}5e55/gm)!.length, 5);
  assert.match(stdout, /^ {2}… and 3 more: `conclaude session list --here`$/m);
  assert.match(stdout, /^ {2}… and 4 more: `conclaude memory open`$/m);
  assert.match(stdout, /^Tasks .*\n {2}\w{8} open {2}Tell the customers$/m);
  assert.match(stdout, /^Decided and noted\n {2}#\d+ just now {2}Tests need the service/m);
  assert.match(stdout, /^health {3}hooks are not installed: run `conclaude install-hooks`$/m);
  assert.match(stdout, /^Everything else: `conclaude status --verbose`$/m);
});
