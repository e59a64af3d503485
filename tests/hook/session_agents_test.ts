/** What hooks tell of sub-agents, questions and tasks, without any daemon. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { executions, query, type Row, sessionOf, spoolFiles } from "../support/look.ts";
import type { Finished } from "../support/process.ts";
import { hook, observed, runProgram, type TempHome, tempHome } from "../support/program.ts";
import { json } from "../support/verb.ts";
import { git, makeRepository } from "../support/git.ts";
import { testWith } from "../support/fixtures.ts";
import { change, configureUser } from "../support/on_home.ts";
import { endedPid } from "../support/processes.ts";

type Fields = Readonly<Record<string, unknown>>;

const SESSION = "00000000-0000-4000-8000-000000000001";
const TASK = "0198aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee";
const AGENT = "0198aaaa-bbbb-7ccc-8ddd-ffffffffffff";
const OF_AGENT = {
  CONCLAUDE_TASK_ID: TASK,
  CONCLAUDE_AGENT_ID: AGENT,
  CONCLAUDE_WORKFLOW_ID: TASK,
};

/** Sends an event as Claude Code 2.1.329 has sent it, with some fields changed. */
function send(home: TempHome, name: string, fields: Fields = {}, env = {}): Promise<Finished> {
  const payload = { ...observed(name, { PROJECT: home.path, HOME: home.path }), ...fields };
  return hook(name.split(".")[0]!, payload, home, { env });
}

function agents(home: TempHome): Row[] {
  return query(home, "SELECT * FROM agents ORDER BY created_at_ms, id");
}

function questions(home: TempHome): Row[] {
  return query(home, "SELECT * FROM questions ORDER BY created_at_ms, id");
}

function eventTypes(home: TempHome): unknown[] {
  return query(home, "SELECT type FROM events ORDER BY id").map(({ type }) => type);
}

const test = testWith(tempHome);

test("a sub-agent is an agent of its session from its start to its stop", async (home) => {
  await send(home, "SubagentStart");
  const [running] = agents(home);
  assert.equal(running!["id"], `${SESSION}-a8e677d255a42b46e`);
  assert.deepEqual(
    ["kind", "name", "status", "session_id", "task_id", "worktree"].map((name) => running![name]),
    ["subagent", "general-purpose", "running", SESSION, null, null],
  );
  const shown = await json(home, "session", "show", SESSION);
  assert.deepEqual(shown.agents.map(({ status }: Row) => status), ["running"]);
  await send(home, "SubagentStop");
  await send(home, "PostToolUse.Agent");
  const [ended, ...more] = agents(home);
  assert.deepEqual([ended!["status"], more], ["completed", []]);
  assert.ok(Number(ended!["ended_at_ms"]) >= Number(running!["started_at_ms"]));
  assert.deepEqual(eventTypes(home), ["agent.started", "agent.completed"]);
});

test("a sub-agent of which only its tool tells is there as well", async (home) => {
  await send(home, "PostToolUse.Agent", {
    tool_response: { status: "async_launched", agentId: "a1", agentType: "scout" },
  });
  assert.deepEqual(agents(home).map(({ name, status }) => [name, status]), [["scout", "running"]]);
  await send(home, "SubagentStop", { agent_id: "a1" });
  await send(home, "PostToolUse.Agent", {
    tool_response: { status: "async_launched", agentId: "a1", agentType: "scout" },
  });
  assert.deepEqual(agents(home).map(({ status }) => status), ["completed"]);
  await send(home, "SubagentStart", { agent_id: "a1" });
  assert.deepEqual(agents(home).map(({ status }) => status), ["running"], "it was given more");
});

test("the agent that compacts a session is none of its sub-agents", async (home) => {
  await send(home, "SubagentStop.compaction");
  assert.deepEqual(agents(home), []);
});

test("the end of a session ends what still runs and waits in it", async (home) => {
  await send(home, "SubagentStart");
  await send(home, "SubagentStart", { agent_id: "b", session_id: "other" });
  await send(home, "Notification.permission_prompt");
  await send(home, "SessionEnd.other");
  const [killed, other] = agents(home);
  assert.deepEqual([killed!["status"], killed!["error"]], ["killed", "its session ended"]);
  assert.equal(other!["status"], "running");
  assert.deepEqual(questions(home).map(({ status }) => status), ["resolved"]);
});

test("a session whose process is gone ends its sub-agents with it", async (home) => {
  const lost = { CLAUDE_PID: String(await endedPid()) };
  await send(home, "SessionStart.startup", { session_id: "lost" }, lost);
  await send(home, "SubagentStart", { session_id: "lost" }, lost);
  await send(home, "SessionStart.startup", {}, { CLAUDE_PID: String(Deno.pid) });
  assert.equal(sessionOf(home, "lost")["status"], "abandoned");
  assert.deepEqual(agents(home).map(({ status, error }) => [status, error]), [
    ["killed", "its session ended"],
  ]);
});

