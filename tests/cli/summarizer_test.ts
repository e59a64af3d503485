/** A command rewrites the summaries of sessions: within its budget, of the user's own choice, and never to any harm. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SummarizerRun } from "../../src/memory/drain/summarizer_runs_table.ts";
import { isAlive, killNow } from "../support/processes.ts";
import { query, textOf } from "../support/look.ts";
import { change, configureUser } from "../support/on_home.ts";
import { json, run } from "../support/verb.ts";
import { spawnProgram } from "../support/process.ts";
import { hook, jsonOf, runProgram, type TempHome, tempHome } from "../support/program.ts";
import { until } from "../support/wait.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import CASES from "../testdata/cli_cases.json" with { type: "json" };

const SESSION = "0d9d5c6e-6a35-4d8f-9f0b-9f6b2a3d7c11";
/** Built up here, so that no search for secrets finds it in this file. */
const SECRET = ["ghp", "_", "16C7e42F292c6912E7710c838347Ae178B4a"].join("");

/** A session that was asked for something, edited a file, and ended. */
async function endedSession(home: TempHome, id = SESSION): Promise<void> {
  await send(home, "SessionStart", { source: "startup" }, id);
  await send(home, "UserPromptSubmit", { prompt: "Let uploads be tried three times" }, id);
  await edit(home, { id, from: "tries = 1", to: "tries = 3" });
  await send(home, "SessionEnd", { reason: "other" }, id);
}

function send(home: TempHome, event: string, fields: object, session_id = SESSION) {
  const place = { cwd: home.path, transcript_path: join(home.path, "t.jsonl") };
  return hook(event, { session_id, hook_event_name: event, ...place, ...fields }, home);
}

async function edit(
  home: TempHome,
  { id = SESSION, from, to }: { readonly id?: string; readonly from: string; readonly to: string },
): Promise<void> {
  await send(home, "PostToolUse", {
    tool_name: "Edit",
    tool_input: { file_path: join(home.path, "upload.ts"), old_string: from, new_string: to },
    tool_response: {},
    tool_use_id: crypto.randomUUID(),
  }, id);
}

function configure(home: TempHome, command: string, more: readonly string[] = []): void {
  const lines = [`command: ${JSON.stringify(command)}`, ...more].map((line) => `    ${line}\n`);
  configureUser(home, `memory:\n  summarizer:\n${lines.join("")}`);
}

/** What a verb prints as JSON in a folder. */
const jsonIn = async (home: TempHome, cwd: string, ...args: readonly string[]) =>
  jsonOf(await runProgram([...args, "--json"], { env: { HOME: home.path }, cwd }));

const drain = (home: TempHome, cwd = home.path) => jsonIn(home, cwd, "queue", "drain");

/** What a verb prints for people. */
const told = async (home: TempHome, ...args: string[]) => (await run(home, ...args)).stdout;

function summaryIn(home: TempHome, id = SESSION): { title: string; text: string; facts: string } {
  const [row] = query(
    home.database,
    "SELECT title, text, facts FROM observations WHERE uid = 'summary/' || ?",
    id,
  );
  return row as unknown as { title: string; text: string; facts: string };
}

const test = testWith(tempHome);

test("queue drain lets the user's command rewrite the summary of a session that is over, once", async (home) => {
  const given = join(home.path, "given");
  configure(
    home,
    `tee ${given} >/dev/null; echo x >> ${given}.runs; echo "Uploads are tried thrice."`,
  );
  await endedSession(home);
  const { summarizer } = await drain(home);
  assert.equal(summarizer.written, 1);
  const { title, text } = summaryIn(home);
  assert.match(title, /^Session: Let uploads be tried three times/);
  assert.equal(text, "Uploads are tried thrice.");
  assert.match(Deno.readTextFileSync(given), /<summary>[\s\S]*upload\.ts[\s\S]*<happened>/);
  const found = await json(home, "memory", "search", "thrice");
  assert.equal(found.results[0].kind, "summary");

  // Nothing is new: the second drain runs nothing, and a repeat that changes nothing keeps the words.
  assert.equal((await drain(home)).summarizer.written, 0);
  change(home.database, "INSERT INTO sessions_to_summarize VALUES (?)", SESSION);
  assert.equal((await drain(home)).summarizer.written, 0);
  assert.equal(summaryIn(home).text, "Uploads are tried thrice.");
  assert.equal(Deno.readTextFileSync(`${given}.runs`), "x\n");

  const { summarizer: stats } = await json(home, "memory", "stats");
  assert.equal(stats.today.runs, 1);
  assert.equal(stats.lastRuns[0].status, "written");
  assert.ok(stats.lastRuns[0].inputTokens > 100);
  assert.equal(
    stats.lastRuns[0].outputTokens,
    Math.floor("Uploads are tried thrice.\n".length / 3.5),
  );
});

