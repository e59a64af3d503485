import assert from "node:assert/strict";
import { join } from "node:path";
import { askQuestion } from "../../src/work/questions_table.ts";
import { busyStage, engineStage, linesOf } from "../support/engine.ts";
import { hook } from "../support/program.ts";

const SESSION = "cad0ac4d-3933-45ad-9a1c-14aec05bb940";

/** Asks at first, and says what it was told when its session goes on. */
const ASKS = `
echo "$*" >>$LOG/args
cat >>$LOG/stdin; echo >>$LOG/stdin
case $* in
*--resume*) echo '{"type":"result","session_id":"${SESSION}","result":"Thanks."}' ;;
*) echo '{"type":"assistant","session_id":"${SESSION}","message":{"content":[{"type":"text","text":"Which color do you want?"}]}}' ;;
esac`;

const ONE_AGENT = `
  - name: paint
    type: agent
    prompt: |
      Paint {{.task.title}}
`;

Deno.test("a question is answered once, and the agent goes on in its session with the answer", async () => {
  await using stage = await busyStage({ agent: ASKS, workflow: ONE_AGENT });
  const { folder, json, run, begin, reaches } = stage;
  const id = await begin("the shed");
  const blocked = await reaches(id, "blocked");
  assert.match(blocked.reason, /asked a question/);
  const { questions } = (await json(["question", "list", "--task", id.slice(-8)])).body;
  assert.equal(questions.length, 1);
  const [{ id: questionId, text, sessionId, status }] = questions;
  assert.deepEqual([text, sessionId, status], ["Which color do you want?", SESSION, "pending"]);
  const { stdout } = await run(["workflow", "show", id]);
  assert.ok(stdout.includes(`conclaude question answer ${questionId} TEXT`), stdout);
  const empty = await json(["question", "answer", questionId, " "]);
  assert.deepEqual([empty.code, empty.body.error.reason], [2, "INVALID_INPUT"]);
  assert.equal((await run(["question", "answer", questionId])).code, 2);
  const { code, body } = await json(
    ["question", "answer", questionId, "--stdin"],
    "Blue, please\n",
  );
  assert.deepEqual([code, body.delivered, body.deliveryError], [0, true, undefined]);
  assert.equal(body.question.answer, "Blue, please");
  const second = await json(["question", "answer", questionId, "Red"]);
  assert.deepEqual([second.code, second.body.error.reason], [11, "ALREADY_ANSWERED"]);
  await reaches(id, "completed");
  assert.deepEqual(linesOf(join(folder, "log", "args")), ["", `--resume ${SESSION}`]);
  assert.deepEqual(linesOf(join(folder, "log", "stdin")), ["Paint the shed", "", "Blue, please"]);
  const shown = (await json(["question", "show", questionId])).body.question;
  assert.deepEqual([shown.status, shown.answer], ["resolved", "Blue, please"]);
  assert.match((await run(["question", "list"])).stdout, /Nobody asks anything/);
  assert.match((await run(["question", "list", "--all"])).stdout, /resolved .*Which color/);
  assert.equal((await json(["question", "show", "q-1"])).code, 10);
});

Deno.test("a workflow that is retried or cancelled no longer waits for an answer", async () => {
  await using stage = await engineStage({ agent: ASKS, workflow: ONE_AGENT });
  const { folder, json, begin, reaches } = stage;
  const ofTask = async (id: string) =>
    (await json(["question", "list", "--all", "--task", id])).body.questions;
  await using _engine = await stage.startEngine();
  const id = await begin();
  await reaches(id, "blocked");
  const [first] = await ofTask(id);
  await json(["workflow", "retry", id]);
  await reaches(id, "blocked");
  assert.deepEqual(
    (await ofTask(id)).map(({ status }: { status: string }) => status),
    ["resolved", "pending"],
  );
  const late = await json(["question", "answer", first.id, "Blue"]);
  assert.equal(late.body.error.reason, "ALREADY_ANSWERED");
  assert.ok(!linesOf(join(folder, "log", "args")).join().includes("--resume"));
  await json(["workflow", "cancel", id]);
  assert.equal((await ofTask(id)).at(-1).status, "resolved");
});

Deno.test("a question of a session tells which tool use waits, and is answered where the session runs alone", async () => {
  await using stage = await engineStage({ workflow: ONE_AGENT });
  const { db, json, run, folder, project } = stage;
  const wanted = { tool_name: "Bash", tool_input: { command: "npm test" } };
  const request = { session_id: SESSION, cwd: project, tool_use_id: "toolu_1", ...wanted };
  await hook("PermissionRequest", request, join(folder, "home"));
  const id = askQuestion(db, {
    type: "permission",
    text: "Claude needs your permission",
    options: [],
    source: "notification",
    taskId: null,
    workflowId: null,
    stepKey: null,
    agentId: null,
    sessionId: SESSION,
    origin: null,
  }, Date.now())!;
  assert.match((await run(["question", "show", id])).stdout, /options: +allow, deny/);
  for (const words of [["list"], ["show", id]]) {
    assert.match((await run(["question", ...words])).stdout, /Bash: npm test/, words[0]);
  }
  assert.match((await run(["memory", "open"])).stdout, /Bash: npm test \(Claude needs/);
  const { code, body } = await json(["question", "answer", id, "allow"]);
  assert.deepEqual([code, body.error.reason], [11, "INVALID_STATUS"]);
  assert.match(body.error.next, new RegExp(`where session ${SESSION} runs`));
  const { question } = (await json(["question", "show", id])).body;
  assert.deepEqual([question.status, question.answer], ["pending", null]);
});

Deno.test("secrets in an answer are not kept", async () => {
  await using stage = await busyStage({ agent: ASKS, workflow: ONE_AGENT });
  const { json, begin, reaches } = stage;
  await reaches(await begin(), "blocked");
  const { id } = (await json(["question", "list"])).body.questions[0];
  const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
  const { body } = await json(["question", "answer", id, `take ${secret}`]);
  assert.match(body.question.answer, /^take .*redacted/i);
});
