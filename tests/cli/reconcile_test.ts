/** `conclaude reconcile` and `conclaude import transcripts`, on transcripts that Claude Code wrote. */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  captures,
  executions,
  filesBelow,
  filesWith,
  query,
  queryValue,
  sessionOf,
  sessions,
} from "../support/look.ts";
import { spawnProgram } from "../support/process.ts";
import { jsonOf, runProgram, type TempHome, tempHome } from "../support/program.ts";
import {
  longTranscript,
  PROJECT,
  putTranscripts,
  type Recorded,
  tellHooks,
  toldOf,
  transcriptsOf,
} from "../support/transcripts.ts";
import { pause } from "../support/wait.ts";
import { run } from "../support/verb.ts";
import { testWith } from "../support/fixtures.ts";
import { change, configureUser } from "../support/on_home.ts";

const test = testWith(tempHome);

const TOOLS = "46ad5877-77d8-4d02-9450-1cf9a5c136f9";
const WORK = "8e9312b2-b577-45f9-8cef-c3f687cfffcf";

async function reconcileJson(home: TempHome, ...args: string[]) {
  const finished = await run(home, "reconcile", "--json", ...args);
  return { ...jsonOf(finished), code: finished.code };
}

test("a session of which every hook ran has no gaps, and no capture that its transcript lacks", async (home) => {
  const names: Recorded[] = ["work", "tools", "refused", "forked"];
  putTranscripts(home, names);
  for (const name of names) await tellHooks(home, name);
  const { stdout, code } = await run(home, "reconcile");
  assert.equal(stdout, "transcripts 6, of 5 sessions\ngaps        none\n");
  assert.equal(code, 0);
});

