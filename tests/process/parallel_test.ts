/** Many processes at once on one database: nothing is lost, nothing is counted twice. */
import assert from "node:assert/strict";
import { IS_SLOW_LANE } from "../support/lanes.ts";
import { damages, logOf, query, queryValue, spoolFiles } from "../support/look.ts";
import { configureUser } from "../support/on_home.ts";
import { type Finished, startHook, startProgram } from "../support/process.ts";
import { type TempHome, tempHome } from "../support/program.ts";
import { it, testWith } from "../support/fixtures.ts";
import { RequiredProject, SESSION } from "../support/required_project.ts";

const AT_ONCE = IS_SLOW_LANE ? 64 : 16;
const ROUNDS = IS_SLOW_LANE ? 8 : 2;
const INCREMENTS = IS_SLOW_LANE ? 50 : 12;

function capture(home: TempHome, id: string): Promise<Finished> {
  const payload = {
    session_id: `session-${id.split("-")[0]}`,
    cwd: home.path,
    tool_name: "Bash",
    tool_use_id: id,
    tool_input: { command: `echo ${id}` },
    tool_response: { stdout: "line\n".repeat(200) },
  };
  return startHook("PostToolUse", payload, home);
}

function atOnce<Result>(count: number, start: (i: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => start(i)));
}

function assertAllAnswered(finished: readonly Finished[]): void {
  for (const { code, stdout, stderr } of finished) {
    assert.deepEqual({ code, stdout, stderr }, {
      code: 0,
      stdout: '{"continue":true,"suppressOutput":true}\n',
      stderr: "",
    });
  }
}

/** Lets hooks wait as long as the configuration allows: on a busy machine so many take longer than usual. */
function waitLonger(home: TempHome): void {
  configureUser(home, "database:\n  busyTimeoutMs: 9000\n");
}

/** Holds that each record is in the database; at most one of fifty was in the spool, where a hook gave up waiting. */
async function assertNothingLost(home: TempHome, hooks: number): Promise<void> {
  await startProgram(["queue", "drain"], { env: { HOME: home.path } });
  assert.doesNotMatch(logOf(home), / error |it is lost/);
  assert.ok((logOf(home).match(/ warn /g) ?? []).length <= hooks / 50, logOf(home));
  assert.deepEqual(spoolFiles(home), []);
}

const test = testWith(tempHome);

test(`${AT_ONCE} captures at once, ${ROUNDS} times over, are ${AT_ONCE * ROUNDS} rows, each once`, async (home) => {
  waitLonger(home);
  for (let round = 0; round < ROUNDS; round++) {
    assertAllAnswered(await atOnce(AT_ONCE, (i) => capture(home, `${round}-${i}`)));
  }
  await assertNothingLost(home, AT_ONCE * ROUNDS);
  assert.equal(
    queryValue(home, "SELECT count(DISTINCT tool_use_id) FROM pending_queue"),
    AT_ONCE * ROUNDS,
  );
  assert.equal(queryValue(home, "SELECT count(*) FROM pending_queue"), AT_ONCE * ROUNDS);
  assert.deepEqual(
    query(home, "SELECT status, count(*) AS n FROM hook_executions GROUP BY status"),
    query(home, "SELECT 'success' AS status, ? AS n", AT_ONCE * ROUNDS),
  );
  assert.deepEqual(
    query(home, "SELECT DISTINCT value FROM counters WHERE type = 'tool_uses'").map((row) =>
      row["value"]
    ),
    [AT_ONCE],
  );
  assert.deepEqual(damages(home), []);
});

it.slow(`${AT_ONCE} first hooks of a fresh home make one database together`, async () => {
  for (let round = 0; round < 2; round++) {
    using home = tempHome();
    assertAllAnswered(await atOnce(AT_ONCE, (i) => capture(home, `0-${i}`)));
    assert.equal(logOf(home), "");
    assert.equal(queryValue(home, "SELECT count(*) FROM pending_queue"), AT_ONCE);
    assert.equal(queryValue(home, "SELECT count(*) FROM sessions"), 1);
    assert.equal(queryValue(home, "PRAGMA journal_mode"), "wal");
    assert.deepEqual(damages(home), []);
  }
});

test.slow("all kinds of events at once, of sessions that start and end, leave a sound database", async (home) => {
  waitLonger(home);
  const events = [
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "Stop",
    "SessionEnd",
    "Told",
  ];
  for (let round = 0; round < 3; round++) {
    const finished = await atOnce(AT_ONCE, (i) =>
      startHook(events[i % events.length]!, {
        session_id: `s${i % 7}`,
        cwd: home.path,
        prompt: "Work",
        tool_name: "Edit",
      }, home));
    assert.deepEqual(finished.filter(({ code, stderr }) => code !== 0 || stderr !== ""), []);
  }
  await assertNothingLost(home, AT_ONCE * 3);
  assert.equal(queryValue(home, "SELECT count(*) FROM hook_executions"), AT_ONCE * 3);
  assert.equal(queryValue(home, "SELECT count(*) FROM sessions"), 7);
  assert.deepEqual(damages(home), []);
});

test.slow(`${INCREMENTS} increments of one counter at once are all counted`, async (home) => {
  const env = { HOME: home.path };
  const session = ["--session", "0198aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee"];
  await startHook("SessionStart", { session_id: session[1] }, home);
  const finished = await atOnce(
    INCREMENTS,
    () => startProgram(["counter", "increment", "builds", ...session], { env }),
  );
  for (const { code, stderr } of finished) {
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  }
  const { stdout } = await startProgram(["counter", "get", "builds", ...session, "--json"], {
    env,
  });
  assert.equal(JSON.parse(stdout).value, INCREMENTS);
});

it.slow("twenty people who satisfy different requirements at once are all recorded", async () => {
  const names = Array.from({ length: 20 }, (_, i) => `req_${i}`);
  using project = new RequiredProject(
    `requirements: {${names.map((name) => `${name}: {}`).join(", ")}}\n`,
  );
  await project.send("SessionStart");
  await Promise.all(names.map((name) => project.req("satisfy", name, "--session", "cad0ac4d")));
  for (const name of names) {
    const [row, ...more] = project.state(name);
    assert.deepEqual([row!["session_id"], more.length], [SESSION, 0]);
  }
  assert.deepEqual(damages(project.home), []);
  assert.equal(await project.edit(), null);
});

Deno.test("thirty tools at once with one review: answers and record fit some order", async () => {
  using project = new RequiredProject(
    "requirements: {review: {scope: single_use, triggerTools: [{tool: Bash, commandPattern: 'git\\s+push'}]}}\n",
  );
  await project.req("satisfy", "review", "--session", SESSION);
  const command = "git push";
  const uses = Array.from({ length: 30 }, (_, i) => i);
  const answers = await Promise.all(uses.map(async (i) => {
    const id = { tool_use_id: `toolu_${i}` };
    const denied = await project.bash(command, id);
    if (denied === null && i % 3 === 0) await project.used("Bash", { command }, id);
    return denied;
  }));
  // In the order in which they were written, none is denied before the first push, and all are after it.
  let usedUp = false;
  const rows = query(project.home, "SELECT hook_name, status FROM hook_executions ORDER BY rowid");
  for (const { hook_name: event, status } of rows) {
    if (event === "PostToolUse") usedUp = true;
    else assert.equal(status, usedUp ? "blocked" : "success");
  }
  assert.ok(answers.includes(null));
  assert.notEqual(await project.bash(command), null);
  assert.deepEqual(damages(project.home), []);
});