test("a session with news is summarized anew, first without a model, then by it", async (home) => {
  configure(home, 'grep -c "^- " | sed "s/^/titles: /"');
  await endedSession(home);
  await drain(home);
  const before = summaryIn(home).text;
  assert.match(before, /^titles: \d+$/);
  await edit(home, { from: "tries = 3", to: "tries = 5" });
  change(home.database, "UPDATE sessions SET status = 'active', updated_at_ms = ?", Date.now());
  assert.equal((await drain(home)).summarizer.written, 0);
  assert.match(summaryIn(home).text, /Asked:/, "it works on: the command has to wait");
  change(home.database, "UPDATE sessions SET updated_at_ms = ?", Date.now() - 11 * 60_000);
  assert.equal((await drain(home)).summarizer.written, 1);
  assert.notEqual(summaryIn(home).text, before);
});

for (
  const [name, command, reason] of [
    ["fails", "echo half; echo no key >&2; exit 3", /status 3: no key/],
    ["answers nothing", "cat >/dev/null", /nothing/],
    ["answers no word", "cat >/dev/null; printf '\\001\\377 --\\n'", /no word/],
    [
      "answers with bytes of no text",
      "cat >/dev/null; printf 'ab\\377\\376c words\\n'",
      /not text/,
    ],
    ["answers with control bytes", "cat >/dev/null; printf 'some\\001\\002 words\\n'", /not text/],
    ["answers with a book", "yes | head -c 1000000", /too long/],
    ["is not there", "no-such-command-at-all", /status 127/],
  ] as const
) {
  test(`a command that ${name} changes nothing but the ledger`, async (home) => {
    await endedSession(home);
    await drain(home);
    const before = summaryIn(home);
    configure(home, command);
    const { summarizer } = await drain(home);
    assert.equal(summarizer.failed, 1);
    assert.match(summarizer.reason, reason);
    assert.deepEqual(summaryIn(home), before);
    const { summarizer: stats } = await json(home, "memory", "stats");
    assert.equal(stats.today.failed, 1);
    assert.match(stats.lastRuns[0].reason, reason);
  });
}

test("a summary is tried three times by a command, however often it is drained: then it is given up", async (home) => {
  await endedSession(home);
  configure(home, "exit 1", ["maxRunsPerDay: 9"]);
  const tries = [];
  for (let n = 0; n < 5; n++) {
    const { summarizer: { failed, left, givenUp, today } } = await drain(home);
    tries.push([failed, left, givenUp, today.runs]);
  }
  assert.deepEqual(tries, [[1, 1, 0, 1], [1, 1, 0, 2], [1, 1, 0, 3], [0, 1, 1, 3], [0, 1, 1, 3]]);
  assert.match(await told(home, "queue", "drain"), /0 failed, 1 left; 1 of these given up/);
  // Another command has not failed with it yet.
  configure(home, "echo Shorter.", ["maxRunsPerDay: 9"]);
  assert.equal((await drain(home)).summarizer.written, 1);
});

test("a command that takes too long is ended with the processes that it has started", async (home) => {
  const pids = join(home.path, "pids");
  // What has left the group of the command is found where the system shows its environment.
  const away = Deno.build.os === "linux" ? `setsid sleep 301 & echo $! >> ${pids};` : "";
  configure(
    home,
    `echo $$ > ${pids}; sleep 300 & echo $! >> ${pids}; ${away} wait`,
    ["timeoutSeconds: 1"],
  );
  await endedSession(home);
  const startedAt = performance.now();
  const { summarizer } = await drain(home);
  assert.match(summarizer.reason, /longer than 1 s/);
  assert.ok(performance.now() - startedAt < 20_000);
  for (const pid of Deno.readTextFileSync(pids).trim().split("\n")) {
    assert.equal(isAlive(pid), false, `${pid} is still there`);
  }
});

