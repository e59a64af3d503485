/** What other rows tell of what is forgotten, without naming it: hooks beside a tool use, events beside a question. */
import assert from "node:assert/strict";
import { testWith } from "../../support/fixtures.ts";
import { hook, jsonOf, type TempHome, tempHome } from "../../support/program.ts";
import { run } from "../../support/verb.ts";

const SESSION = "a5a5a5a5-0000-4000-8000-000000000001";

/** Sends hooks of one session. */
async function send(home: TempHome, ...events: (readonly [event: string, fields: object])[]) {
  for (const [event, fields] of events) {
    const { code, stderr } = await hook(event, {
      session_id: SESSION,
      cwd: home.path,
      hook_event_name: event,
      ...fields,
    }, home);
    assert.equal(code, 0, stderr);
  }
  assert.equal((await run(home, "queue", "drain")).code, 0);
}

/** The lines of an export with a text in them. */
async function linesWith(home: TempHome, text: string): Promise<string[]> {
  const { stdout } = await run(home, "export");
  return stdout.split("\n").filter((line) => line.includes(text));
}

/** The numbers of the observations that tell of it, without summaries: these are written anew. */
async function numbersOf(home: TempHome, text: string): Promise<string[]> {
  return (await linesWith(home, text)).map((line) => JSON.parse(line))
    .filter(({ type, kind }) => type === "observation" && kind !== "summary")
    .map(({ id }) => String(id));
}

const test = testWith(tempHome);

test("forgetting an observation also removes what other hooks told of its tool use", async (home) => {
  const agent = (id: string, says: string) => ({
    tool_name: "Agent",
    tool_use_id: `toolu_${id}`,
    tool_input: { description: "Look", prompt: "Look around", subagent_type: "helper" },
    tool_response: {
      status: "completed",
      agentId: id,
      content: [{ type: "text", text: says }],
    },
  });
  const task = (id: string, subject: string) => ({
    tool_name: "TaskCreate",
    tool_use_id: `toolu_task_${id}`,
    tool_input: { subject, description: `All about ${subject}` },
    tool_response: { task: { id, subject } },
  });
  const ended = (id: string, says: string) => ({
    agent_id: id,
    agent_type: "helper",
    last_assistant_message: says,
  });
  await send(
    home,
    ["UserPromptSubmit", { prompt: "Do it" }],
    ["SubagentStop", ended("a1", "The key lies under ALPHASTONE.")],
    ["PostToolUse", agent("a1", "The key lies under ALPHASTONE.")],
    ["SubagentStop", ended("a2", "The other one is at BETASTONE.")],
    ["PostToolUse", agent("a2", "The other one is at BETASTONE.")],
    ["PostToolUse", task("1", "GAMMASTONE parser")],
    ["TaskCreated", { task_id: "1", task_subject: "GAMMASTONE parser" }],
    ["TaskCompleted", { task_id: "1", task_subject: "GAMMASTONE parser" }],
    ["PostToolUse", task("2", "DELTASTONE parser")],
    ["TaskCreated", { task_id: "2", task_subject: "DELTASTONE parser" }],
    ["PostToolUse", {
      tool_name: "Bash",
      tool_use_id: "toolu_bash",
      tool_input: { command: "echo EPSILONSTONE" },
      tool_response: { stdout: "", stderr: "" },
    }],
    ["Notification", { message: "Claude needs your permission to run echo EPSILONSTONE" }],
    ["Notification", { message: "Claude waits for your input" }],
  );
  for (const text of ["ALPHASTONE", "GAMMASTONE", "EPSILONSTONE"]) {
    const numbers = await numbersOf(home, text);
    assert.ok(numbers.length > 0, text);
    const looked = jsonOf(await run(home, "memory", "forget", ...numbers, "--dry-run", "--json"));
    const done = jsonOf(await run(home, "memory", "forget", ...numbers, "--yes", "--json"));
    assert.deepEqual(looked.wouldRemove, done.receipt.removed);
    await run(home, "queue", "drain");
    assert.deepEqual(await linesWith(home, text), []);
  }
  const audit = (lines: string[]) => lines.filter((line) => line.startsWith('{"type":"execution"'));
  for (const text of ["BETASTONE", "DELTASTONE", "waits for your input"]) {
    assert.ok(audit(await linesWith(home, text)).length > 0, text);
  }
});

test("forgetting an observation leaves what the same prompt was denied", async (home) => {
  Deno.writeTextFileSync(
    `${home.path}/.conclaude.yaml`,
    'preToolUse: {uneditableFiles: ["*.lock"]}\n',
  );
  const of = { prompt_id: "c7c7c7c7-0000-4000-8000-000000000003", agent_type: "general-purpose" };
  const read = { tool_name: "Read", tool_input: { file_path: `${home.path}/OMEGASTONE.md` } };
  await send(
    home,
    ["PreToolUse", {
      ...of,
      tool_name: "Edit",
      tool_input: { file_path: `${home.path}/deps.lock` },
    }],
    ["PostToolUse", { ...of, ...read, tool_use_id: "toolu_read", tool_response: "nothing" }],
  );
  const denials = await linesWith(home, "uneditableFiles");
  assert.equal(denials.length, 1);
  await run(home, "memory", "forget", ...await numbersOf(home, "OMEGASTONE"), "--yes");
  assert.deepEqual(await linesWith(home, "OMEGASTONE"), []);
  assert.deepEqual(await linesWith(home, "uneditableFiles"), denials);
});

test("a text that is forgotten in one session is removed from the events about its questions alone", async (home) => {
  const other = "b6b6b6b6-0000-4000-8000-000000000002";
  for (const session_id of [SESSION, other]) {
    await send(home, ["SessionStart", { source: "startup", session_id }], ["Notification", {
      session_id,
      message: "Claude needs permission for ZETASTONE",
      notification_type: "permission_prompt",
    }], ["UserPromptSubmit", { session_id, prompt: "about ZETASTONE" }]);
  }
  const events = (await linesWith(home, "ZETASTONE"))
    .filter((line) => line.startsWith('{"type":"event"'));
  assert.ok(events.length >= 2, events.join("\n"));
  const args = ["memory", "forget", "--session", SESSION, "--text", "ZETASTONE"];
  const looked = jsonOf(await run(home, ...args, "--dry-run", "--json"));
  const done = jsonOf(await run(home, ...args, "--yes", "--json"));
  assert.deepEqual(looked.wouldRemove, done.receipt.removed);
  const left = await linesWith(home, "ZETASTONE");
  assert.deepEqual(left.filter((line) => line.includes(SESSION)), []);
  assert.equal(left.filter((line) => line.startsWith('{"type":"event"')).length, events.length / 2);
});