Deno.test("a permission that a person is asked for is a question until the session goes on", async () => {
  const after = ["UserPromptSubmit", "Stop", "PostToolBatch", "SessionEnd.other"];
  for (const next of after) {
    using home = tempHome();
    await send(home, "Notification.permission_prompt");
    await send(home, "Notification.permission_prompt");
    const [asked, ...more] = questions(home);
    assert.deepEqual(more, []);
    assert.deepEqual(
      ["source", "type", "text", "status", "session_id"].map((name) => asked![name]),
      ["notification", "permission", "Claude needs your permission", "pending", SESSION],
    );
    await send(home, next, { session_id: "other" });
    assert.equal(questions(home)[0]!["status"], "pending", `${next} of another session`);
    await send(home, next);
    assert.equal(questions(home)[0]!["status"], "resolved", next);
    assert.deepEqual(eventTypes(home), ["agent.question", "question.resolved"]);
  }
});

Deno.test("a question about a permission is closed when the tool use that it is about has run, and by no other", async () => {
  const asked = {
    tool_name: "Bash",
    tool_input: { command: `touch ${"made-by-bash ".repeat(40)}` },
  };
  for (const end of ["PostToolUse", "PostToolUseFailure"]) {
    using home = tempHome();
    await send(home, "PermissionRequest.Bash", asked);
    await send(home, "Notification.permission_prompt");
    const isOpen = async () => (await json(home, "question", "list")).questions.length === 1;
    const others = [
      { ...asked, tool_input: { command: "touch it" } },
      { ...asked, session_id: "other" },
      { tool_name: "Read", tool_input: { file_path: "/p/a" } },
    ];
    for (const other of others) {
      await hook(end, { session_id: SESSION, cwd: home.path, ...other }, home);
      assert.ok(await isOpen(), JSON.stringify(other));
    }
    await hook(end, { session_id: SESSION, cwd: home.path, ...asked }, home);
    assert.equal(await isOpen(), false, end);
    assert.deepEqual(eventTypes(home), ["agent.question", "question.resolved"]);
  }
});

test("a notice that Claude is idle is no question", async (home) => {
  await send(home, "Notification.idle_prompt");
  await send(home, "Notification.elicitation_response");
  assert.deepEqual(questions(home), []);
});

test("a server's elicitation is a question with its choices, and its answer is kept", async (home) => {
  const schema = { properties: { colour: { type: "string", enum: ["red", "blue"] } } };
  const { stdout } = await send(home, "Elicitation", { requested_schema: schema });
  assert.equal(stdout, "", "it is answered by the person");
  const dialog = { notification_type: "elicitation_dialog", message: "mock needs your input" };
  await send(home, "Notification.idle_prompt", dialog);
  const [asked, ...more] = questions(home);
  assert.deepEqual(more, []);
  assert.deepEqual(
    ["source", "type", "text", "options", "status"].map((name) => asked![name]),
    ["elicitation", "choice", "mock: Which colour?", '["red","blue"]', "pending"],
  );
  await send(home, "ElicitationResult", { action: "accept", content: { colour: "blue" } });
  const [answered] = questions(home);
  assert.deepEqual(
    ["status", "answer", "answered_by"].map((name) => answered![name]),
    ["resolved", "blue", "user"],
  );
  await send(home, "Elicitation");
  await send(home, "ElicitationResult");
  const [, cancelled] = questions(home);
  assert.deepEqual([cancelled!["status"], cancelled!["answer"]], ["resolved", null]);
});

test("secrets in what is asked and answered are masked", async (home) => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  await send(home, "Elicitation", { message: `Is ${secret} right?` });
  await send(home, "ElicitationResult", { action: "accept", content: { token: secret } });
  const texts = JSON.stringify([questions(home), query(home, "SELECT data FROM events")]);
  assert.equal(questions(home).length, 1);
  assert.ok(!texts.includes(secret));
});

test("a session that an agent was started for belongs to its task", async (home) => {
  await send(home, "PostToolUse.Bash", {}, OF_AGENT);
  await send(home, "SubagentStart", {}, OF_AGENT);
  await send(home, "Notification.permission_prompt", {}, OF_AGENT);
  const { task_id, agent_id } = sessionOf(home, SESSION);
  assert.deepEqual([task_id, agent_id], [TASK, AGENT]);
  assert.equal(agents(home)[0]!["task_id"], TASK);
  assert.deepEqual([questions(home)[0]!["task_id"], questions(home)[0]!["agent_id"]], [
    TASK,
    AGENT,
  ]);
  const { session } = await json(home, "session", "show", SESSION);
  assert.deepEqual([session.taskId, session.agentId], [TASK, AGENT]);
  const { sessions } = await json(home, "session", "list");
  assert.equal(sessions[0].taskId, TASK);
});