test.slowUnix("a command and its process group do not outlive a killed drain", async (home) => {
  const pids = join(home.path, "pids");
  configure(home, `sleep 300 & echo $! > ${pids}; echo $$ >> ${pids}; wait`);
  await endedSession(home);
  const killed = spawnProgram(["queue", "drain"], { env: { HOME: home.path }, cwd: home.path });
  const read = () => textOf(pids).trim().split("\n");
  await until("the command has begun", () => read().length === 2);
  await Promise.all([killNow(killed), killed.output(), killed.stdin.close()]);
  await until("it has ended", () => read().every((pid) => !isAlive(pid)));
});

test("one process at a time lets summaries be rewritten, and what one was killed at the next one does at once", async (home) => {
  const begun = join(home.path, "begun");
  configure(home, `echo $$ > ${begun}; exec sleep 300`);
  await endedSession(home);
  const first = spawnProgram(["queue", "drain"], { env: { HOME: home.path }, cwd: home.path });
  await until("the command has begun", () => existsSync(begun));
  const { summarizer: beside } = await drain(home);
  assert.deepEqual([beside.isBusy, beside.written, beside.left], [true, 0, 1]);
  assert.match(await told(home, "queue", "drain"), /another process is at work .*, 1 left/);
  await Promise.all([killNow(first), first.output(), first.stdin.close()]);

  configure(home, "echo Uploads are tried thrice.");
  const { summarizer: after } = await drain(home);
  assert.deepEqual([after.isBusy, after.written, after.left], [false, 1, 0]);
  const { summarizer: stats } = await json(home, "memory", "stats");
  assert.deepEqual(
    stats.lastRuns.map(({ status, reason }: SummarizerRun) => [status, reason]),
    [["written", null], ["failed", "its process was ended"]],
  );
});

