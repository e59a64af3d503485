/** What the daemon tells of work that really runs: agents, their output and questions, workflows. */
import assert from "node:assert/strict";
import { type ApiDocument, judgeBy } from "../support/api_document.ts";
import { runDaemon, type RunningDaemon, type Sent } from "../support/daemon.ts";
import { type TempHome, tempHome } from "../support/program.ts";
import { workedProject } from "../support/worked_project.ts";
import { until } from "../support/wait.ts";
import { testWith } from "../support/fixtures.ts";

/** Says seven lines, and asks something the first time. */
const AGENT = `#!/bin/sh
cat >/dev/null
for line in one two three four five six; do echo $line; done
case $* in
*--resume*) echo '{"type":"result","session_id":"s","result":"Thanks."}' ;;
*) echo '{"type":"assistant","session_id":"s","message":{"content":[{"type":"text","text":"Which color?"}]}}' ;;
esac
`;

const WORKFLOW = (last: string) =>
  `name: paint
description: An agent, and what follows.
steps:
  - name: work
    type: agent
    prompt: |
      Paint.
      Then stop.
${last}`;

const MERGE =
  "  - name: paint\n    type: script\n    command: date > paint.txt\n  - name: bring\n    type: merge\n";

function workplace(home: TempHome, { agent = AGENT, last = "" } = {}) {
  return workedProject(home, { workflows: { paint: WORKFLOW(last) }, agent });
}

/** Waits until a workflow has a status. @returns What is told of it. */
async function reaches(daemon: RunningDaemon, taskId: string, status: string) {
  let told = await daemon.ask("GET", `/workflows/${taskId}`);
  await until(`the workflow is ${status}`, async () => {
    told = await daemon.ask("GET", `/workflows/${taskId}`);
    return told.body?.workflow?.status === status;
  });
  return told.body;
}

const test = testWith(tempHome);

test.unix("the API tells of running agents, questions and workflows as its document says", async (home) => {
  const project = await workplace(home, { last: MERGE });
  await using daemon = await runDaemon(home, { cwd: project.path });
  const judge = judgeBy((await daemon.ask("GET", "/openapi.json")).body as ApiDocument);
  const failures: string[] = [];
  const ask = async (of: string, path: string, status = 200, sent?: Sent) => {
    const [method, route] = of.split(" ") as [string, string];
    const reply = await daemon.ask(method, path, sent);
    const wrong = reply.status === status
      ? judge(method, route, reply)
      : `${reply.status} ${reply.text}`;
    if (wrong !== null) failures.push(`${of}: ${wrong}`);
    return reply.body;
  };

  const task = await project.start("paint");
  const { workflow, actions } = await reaches(daemon, task, "blocked");
  assert.deepEqual(actions, ["retry", "cancel"]);
  const { agents } = await ask("GET /agents", `/agents?taskId=${task}&kind=agent`);
  assert.deepEqual(agents.map(({ status }: { status: string }) => status), ["completed"]);
  await ask("GET /agents/{id}", `/agents/${agents[0].id}`);
  await ask("GET /agents/{id}/output", `/agents/${agents[0].id}/output?limit=2`);
  await ask("POST /agents/{id}/kill", `/agents/${agents[0].id}/kill`, 400);
  const { questions } = await ask("GET /questions", `/questions?workflowId=${workflow.id}`);
  assert.deepEqual(questions.map(({ text }: { text: string }) => text), ["Which color?"]);
  await ask("GET /questions/{id}", `/questions/${questions[0].id}`);
  await ask("GET /state", "/state");
  const answer = { body: { response: "Blue" } };
  const { delivered } = await ask(
    "POST /agents/{id}/respond",
    `/agents/${agents[0].id}/respond`,
    200,
    answer,
  );
  assert.equal(delivered, true);
  await ask("POST /questions/{id}/answer", `/questions/${questions[0].id}/answer`, 409, {
    body: { answer: "Red" },
  });
  await reaches(daemon, task, "pending_merge");
  const shown = await ask("GET /workflows/{id}", `/workflows/${workflow.id}`);
  assert.deepEqual(
    shown.steps.map(({ key, attempt }: Record<string, unknown>) => [key, attempt]),
    [["work", 1], ["work", 2], ["paint", 1], ["bring", 1]],
  );
  await ask("GET /workflows", "/workflows?status=pending_merge");
  await ask("GET /workflows/{id}/log", `/workflows/${workflow.id}/log`);
  const { review } = await ask("GET /workflows/{id}/diff", `/workflows/${task}/diff`);
  assert.deepEqual(review.files, [{ path: "paint.txt", added: 1, removed: 0 }]);
  await ask("POST /workflows/{id}/send-back", `/workflows/${task}/send-back`, 200, {
    body: { reason: "paint.txt, line 1: lighter" },
  });
  await ask("POST /workflows/{id}/send-back", `/workflows/${task}/send-back`, 409, {
    body: { reason: "lighter" },
  });
  await reaches(daemon, task, "pending_merge");
  await ask("POST /workflows/{id}/retry", `/workflows/${task}/retry`, 409);
  await ask("POST /workflows/{id}/reject-merge", `/workflows/${task}/reject-merge`, 202, {
    body: { reason: "too blue" },
  });
  await reaches(daemon, task, "blocked");
  await ask("POST /workflows/{id}/retry", `/workflows/${task}/retry`);
  await reaches(daemon, task, "pending_merge");
  await ask("POST /workflows/{id}/approve-merge", `/workflows/${task}/approve-merge`, 202);
  await reaches(daemon, task, "completed");
  await ask("POST /workflows/{id}/cancel", `/workflows/${task}/cancel`, 409);
  assert.deepEqual(failures, []);
});

test.slowUnix("output lines after a number are the same after a restart of the daemon", async (home) => {
  const project = await workplace(home, { agent: AGENT.replace("Which color?", "Done.") });
  const told: unknown[] = [];
  let path = "";
  for (let round = 0; round < 2; round++) {
    await using daemon = await runDaemon(home, { cwd: project.path });
    if (round === 0) {
      await reaches(daemon, await project.start("paint"), "completed");
      const { agents } = (await daemon.ask("GET", "/agents?kind=agent")).body;
      path = `/agents/${agents[0].id}/output`;
    }
    const { body } = await daemon.ask("GET", `${path}?since=5`);
    assert.deepEqual(body.lines.map(({ seq }: { seq: number }) => seq), [6, 7]);
    assert.deepEqual([body.lineCount, body.lastSeq, body.more], [2, 7, false]);
    const { body: { lines, lastSeq } } = await daemon.ask("GET", `${path}?since=7`);
    assert.deepEqual([lines, lastSeq], [[], 7]);
    told.push(body);
  }
  assert.deepEqual(told[0], told[1]);
});