test("the agent and its task tell the session that its process works in", async (home) => {
  const { task } = await json(home, "task", "create", "--title", "Mend it");
  change(
    home.database,
    `INSERT INTO agents (id, kind, name, status, task_id, created_at_ms, updated_at_ms)
     VALUES (?, 'agent', 'implement', 'running', ?, 1, 1)`,
    AGENT,
    task.id,
  );
  const env = { CONCLAUDE_TASK_ID: task.id, CONCLAUDE_AGENT_ID: AGENT };
  await send(home, "SessionStart.startup", {}, env);
  await send(home, "SessionStart.startup", { session_id: "inner" }, env);
  assert.equal(agents(home)[0]!["session_id"], SESSION, "not the one that it starts itself");
  const shown = await json(home, "task", "show", task.id);
  assert.deepEqual(
    shown.task.sessions.map(({ sessionId }: Row) => sessionId).sort(),
    [SESSION, "inner"],
  );
});

test("a variable that is no id links a session to nothing", async (home) => {
  await send(home, "Stop", {}, { CONCLAUDE_TASK_ID: "x'; --", CONCLAUDE_AGENT_ID: "1" });
  assert.equal(sessionOf(home, SESSION)["task_id"], null);
  await send(home, "Stop", {}, { CONCLAUDE_TASK_ID: TASK, CONCLAUDE_AGENT_ID: "a8e6" });
  const { task_id, agent_id } = sessionOf(home, SESSION);
  assert.deepEqual([task_id, agent_id], [TASK, null]);
});

Deno.test("where nothing of the content is kept, nothing is told of sub-agents and questions", async () => {
  const configs = [
    "capture:\n  enabled: false\n",
    "capture:\n  exclude:\n    projects: ['**']\n",
    "database:\n  enabled: false\n",
  ];
  for (const config of configs) {
    using home = tempHome();
    configureUser(home, config);
    await send(home, "SubagentStart");
    await send(home, "Elicitation");
    const isOff = config.startsWith("database");
    assert.deepEqual(isOff ? [] : [...agents(home), ...questions(home)], [], config);
    if (!isOff) assert.equal(executions(home).length, 2);
  }
});

test("the working tree of a sub-agent is known where it has one of its own", async (home) => {
  const app = join(home.path, "app");
  makeRepository(app);
  await git(app, "commit", "-q", "--allow-empty", "-m", "first");
  await git(app, "worktree", "add", "-q", join(home.path, "tree"));
  const env = { CLAUDE_PROJECT_DIR: join(home.path, "app") };
  await send(home, "SubagentStart", { cwd: join(home.path, "tree") }, env);
  await send(home, "SubagentStart", { agent_id: "b", cwd: join(home.path, "app") }, env);
  await send(home, "PostToolUse.Agent", {
    tool_response: { status: "completed", agentId: "b", worktreePath: "/w/b" },
  });
  assert.deepEqual(agents(home).map(({ worktree }) => worktree), [join(home.path, "tree"), "/w/b"]);
});

/** Everything that a history has left behind, without times and numbers. */
function told(home: TempHome) {
  return {
    agents: query(home, "SELECT id, name, status, error, session_id FROM agents ORDER BY id"),
    questions: query(
      home,
      "SELECT type, text, status, answer, session_id FROM questions ORDER BY created_at_ms, id",
    ),
    events: query(home, "SELECT type, entity_type FROM events ORDER BY id"),
  };
}

Deno.test("events that waited in the spool leave the same agents, questions and events", async () => {
  const step = fc.constantFrom(
    "SubagentStart",
    "SubagentStop",
    "Notification.permission_prompt",
    "Elicitation",
    "ElicitationResult",
    "PostToolBatch",
    "UserPromptSubmit",
    "SessionEnd.other",
  );
  const history = fc.array(step, { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(history, async (names) => {
      using direct = tempHome();
      using late = tempHome();
      await send(direct, "SessionStart.startup");
      await send(late, "SessionStart.startup");
      const other = new DatabaseSync(late.database);
      other.exec("PRAGMA user_version = 99");
      for (const name of names) {
        await send(direct, name);
        await send(late, name);
      }
      assert.equal(spoolFiles(late).length, names.length);
      const copies = spoolFiles(late).map((path) => [path, Deno.readTextFileSync(path)] as const);
      other.exec(
        `PRAGMA user_version = ${query(direct, "PRAGMA user_version")[0]!["user_version"]}`,
      );
      other.close();
      const drain = ["queue", "drain"];
      await runProgram(drain, { env: { HOME: late.path } });
      for (const [path, text] of copies) Deno.writeTextFileSync(path, text);
      await runProgram(drain, { env: { HOME: late.path } });
      assert.deepEqual(spoolFiles(late), []);
      assert.deepEqual(told(late), told(direct));
    }),
    { numRuns: 6 },
  );
});