test("secrets that the command answers with are masked, and private text is dropped", async (home) => {
  configure(home, `cat >/dev/null; echo "It works with ${SECRET} <private>hush</private> now."`);
  await endedSession(home);
  await drain(home);
  const { text } = summaryIn(home);
  assert.match(text, /^It works with \[redacted:/);
  assert.doesNotMatch(text, /hush|16C7e42F/);
});

test("a day's runs and tokens are not exceeded, and it is said when they are used up", async (home) => {
  const ids = [1, 2, 3].map((n) => SESSION.replace(/11$/, `2${n}`));
  for (const id of ids) await endedSession(home, id);
  configure(home, "echo short", ["maxRunsPerDay: 2"]);
  const { summarizer } = await drain(home);
  assert.deepEqual(
    [summarizer.written, summarizer.left, summarizer.usedUp, summarizer.today.runs],
    [2, 1, "runs", 2],
  );
  assert.match(
    await told(home, "queue", "drain"),
    /^summarizer {2}0 summaries rewritten.*today's runs are used up/m,
  );
  const stats = await told(home, "memory", "stats");
  assert.match(stats, /today +2 of 2 runs, .*the runs of today are used up/);

  configure(home, "echo short", ["maxTokensPerDay: 100"]);
  assert.equal((await drain(home)).summarizer.usedUp, "tokens");
  assert.match(
    await told(home, "queue", "drain"),
    /the next run would not fit into today's tokens: it takes at least \d+, and \d+ are spent/,
  );
  // Yesterday's do not count.
  change(home.database, "UPDATE summarizer_runs SET started_at_ms = started_at_ms - 86400000");
  configure(home, "echo short", ["maxRunsPerDay: 1"]);
  assert.equal((await drain(home)).summarizer.written, 1);
});

for (const limit of ["maxRunsPerDay", "maxTokensPerDay"]) {
  test(`a ${limit} of 0 is a limit like any other: nothing is spent, and it is said which key forbids it`, async (home) => {
    await endedSession(home);
    const ran = join(home.path, "ran");
    configure(home, `touch ${ran}; echo short`, [`${limit}: 0`]);
    const { summarizer } = await drain(home);
    assert.deepEqual([summarizer.written, summarizer.left, summarizer.today.runs], [0, 1, 0]);
    const forbids = new RegExp(`nothing may be spent \\(memory\\.summarizer\\.${limit} is 0\\)`);
    assert.match(await told(home, "queue", "drain"), forbids);
    assert.match(await told(home, "memory", "stats"), forbids);
    assert.equal((await json(home, "config", "validate")).valid, true);
    assert.doesNotMatch(await told(home, "doctor"), /used up/);
    assert.throws(() => Deno.statSync(ran), Deno.errors.NotFound);
  });
}

for (const [name, line] of rowsOf<readonly [string, string]>(CASES.wrongLimits)) {
  test(`a limit ${name} is not replaced by a larger one: the summarizer is off, and every verb says why`, async (home) => {
    await endedSession(home);
    const ran = join(home.path, "ran");
    configure(home, `touch ${ran}; echo short`, [line]);
    const { summarizer, summarizerFault } = await drain(home);
    assert.equal(summarizer, undefined);
    assert.match(summarizerFault, /config\.yaml:\d+:\d+ memory\.summarizer\.[a-zA-Z]+: /);
    const off = /summarizer.* off, by a mistake: .*config\.yaml:\d/;
    assert.match(await told(home, "queue", "drain"), off);
    assert.match(await told(home, "memory", "stats"), off);
    assert.match(await told(home, "doctor"), off);
    assert.match(summaryIn(home).text, /Asked:/);
    assert.throws(() => Deno.statSync(ran), Deno.errors.NotFound);
  });
}

test("an answer is ended where it passes what is left of the day's tokens, and counts as a failure", async (home) => {
  await endedSession(home);
  configure(home, "yes abc | head -c 60000", ["maxTokensPerDay: 700"]);
  const { summarizer } = await drain(home);
  assert.deepEqual([summarizer.written, summarizer.failed], [0, 1]);
  assert.match(summarizer.reason, /longer than what is left of today's tokens/);
  assert.ok(
    summarizer.today.tokens > 650 && summarizer.today.tokens <= 700,
    summarizer.today.tokens,
  );
});

test("a project's file cannot name a command, whatever it says, and validate says so", async (home) => {
  await endedSession(home);
  const project = join(home.path, "cloned");
  Deno.mkdirSync(project);
  const ran = join(home.path, "ran");
  for (const name of [".conclaude.yaml", ".conclaude.local.yaml"]) {
    Deno.writeTextFileSync(
      join(project, name),
      `memory:\n  summarizer:\n    command: touch ${ran}\n    timeoutSeconds: 5\n`,
    );
  }
  assert.equal((await drain(home, project)).summarizer, undefined);
  const { valid, warnings } = await jsonIn(home, project, "config", "validate");
  assert.equal(valid, true);
  assert.equal(warnings.length, 2);
  assert.match(warnings[0], /memory\.summarizer.*only in the user's own file/);
  const { config } = await jsonIn(home, project, "config", "show");
  assert.equal(config.memory.summarizer.command, null);
  assert.equal(config.memory.summarizer.timeoutSeconds, 60);

  // Nor can it change a word of the user's own.
  configure(home, "echo mine");
  assert.equal((await drain(home, project)).summarizer.written, 1);
  assert.equal(summaryIn(home).text, "mine");
  assert.throws(() => Deno.statSync(ran), Deno.errors.NotFound);
});

test("hooks keep nothing of a summarizer that is itself a session of Claude Code", async (home) => {
  await endedSession(home);
  await drain(home);
  const sessions = () => query(home.database, "SELECT count(*) AS n FROM sessions")[0]!["n"];
  assert.equal(sessions(), 1);
  const seen = join(home.path, "seen");
  configure(home, `echo "$CONCLAUDE_SUMMARIZER" > ${seen}; echo fine`);
  await drain(home);
  assert.match(Deno.readTextFileSync(seen), /^[0-9a-f-]{36}\n$/);
  const session = { session_id: "a-session-of-the-summarizer", cwd: home.path };
  const event = { ...session, hook_event_name: "SessionStart", source: "startup" };
  const marked = await hook("SessionStart", event, home, { env: { CONCLAUDE_SUMMARIZER: "1" } });
  assert.equal(marked.code, 0);
  assert.equal(sessions(), 1);
  await hook("SessionStart", event, home);
  assert.equal(sessions(), 2, "without the mark it is a session like any other");
});

test("no hook runs the command, not the drain beside a Stop either", async (home) => {
  const ran = join(home.path, "ran");
  configure(home, `touch ${ran}; echo text`);
  await endedSession(home);
  await send(home, "Drain", { hook_event_name: "Stop", stop_hook_active: false });
  assert.match(summaryIn(home).text, /Asked:/);
  assert.throws(() => Deno.statSync(ran), Deno.errors.NotFound);
});