test("lines that a forked session repeats are no gaps, even without a mark that says so", async (home) => {
  putTranscripts(home, ["forked"], (text) => text.replace(/,"requestSessionId":"[^"]*"/g, ""));
  await tellHooks(home, "forked");
  assert.equal((await reconcileJson(home)).gaps, 0);
});

test("a prompt that was sent twice and captured once is one gap", async (home) => {
  putTranscripts(
    home,
    ["work"],
    (text) => text.replaceAll('"content":"end"', '"content":"After compaction."'),
  );
  await tellHooks(home, "work", (payload) => payload["prompt"] === "end");
  const { sessions, gaps } = await reconcileJson(home);
  assert.equal(gaps, 1);
  assert.equal(sessions[0].gaps[0].name, "UserPromptSubmit");
});

test("a gap is named by session, kind, tool, time and id, and the exit status is 1", async (home) => {
  putTranscripts(home, ["work", "tools"]);
  await tellHooks(home, "work");
  await tellHooks(
    home,
    "tools",
    (payload) => payload["tool_name"] === "Edit" || payload["hook_event_name"] === "Stop",
  );
  const { stdout, code } = await run(home, "reconcile");
  const line = /^46ad5877 +2 of 8 {2}1 tool use, 1 last message {2}\/home\/ana\/app$/m;
  assert.match(stdout, line);
  assert.doesNotMatch(stdout, /toolu_/, "a session is told in one line");
  assert.match(stdout, /^gaps {8}2 in 1 session; --session ID names each$/m);
  const { stdout: each } = await run(home, "reconcile", "--session", "46ad");
  assert.match(each, line);
  assert.match(each, /^ {2}2026-11-22T03:32:53Z {2}Edit {2}toolu_01ana005_0$/m);
  assert.match(stdout, /^next {8}conclaude reconcile --backfill$/m);
  assert.equal(code, 1);
  const { sessions, gaps } = await reconcileJson(home, "--session", "46ad");
  assert.equal(gaps, 2);
  assert.deepEqual(sessions[0].missing, { toolUse: 1, prompt: 0, lastMessage: 1, compaction: 0 });
  assert.equal(sessions.length, 1);
});

test("a backfill makes the captures that hooks would have made", async (hooked) => {
  using filled = tempHome();
  const names: Recorded[] = ["work", "tools", "refused", "forked"];
  for (const name of names) await tellHooks(hooked, name);
  putTranscripts(filled, names);
  assert.match((await run(filled, "reconcile")).stdout, /^SESSION[^]*nothing of it is kept/m);
  const { stdout, code } = await run(filled, "reconcile", "--backfill");
  assert.doesNotMatch(stdout, /^SESSION/m, "what was filled is missing no more");
  assert.match(stdout, /^memory {6}38 captures worked in$/m);
  assert.doesNotMatch(stdout, /^next/m);
  assert.equal(code, 0);
  assert.deepEqual(toldOf(filled), toldOf(hooked));
  assert.deepEqual(executions(filled), [], "no hook ran");
  assert.equal(queryValue(filled, "SELECT count(*) FROM counters"), 0);
});

test("a session that was not known is added as ended, with its times, and what happened in it observed", async (home) => {
  putTranscripts(home, ["tools"]);
  await run(home, "reconcile", "--backfill");
  const session = sessionOf(home, TOOLS);
  assert.equal(session["status"], "ended");
  assert.equal(session["project_dir"], PROJECT);
  assert.equal(session["title"], "Write a greeting.");
  assert.equal(session["started_at_ms"], Date.parse("2026-11-22T03:32:52.330Z"));
  assert.equal(captures(home)[0]!["created_at_ms"], session["started_at_ms"]);
  assert.match(
    String(queryValue(home, "SELECT group_concat(title, char(10)) FROM observations")),
    /failed \(exit 3\)/,
  );
  assert.equal((await reconcileJson(home)).code, 0);
});

test("a second backfill writes nothing, and two at once write nothing twice", async (home) => {
  putTranscripts(home, ["work", "tools"]);
  Deno.writeTextFileSync(
    join(transcriptsOf(home), "long.jsonl"),
    longTranscript("long-session", 600),
  );
  const words = ["reconcile", "--json", "--backfill"];
  const backfill = () => runProgram(words, { env: { HOME: home.path }, through: [] });
  const both = await Promise.all([backfill(), backfill()]);
  const written = both.map((one) => jsonOf(one).filled.written);
  assert.equal(written[0] + written[1], 624);
  assert.deepEqual(both.map(({ code }) => code), [0, 0]);
  const ids = query(
    home,
    "SELECT DISTINCT session_id, tool_use_id FROM pending_queue WHERE tool_use_id > ''",
  );
  assert.equal(ids.length, 609);
  assert.equal(captures(home).length, 624);
  assert.equal((await reconcileJson(home, "--backfill")).filled.written, 0);
});

test.slow("a killed backfill continues when it is run again", async (home) => {
  putTranscripts(home, ["tools"]);
  const count = 4_000;
  Deno.writeTextFileSync(
    join(transcriptsOf(home), "long.jsonl"),
    longTranscript("long-session", count),
  );
  const child = spawnProgram(["reconcile", "--backfill"], { env: { HOME: home.path } });
  const written = () => {
    try {
      return Number(queryValue(home, "SELECT count(*) FROM pending_queue"));
    } catch {
      return 0;
    }
  };
  while (written() < 100) await pause(5);
  child.kill("SIGKILL");
  await Promise.all([child.output(), child.stdin.close().catch(() => {})]);
  const before = written();
  assert.ok(before >= 100 && before < count, `${before} were written when it was killed`);
  assert.equal(before % 50, 0, "a transaction is whole or not there");
  assert.equal((await reconcileJson(home, "--backfill")).filled.written, count + 8 - before);
  assert.equal((await reconcileJson(home)).gaps, 0);
});

test("no byte of the database holds a secret or private words of a transcript", async (home) => {
  const token = `ghp_${"a1B2c3D4".repeat(5)}`;
  configureUser(home, 'capture:\n  redact:\n    patterns: ["ACME-[0-9]+"]\n');
  putTranscripts(
    home,
    ["work", "tools"],
    (text) =>
      text.replaceAll("hidden words", "zebra crossing")
        .replaceAll("wc -l hello.txt", `curl -u ana:${token} ACME-4711`)
        .replaceAll("Exit code 3", `Exit code 3 <private>zebra crossing</private> ${token}`),
  );
  assert.equal((await run(home, "reconcile", "--backfill")).code, 0);
  assert.equal(captures(home).length, 24);
  for (const secret of [token, "zebra", "ACME-4711"]) {
    assert.deepEqual(filesWith(join(home.path, ".conclaude"), secret), [], secret);
  }
  assert.equal((await reconcileJson(home)).gaps, 0, "what was masked is found again");
});

test("excluded uses are no gaps, and are counted", async (home) => {
  putTranscripts(home, ["tools"]);
  configureUser(home, "capture:\n  exclude:\n    tools: [Bash]\n    paths: [hello.txt]\n");
  const { sessions, gaps } = await reconcileJson(home);
  assert.deepEqual(sessions[0].excluded, {
    "capture.exclude.tools": 3,
    "capture.exclude.paths": 3,
  });
  assert.equal(gaps, 2);
  await run(home, "reconcile", "--backfill");
  assert.deepEqual(captures(home).map((row) => row["tool_name"]), ["UserPromptSubmit", "Stop"]);
  configureUser(home, "capture:\n  enabled: false\n");
  assert.equal((await reconcileJson(home)).gaps, 0);
});

const BROKEN = '{"type":"user", broken\n';

test("damaged lines are named by number in JSON, by file and reason in text, and the rest is read", async (home) => {
  const [path] = putTranscripts(
    home,
    ["tools"],
    (text) => `${BROKEN.repeat(12)}${text}{"type":"user"`,
  );
  Deno.utimeSync(path!, 1_700_000_000, 1_700_000_000);
  const { damaged, gaps } = await reconcileJson(home);
  const lines = Deno.readTextFileSync(path!).split("\n").length;
  assert.deepEqual(damaged.slice(11), [
    { path, line: 12, reason: "it is not JSON" },
    { path, line: lines, reason: "it is cut off" },
  ]);
  assert.equal(gaps, 8);
  const { stdout, code } = await run(home, "reconcile", "--backfill");
  assert.match(stdout, /^damaged {5}\S+46ad5877\S+, 12 lines, the first at 1: it is not JSON$/m);
  assert.equal(code, 0);
});

test("an input of any depth is filled in and observed", async (home) => {
  const deep = "[".repeat(20_000) + "]".repeat(20_000);
  putTranscripts(home, ["tools"], (text) => text.replace('"wc -l hello.txt"', deep));
  assert.equal((await reconcileJson(home, "--backfill")).filled.written, 8);
  assert.equal(queryValue(home, "SELECT count(*) FROM pending_queue WHERE status = 'done'"), 8);
});

test("the last minute and a line that is being written are left to the hooks", async (home) => {
  const now = new Date().toISOString();
  putTranscripts(
    home,
    ["tools"],
    (text) =>
      text.replace(/"timestamp":"2026-11-22T03:32:53[^"]*"/g, `"timestamp":"${now}"`) +
      '{"type":"user"',
  );
  const { sessions, gaps, damaged } = await reconcileJson(home, "--backfill");
  assert.equal(gaps, 3);
  assert.equal(sessions[0].recent, 5);
  assert.deepEqual(damaged, []);
  assert.equal(captures(home).length, 3);
});

test("a backfill does not change a session that hooks have reported", async (home) => {
  putTranscripts(home, ["tools"]);
  await tellHooks(home, "tools", (payload) => payload["tool_name"] === "Edit");
  const before = [sessions(home), executions(home)];
  assert.equal((await reconcileJson(home, "--backfill")).filled.written, 1);
  assert.deepEqual([sessions(home), executions(home)], before);
});

test("captures without a transcript are only counted", async (home) => {
  putTranscripts(home, ["tools"]);
  await tellHooks(home, "tools");
  await tellHooks(home, "work");
  const { withoutTranscript, code } = await reconcileJson(home);
  assert.equal(withoutTranscript, 16);
  assert.equal(code, 0);
});

test("a session of a project with another database is named and left out", async (home) => {
  const project = join(home.path, "app");
  Deno.mkdirSync(project);
  Deno.writeTextFileSync(join(project, ".conclaude.yaml"), "database:\n  path: own.db\n");
  putTranscripts(home, ["tools"], (text) => text.replaceAll(PROJECT, project));
  const { sessions, gaps } = await reconcileJson(home);
  assert.equal(sessions[0].state, "elsewhere");
  assert.equal(sessions[0].keptIn, join(project, "own.db"));
  assert.equal(gaps, 0);
});

test("a session that retention removed after it was observed has no gaps", async (home) => {
  putTranscripts(home, ["tools"]);
  await run(home, "reconcile", "--backfill");
  await run(home, "queue", "drain");
  change(home.database, "DELETE FROM pending_queue; DELETE FROM sessions");
  const { sessions, gaps } = await reconcileJson(home, "--backfill");
  assert.equal(sessions[0].state, "removed");
  assert.equal(gaps, 0);
  assert.equal(captures(home).length, 0);
});

test("sessions can be chosen by project and by time, and looking makes no database", async (home) => {
  putTranscripts(home, ["tools"]);
  putTranscripts(home, ["work"], (text) => text.replaceAll(PROJECT, "/home/ana/other"));
  const ofProject = await reconcileJson(home, "--project", "/home/ana/other");
  assert.deepEqual(ofProject.sessions.map(({ sessionId }: { sessionId: string }) => sessionId), [
    WORK,
  ]);
  assert.equal((await reconcileJson(home, "--since", "2026-11-22T03:36:01Z")).gaps, 5);
  assert.deepEqual(filesBelow(join(home.path, ".conclaude")), [], "no database is made");
  const unknown = await run(home, "reconcile", "--session", "ffffffff");
  assert.match(unknown.stderr, /^Cannot find a transcript of the session "ffffffff"/);
  assert.equal(unknown.code, 1);
});

test("a project that no folder and no transcript has is an error; a folder without transcripts is only mentioned", async (home) => {
  putTranscripts(home, ["tools"]);
  for (const project of ["/nope", "nope", `${PROJECT}x`]) {
    const { code, stdout, stderr } = await run(home, "reconcile", "--project", project);
    assert.deepEqual([code, stdout], [1, ""], project);
    assert.match(stderr, /^Cannot find a transcript of the project "/);
    assert.match(
      stderr,
      /\n {2}why: {2}there is no such folder, and of \d+ transcripts? none is of /,
    );
    assert.match(stderr, /\n {2}next: conclaude reconcile\n$/);
  }
  const there = join(home.path, "new-project");
  Deno.mkdirSync(there);
  for (const args of [["--project", there], ["--project", PROJECT, "--since", "2099-01-01"]]) {
    const { code, stdout } = await run(home, "reconcile", ...args);
    assert.equal(code, 0);
    assert.match(stdout, /^project {5}no transcript that was looked at is of "/);
  }
  const known = await run(home, "reconcile", "--project", PROJECT);
  assert.equal(known.code, 1);
  assert.doesNotMatch(known.stdout, /no transcript/);
});

test("import transcripts imports a folder of any machine once; --dry-run only reports", async (home) => {
  using other = tempHome();
  putTranscripts(other, ["work", "forked"]);
  const dir = transcriptsOf(other);
  const dry = await run(home, "import", "transcripts", dir, "--dry-run");
  assert.match(dry.stdout, /^gaps {8}27 in 3 sessions$/m);
  assert.equal(dry.code, 0);
  assert.deepEqual(filesBelow(join(home.path, ".conclaude")), []);
  const { stdout, code } = await run(home, "import", "transcripts", dir);
  assert.match(stdout, /^imported {4}27 captures of 3 sessions$/m);
  assert.match(stdout, /^memory {6}27 captures worked in$/m);
  assert.equal(code, 0);
  const again = await run(home, "import", "transcripts", dir, "--json");
  assert.equal(JSON.parse(again.stdout).filled.written, 0);
  const nowhere = await run(home, "import", "transcripts", join(dir, "nowhere"));
  assert.match(nowhere.stderr, /^Cannot import transcripts\n {2}why: {2}there is no folder/);
  const empty = await run(home, "import", "transcripts", join(home.path, ".conclaude"));
  assert.match(empty.stderr, /0 files were read, and no line there tells of a session/);
  assert.equal(empty.code, 1);
  const garbage = join(home.path, "garbage");
  Deno.mkdirSync(garbage);
  Deno.writeTextFileSync(join(garbage, "a.txt"), "no transcript\n");
  Deno.writeTextFileSync(join(garbage, "b.jsonl"), '{"type":"document","id":"1"}\nrubbish\n');
  for (const place of [garbage, join(garbage, "a.txt"), join(garbage, "b.jsonl")]) {
    for (const flags of [[], ["--dry-run"]]) {
      const { code, stdout, stderr } = await run(home, "import", "transcripts", place, ...flags);
      assert.deepEqual([code, stdout], [1, ""], place);
      assert.ok(
        stderr.includes(`why:  0 transcripts in "${place}": 1 file was read, and no line there`),
        stderr,
      );
    }
  }
});

test("where Claude Code has no transcripts yet, nothing is missing", async (home) => {
  for (const args of [["reconcile"], ["reconcile", "--backfill"]]) {
    const done = await runProgram(args, { env: { HOME: home.path } });
    assert.deepEqual([done.code, done.stderr], [0, ""]);
    assert.match(done.stdout, /^transcripts 0, of 0 sessions\ngaps {8}none$/m);
  }
  const named = await runProgram(["reconcile", "--transcripts", "gone"], {
    env: { HOME: home.path },
  });
  assert.equal(named.code, 1);
  assert.match(named.stderr, /there is no folder/);
});
