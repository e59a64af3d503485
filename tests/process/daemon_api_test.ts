import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type ApiDocument, judgeBy } from "../support/api_document.ts";
import { type Reply, runDaemon, type RunningDaemon, type Sent } from "../support/daemon.ts";
import { held, hurried } from "../support/on_home.ts";
import { runProgram, tempHome } from "../support/program.ts";
import { slowTest } from "../support/lanes.ts";

/** A task that there is not. */
const NOBODY = "01a00000-0000-7000-8000-000000000000";

/** What is asked, of which operation of the document, and what comes back. `TASK` stands for a task's id. */
interface Scenario {
  readonly about: string;
  readonly ask: readonly [method: string, path: string, sent?: Sent];
  /** The path as the document has it; null when it knows none such. */
  readonly of: string | null;
  readonly expect: readonly [status: number, code: string];
  readonly header?: readonly [name: string, value: string];
}

const title = { title: "x" };
const huge = { title: "x", body: "y".repeat(1024 * 1024) };

const REFUSED: readonly Scenario[] = [
  // What is not there.
  {
    about: "no task",
    ask: ["GET", `/tasks/${NOBODY}`],
    of: "/tasks/{id}",
    expect: [404, "TASK_NOT_FOUND"],
  },
  {
    about: "no task to claim",
    ask: ["POST", `/tasks/${NOBODY}/claim`],
    of: "/tasks/{id}/claim",
    expect: [404, "TASK_NOT_FOUND"],
  },
  {
    about: "no task to change",
    ask: ["PATCH", `/tasks/${NOBODY}`, { body: title }],
    of: "/tasks/{id}",
    expect: [404, "TASK_NOT_FOUND"],
  },
  {
    about: "no task to delete",
    ask: ["DELETE", `/tasks/${NOBODY}`],
    of: "/tasks/{id}",
    expect: [404, "TASK_NOT_FOUND"],
  },
  {
    about: "no parent",
    ask: ["POST", "/tasks", { body: { ...title, parentId: NOBODY } }],
    of: "/tasks",
    expect: [404, "PARENT_NOT_FOUND"],
  },
  {
    about: "no dependency",
    ask: ["POST", "/tasks", { body: { ...title, dependsOn: [NOBODY] } }],
    of: "/tasks",
    expect: [404, "DEPENDENCY_NOT_FOUND"],
  },
  {
    about: "no agent",
    ask: ["GET", "/agents/nobody"],
    of: "/agents/{id}",
    expect: [404, "AGENT_NOT_FOUND"],
  },
  {
    about: "no agent's output",
    ask: ["GET", "/agents/nobody/output"],
    of: "/agents/{id}/output",
    expect: [404, "AGENT_NOT_FOUND"],
  },
  {
    about: "no agent to end",
    ask: ["POST", "/agents/nobody/kill"],
    of: "/agents/{id}/kill",
    expect: [404, "AGENT_NOT_FOUND"],
  },
  {
    about: "no agent to answer",
    ask: ["POST", "/agents/nobody/respond", { body: { response: "y" } }],
    of: "/agents/{id}/respond",
    expect: [404, "AGENT_NOT_FOUND"],
  },
  {
    about: "no workflow",
    ask: ["GET", "/workflows/none"],
    of: "/workflows/{id}",
    expect: [404, "WORKFLOW_NOT_FOUND"],
  },
  {
    about: "no workflow of the task",
    ask: ["POST", "/workflows/TASK/retry"],
    of: "/workflows/{id}/retry",
    expect: [404, "WORKFLOW_NOT_FOUND"],
  },
  {
    about: "no workflow to cancel",
    ask: ["POST", "/workflows/none/cancel"],
    of: "/workflows/{id}/cancel",
    expect: [404, "WORKFLOW_NOT_FOUND"],
  },
  {
    about: "no question",
    ask: ["POST", "/questions/none/answer", { body: { answer: "y" } }],
    of: "/questions/{id}/answer",
    expect: [404, "QUESTION_NOT_FOUND"],
  },
  {
    about: "no person who answers",
    ask: ["POST", "/questions/none/answer", {
      body: { answer: "y" },
      headers: { "conclaude-token": "" },
    }],
    of: "/questions/{id}/answer",
    expect: [403, "PERSON_REQUIRED"],
  },
  {
    about: "somebody who makes up a token",
    ask: ["POST", "/workflows/none/approve-merge", {
      port: true,
      headers: { "conclaude-token": "made up" },
    }],
    of: "/workflows/{id}/approve-merge",
    expect: [403, "PERSON_REQUIRED"],
  },
  { about: "no route", ask: ["GET", "/nothing"], of: null, expect: [404, "NOT_FOUND"] },
  {
    about: "no method",
    ask: ["PUT", "/tasks/TASK"],
    of: null,
    expect: [405, "METHOD_NOT_ALLOWED"],
    header: ["allow", "DELETE, GET, PATCH"],
  },
  {
    about: "no method of the root",
    ask: ["OPTIONS", "/tasks"],
    of: null,
    expect: [405, "METHOD_NOT_ALLOWED"],
    header: ["allow", "GET, POST"],
  },
  // What is wrong with what is sent.
  {
    about: "no title",
    ask: ["POST", "/tasks", { body: {} }],
    of: "/tasks",
    expect: [400, "INVALID_TITLE"],
  },
  { about: "an empty body", ask: ["POST", "/tasks"], of: "/tasks", expect: [400, "INVALID_TITLE"] },
  {
    about: "a blank title",
    ask: ["POST", "/tasks", { body: { title: " " } }],
    of: "/tasks",
    expect: [400, "INVALID_TITLE"],
  },
  {
    about: "a title of a NUL character alone",
    ask: ["POST", "/tasks", { body: { title: "\0" } }],
    of: "/tasks",
    expect: [400, "INVALID_TITLE"],
  },
  ...["body", "workflow", "repository", "projectDir"].map((field): Scenario => ({
    about: `a NUL character in ${field}`,
    ask: ["POST", "/tasks", { body: { ...title, [field]: "/a\0b" } }],
    of: "/tasks",
    expect: [400, "INVALID_INPUT"],
  })),
  ...["../../etc/passwd", ".hidden", "a/b"].map((workflow): Scenario => ({
    about: `a workflow named ${workflow}`,
    ask: ["POST", "/tasks", { body: { ...title, workflow } }],
    of: "/tasks",
    expect: [400, "INVALID_INPUT"],
  })),
  {
    about: "a workflow that the project has not",
    ask: ["POST", "/tasks", { body: { ...title, workflow: "nope", projectDir: "/" } }],
    of: "/tasks",
    expect: [404, "WORKFLOW_NOT_FOUND"],
  },
  ...["../..", "/not/there"].map((repository): Scenario => ({
    about: `the repository ${repository}`,
    ask: ["POST", "/tasks", { body: { ...title, repository } }],
    of: "/tasks",
    expect: [400, "INVALID_INPUT"],
  })),
  {
    about: "a pattern of tags that is none",
    ask: ["GET", "/tasks?tagPattern=%5Ba"],
    of: "/tasks",
    expect: [400, "INVALID_TAG"],
  },
  {
    about: "a time of the history that is none",
    ask: ["GET", "/tasks/TASK/history?since=soon"],
    of: "/tasks/{id}/history",
    expect: [400, "INVALID_INPUT"],
  },
  ...(["block", "complete"] as const).map((verb): Scenario => ({
    about: `a NUL character in what ${verb} is told`,
    ask: ["POST", `/tasks/CLAIMED/${verb}`, {
      body: { [verb === "block" ? "reason" : "summary"]: "a\0b" },
    }],
    of: `/tasks/{id}/${verb}`,
    expect: [400, "INVALID_INPUT"],
  })),
  {
    about: "a title that is a number",
    ask: ["POST", "/tasks", { body: { title: 5 } }],
    of: "/tasks",
    expect: [400, "INVALID_INPUT"],
  },
  {
    about: "priority 5",
    ask: ["POST", "/tasks", { body: { ...title, priority: 5 } }],
    of: "/tasks",
    expect: [400, "INVALID_PRIORITY"],
  },
  {
    about: "a priority that is an object",
    ask: ["PATCH", "/tasks/TASK", { body: { priority: {} } }],
    of: "/tasks/{id}",
    expect: [400, "INVALID_PRIORITY"],
  },
  {
    about: "type epic",
    ask: ["POST", "/tasks", { body: { ...title, type: "epic" } }],
    of: "/tasks",
    expect: [400, "INVALID_TYPE"],
  },
  {
    about: "an empty tag",
    ask: ["POST", "/tasks", { body: { ...title, tags: [""] } }],
    of: "/tasks",
    expect: [400, "INVALID_TAG"],
  },
  {
    about: "a tag with a comma",
    ask: ["PUT", "/tasks/TASK/tags", { body: { tags: ["a,b"] } }],
    of: "/tasks/{id}/tags",
    expect: [400, "INVALID_TAG"],
  },
  {
    about: "a field that there is not",
    ask: ["POST", "/tasks", { body: { ...title, colour: 1 } }],
    of: "/tasks",
    expect: [400, "INVALID_INPUT"],
  },
  {
    about: "a prototype",
    ask: ["POST", "/tasks", { body: '{"title":"x","__proto__":{"a":1}}' }],
    of: "/tasks",
    expect: [400, "INVALID_INPUT"],
  },
  {
    about: "a list for an object",
    ask: ["POST", "/tasks", { body: [] }],
    of: "/tasks",
    expect: [400, "INVALID_INPUT"],
  },
  {
    about: "null",
    ask: ["POST", "/tasks", { body: "null" }],
    of: "/tasks",
    expect: [400, "INVALID_INPUT"],
  },
  {
    about: "no JSON",
    ask: ["POST", "/tasks", { body: "{" }],
    of: "/tasks",
    expect: [400, "INVALID_JSON"],
  },
  {
    about: "deep JSON",
    ask: ["POST", "/tasks", { body: "[".repeat(500_000) }],
    of: "/tasks",
    expect: [400, "INVALID_JSON"],
  },
  {
    about: "no UTF-8",
    ask: ["POST", "/tasks", { body: new Uint8Array([0x22, 0xff, 0x22]) }],
    of: "/tasks",
    expect: [400, "INVALID_JSON"],
  },
  {
    about: "a form",
    ask: ["POST", "/tasks", {
      body: "title=x",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    }],
    of: "/tasks",
    expect: [415, "UNSUPPORTED_MEDIA_TYPE"],
  },
  {
    about: "no type",
    ask: ["POST", "/tasks", { body: title, headers: { "content-type": "" } }],
    of: "/tasks",
    expect: [415, "UNSUPPORTED_MEDIA_TYPE"],
  },
  {
    about: "another encoding",
    ask: ["POST", "/tasks", {
      body: title,
      headers: { "content-type": "application/json; charset=latin1" },
    }],
    of: "/tasks",
    expect: [415, "UNSUPPORTED_MEDIA_TYPE"],
  },
  {
    about: "a huge body",
    ask: ["POST", "/tasks", { body: huge }],
    of: "/tasks",
    expect: [413, "BODY_TOO_LARGE"],
  },
  {
    about: "a limit that is text",
    ask: ["GET", "/tasks?limit=many"],
    of: "/tasks",
    expect: [400, "INVALID_INPUT"],
  },
  {
    about: "a limit of 0",
    ask: ["GET", "/tasks?limit=0"],
    of: "/tasks",
    expect: [400, "INVALID_INPUT"],
  },
  {
    about: "a limit twice",
    ask: ["GET", "/tasks?limit=1&limit=2"],
    of: "/tasks",
    expect: [400, "INVALID_INPUT"],
  },
  {
    about: "a filter that there is not",
    ask: ["GET", "/tasks?color=red"],
    of: "/tasks",
    expect: [400, "INVALID_INPUT"],
  },
  {
    about: "a status that there is not",
    ask: ["GET", "/tasks?status=open,done"],
    of: "/tasks",
    expect: [400, "INVALID_STATUS"],
  },
  {
    about: "an agent's status that there is not",
    ask: ["GET", "/agents?status=done"],
    of: "/agents",
    expect: [400, "INVALID_INPUT"],
  },
  {
    about: "an empty type of events",
    ask: ["GET", "/events?type="],
    of: "/events",
    expect: [400, "INVALID_INPUT"],
  },
  {
    about: "a time that is none",
    ask: ["GET", "/events?since=yesterday"],
    of: "/events",
    expect: [400, "INVALID_INPUT"],
  },
  {
    about: "an agent's name of two lines",
    ask: ["POST", "/tasks", { body: title, headers: { "x-agent-id": "x".repeat(300) } }],
    of: "/tasks",
    expect: [400, "INVALID_INPUT"],
  },
  {
    about: "the program's own name",
    ask: ["POST", "/tasks", { body: title, headers: { "x-agent-id": "system" } }],
    of: "/tasks",
    expect: [400, "INVALID_INPUT"],
  },
  {
    about: "bulk without its value",
    ask: ["POST", "/tasks/bulk", { body: { action: "set_priority", ids: ["TASK"] } }],
    of: "/tasks/bulk",
    expect: [400, "INVALID_INPUT"],
  },
  // What does not follow.
  {
    about: "completing what is not claimed",
    ask: ["POST", "/tasks/TASK/complete", { body: {} }],
    of: "/tasks/{id}/complete",
    expect: [400, "INVALID_TRANSITION"],
  },
  {
    about: "a merge by hand",
    ask: ["PATCH", "/tasks/TASK/status", { body: { status: "pending_merge" } }],
    of: "/tasks/{id}/status",
    expect: [400, "INVALID_TRANSITION"],
  },
  {
    about: "releasing another's",
    ask: ["POST", "/tasks/CLAIMED/release", { headers: { "x-agent-id": "b" } }],
    of: "/tasks/{id}/release",
    expect: [403, "NOT_CLAIM_OWNER"],
  },
  {
    about: "claiming another's",
    ask: ["POST", "/tasks/CLAIMED/claim", { headers: { "x-agent-id": "b" } }],
    of: "/tasks/{id}/claim",
    expect: [409, "ALREADY_CLAIMED"],
  },
  {
    about: "an old claim",
    ask: ["POST", "/tasks/CLAIMED/complete", {
      headers: { "x-agent-id": "a" },
      body: { claimToken: 9 },
    }],
    of: "/tasks/{id}/complete",
    expect: [403, "NOT_CLAIM_OWNER"],
  },
  {
    about: "deleting what is in work",
    ask: ["DELETE", "/tasks/CLAIMED"],
    of: "/tasks/{id}",
    expect: [409, "TASK_ACTIVE"],
  },
  {
    about: "its own parent",
    ask: ["POST", "/tasks/TASK/reparent", { body: { parentId: "TASK" } }],
    of: "/tasks/{id}/reparent",
    expect: [400, "WOULD_CREATE_CYCLE"],
  },
  {
    about: "waiting for itself",
    ask: ["PATCH", "/tasks/TASK", { body: { title: "new", dependsOn: ["TASK"] } }],
    of: "/tasks/{id}",
    expect: [400, "WOULD_CREATE_CYCLE"],
  },
  {
    about: "stopping what is not started",
    ask: ["POST", "/tasks/TASK/stop"],
    of: "/tasks/{id}/stop",
    expect: [400, "INVALID_TRANSITION"],
  },
  // Who may ask.
  {
    about: "a foreign page on the socket",
    ask: ["POST", "/tasks", { body: title, headers: { origin: "https://evil.example" } }],
    of: "/tasks",
    expect: [403, "FORBIDDEN_ORIGIN"],
  },
  {
    about: "a foreign page on the port",
    ask: ["POST", "/tasks", { port: true, body: title, headers: { origin: "http://127.0.0.1:1" } }],
    of: "/tasks",
    expect: [403, "FORBIDDEN_ORIGIN"],
  },
  {
    about: "a file as a page",
    ask: ["GET", "/tasks", { port: true, headers: { origin: "null" } }],
    of: "/tasks",
    expect: [403, "FORBIDDEN_ORIGIN"],
  },
  {
    about: "a rebound name",
    ask: ["GET", "/tasks", { port: true, headers: { host: "evil.example" } }],
    of: "/tasks",
    expect: [403, "FORBIDDEN_HOST"],
  },
  {
    about: "no token",
    ask: ["GET", "/tasks", { port: true, headers: { authorization: "" } }],
    of: "/tasks",
    expect: [401, "UNAUTHORIZED"],
    header: ["www-authenticate", "Bearer"],
  },
  {
    about: "a wrong token",
    ask: ["POST", "/tasks", { port: true, body: title, headers: { authorization: "Bearer x" } }],
    of: "/tasks",
    expect: [401, "UNAUTHORIZED"],
  },
  {
    about: "a stop without token",
    ask: ["POST", "/shutdown", { port: true, headers: { authorization: "Basic eDp4" } }],
    of: "/shutdown",
    expect: [401, "UNAUTHORIZED"],
  },
  {
    about: "nothing is told without token",
    ask: ["GET", "/nothing", { port: true, headers: { authorization: "" } }],
    of: null,
    expect: [401, "UNAUTHORIZED"],
  },
  // Tricks with paths.
  { about: "a trailing slash", ask: ["GET", "/tasks/"], of: null, expect: [404, "NOT_FOUND"] },
  { about: "two slashes", ask: ["GET", "//tasks"], of: null, expect: [404, "NOT_FOUND"] },
  { about: "dots", ask: ["GET", "/tasks/../status"], of: null, expect: [404, "NOT_FOUND"] },
  {
    about: "encoded dots",
    ask: ["GET", "/tasks/%2e%2e"],
    of: "/tasks/{id}",
    expect: [404, "TASK_NOT_FOUND"],
  },
  {
    about: "an encoded slash",
    ask: ["GET", "/tasks%2fready"],
    of: null,
    expect: [404, "NOT_FOUND"],
  },
  {
    about: "an encoded slash in an id",
    ask: ["GET", "/tasks/a%2fb"],
    of: "/tasks/{id}",
    expect: [404, "TASK_NOT_FOUND"],
  },
  {
    about: "an encoded NUL",
    ask: ["GET", "/tasks/%00"],
    of: "/tasks/{id}",
    expect: [404, "TASK_NOT_FOUND"],
  },
  {
    about: "a broken encoding",
    ask: ["GET", "/tasks/%zz"],
    of: "/tasks/{id}",
    expect: [400, "INVALID_URL"],
  },
  {
    about: "half a character",
    ask: ["GET", "/tasks/%c3"],
    of: "/tasks/{id}",
    expect: [400, "INVALID_URL"],
  },
  {
    about: "a long address",
    ask: ["GET", `/tasks/${"x".repeat(10_000)}`],
    of: "/tasks/{id}",
    expect: [400, "INVALID_URL"],
  },
  { about: "api twice", ask: ["GET", "/api/api/tasks"], of: null, expect: [404, "NOT_FOUND"] },
  {
    about: "SQL for an id",
    ask: ["GET", "/tasks/'%20OR%201=1--"],
    of: "/tasks/{id}",
    expect: [404, "TASK_NOT_FOUND"],
  },
];

Deno.test("what is refused is refused with the documented status and code, and nothing is changed", async () => {
  using home = tempHome();
  await using daemon = await runDaemon(home);
  const names = await twoTasks(daemon);
  const document: ApiDocument = (await daemon.ask("GET", "/openapi.json")).body;
  const judge = judgeBy(document);
  const before = dump(home.database);
  const failures: string[] = [];
  for (const { about, ask: [method, path, sent], of, expect: [status, code], header } of REFUSED) {
    const reply = await daemon.ask(method, named(path, names), {
      ...sent,
      ...sent?.body === undefined || sent.body instanceof Uint8Array ||
          typeof sent.body === "string"
        ? {}
        : { body: JSON.parse(named(JSON.stringify(sent.body), names)) },
    });
    const wrong = faultOf(reply, [status, code]) ??
      (of === null ? null : judge(method, of, reply)) ??
      (header && reply.headers.get(header[0]) !== header[1]
        ? `${header[0]} is ${reply.headers.get(header[0])}`
        : null);
    if (wrong !== null) failures.push(`${about}: ${wrong}`);
  }
  assert.deepEqual(failures, []);
  assert.equal(dump(home.database), before);
  assert.equal((await daemon.ask("GET", "/health")).status, 200);
});

Deno.test("whatever is answered is as the document says, under both prefixes and through both doors", async () => {
  using home = tempHome();
  await using daemon = await runDaemon(home);
  const { TASK, CLAIMED } = await twoTasks(daemon);
  const document: ApiDocument = (await daemon.ask("GET", "/openapi.json")).body;
  assert.equal(document.openapi, "3.1.0");
  const judge = judgeBy(document);
  const a = { "x-agent-id": "a" };
  const calls: readonly [method: string, of: string, path: string, status: number, sent?: Sent][] =
    [
      ["GET", "/health", "/health", 200],
      ["GET", "/health", "/health", 200, { port: true, headers: { authorization: "" } }],
      ["GET", "/status", "/status", 200, { port: true }],
      ["GET", "/metrics", "/metrics", 200],
      ["GET", "/state", "/state", 200],
      ["GET", "/openapi.json", "/openapi.json", 200],
      ["POST", "/tasks", "/api/tasks", 201, {
        port: true,
        body: {
          title: "two",
          tags: ["b", "a"],
          start: true,
          dependsOn: [CLAIMED],
        },
      }],
      ["POST", "/tasks/{id}/subtasks", `/tasks/${TASK}/subtasks`, 201, {
        body: { title: "below" },
      }],
      [
        "GET",
        "/tasks",
        "/tasks?status=open,in_progress&priority=2&type=task,bug&limit=1&offset=1",
        200,
      ],
      [
        "GET",
        "/tasks",
        "/tasks?tagPattern=%7Ba,z%7D*&parentId=none&claimedBy=null&includeDeleted=true",
        200,
      ],
      ["GET", "/tasks/ready", "/api/tasks/ready?limit=1", 200],
      ["GET", "/tasks/{id}", `/tasks/${TASK}`, 200],
      ["PATCH", "/tasks/{id}", `/tasks/${TASK}`, 200, {
        body: {
          title: "three",
          priority: 0,
          id: "other",
          status: "closed",
          workflow: "plan",
          dependsOn: [CLAIMED],
        },
      }],
      // It waits for another one, so the scheduler leaves it alone.
      ["POST", "/tasks/{id}/start", `/tasks/${TASK}/start`, 200],
      ["POST", "/tasks/{id}/stop", `/tasks/${TASK}/stop`, 202],
      ["PATCH", "/tasks/{id}", `/tasks/${TASK}`, 200, { body: { dependsOn: [], workflow: null } }],
      ["POST", "/tasks/{id}/tags", `/tasks/${TASK}/tags`, 200, { body: { tags: ["x", "y"] } }],
      ["DELETE", "/tasks/{id}/tags", `/tasks/${TASK}/tags`, 200, { body: { tags: ["x"] } }],
      ["PUT", "/tasks/{id}/tags", `/tasks/${TASK}/tags`, 200, { body: { tags: ["z"] } }],
      ["POST", "/tasks/{id}/claim", `/tasks/${TASK}/claim`, 200, { headers: a }],
      ["POST", "/tasks/{id}/renew", `/tasks/${TASK}/renew`, 200, { headers: a }],
      ["POST", "/tasks/{id}/block", `/tasks/${TASK}/block`, 200, {
        headers: a,
        body: { reason: "why" },
      }],
      ["POST", "/tasks/{id}/unblock", `/tasks/${TASK}/unblock`, 200],
      ["PATCH", "/tasks/{id}/status", `/tasks/${TASK}/status`, 200, {
        headers: a,
        body: { status: "in_progress" },
      }],
      ["POST", "/tasks/{id}/release", `/tasks/${TASK}/release?force=true`, 200],
      ["POST", "/tasks/claim-next", "/tasks/claim-next", 200, { headers: a }],
      ["POST", "/tasks/{id}/complete", `/tasks/${CLAIMED}/complete`, 200, {
        headers: a,
        body: { summary: "done" },
      }],
      ["GET", "/tasks/{id}/subtree", `/tasks/${TASK}/subtree`, 200],
      ["GET", "/tasks/{id}/children", `/tasks/${TASK}/children`, 200],
      ["GET", "/tasks/{id}/ancestors", `/tasks/${TASK}/ancestors`, 200],
      ["POST", "/tasks/{id}/reparent", `/tasks/${TASK}/reparent`, 200, {
        body: { parentId: CLAIMED },
      }],
      ["GET", "/tasks/{id}/history", `/tasks/${TASK}/history?field=tags`, 200],
      ["POST", "/tasks/bulk", "/tasks/bulk", 200, {
        body: { action: "set_priority", ids: [CLAIMED, NOBODY], priority: 1 },
      }],
      ["POST", "/tasks/bulk", "/tasks/bulk", 200, {
        body: { action: "add_tags", ids: [CLAIMED], tags: ["q"] },
      }],
      ["GET", "/events", "/events?since=0&type=task.*&limit=3", 200],
      ["GET", "/events", `/events?since=2020-01-01T00:00:00Z&entity=${TASK}`, 200],
      ["GET", "/agents", "/agents?status=running&kind=agent", 200],
      ["GET", "/workflows", "/workflows?status=running", 200],
      ["GET", "/questions", "/questions?pending=false", 200],
      ["DELETE", "/tasks/{id}", `/tasks/${CLAIMED}?hard=false`, 409],
      ["POST", "/tasks/{id}/release", `/tasks/${TASK}/release`, 200, {
        headers: a,
        body: { force: true },
      }],
      ["DELETE", "/tasks/{id}", `/tasks/${TASK}`, 204],
      ["POST", "/tasks/{id}/restore", `/tasks/${TASK}/restore`, 200],
      ["POST", "/shutdown", "/shutdown", 202],
    ];
  const failures: string[] = [];
  for (const [method, of, path, status, sent] of calls) {
    const reply = await daemon.ask(method, path, sent);
    const wrong = reply.status === status
      ? judge(method, of, reply)
      : `${reply.status} ${reply.text}`;
    if (wrong !== null) failures.push(`${method} ${path}: ${wrong}`);
  }
  assert.deepEqual(failures, []);
  assert.equal((await daemon.left).code, 0);
});

slowTest(
  "while another process writes for long, who waits is told so, by the API and by a command",
  async () => {
    using home = hurried(tempHome());
    await using daemon = await runDaemon(home);
    const { body: { task } } = await daemon.ask("POST", "/tasks", { body: { title: "one" } });
    {
      using _held = held(home.database);
      const asked = await daemon.ask("POST", `/tasks/${task.id}/claim`);
      assert.deepEqual([asked.status, asked.body.error.code], [503, "DATABASE_BUSY"]);
      const { code, stdout } = await runProgram(["task", "claim", task.id, "--json"], {
        env: { HOME: home.path },
      });
      const { error } = JSON.parse(stdout);
      assert.deepEqual([code, error.what, error.reason], [
        1,
        "The database is in use",
        "DATABASE_BUSY",
      ]);
      assert.equal(error.next, "Give the command again");
    }
    assert.match(daemon.stderr(), /a request waited too long: database is locked/);
    assert.doesNotMatch(daemon.stderr(), /^ +at /m, "no stack");
  },
);

Deno.test("two claims race: one wins, the other is told who holds it, and the history has two rows", async () => {
  using home = tempHome();
  await using daemon = await runDaemon(home);
  const { TASK } = await twoTasks(daemon);
  const replies = await Promise.all(
    ["a", "b"].map((name) =>
      daemon.ask("POST", `/tasks/${TASK}/claim`, { headers: { "x-agent-id": name } })
    ),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409]);
  const loser = replies.find(({ status }) => status === 409)!;
  const winner = replies.find(({ status }) => status === 200)!;
  assert.equal(loser.body.error.code, "ALREADY_CLAIMED");
  assert.equal(loser.body.error.claimedBy, winner.body.task.claimedBy);
  const { history } = (await daemon.ask("GET", `/tasks/${TASK}/history`)).body;
  const { events } = (await daemon.ask("GET", `/events?entity=${TASK}&type=task.updated`)).body;
  const since = async (when: string | number) =>
    (await daemon.ask("GET", `/tasks/${TASK}/history?since=${when}`)).body.history.length;
  const time = new Date(events[0].createdAtMs).toISOString();
  assert.deepEqual(
    [await since(events[0].id), await since(time), await since("2100-01-01T00:00:00Z")],
    [2, 2, 0],
  );
  assert.deepEqual(
    history.map(({ field }: { field: string }) => field).sort(),
    ["claimed_by", "status"],
  );
});

Deno.test("a refusal says what a value may be, and a body that is broken off is the sender's fault", async () => {
  using home = tempHome();
  await using daemon = await runDaemon(home);
  const { body: wrong } = await daemon.ask("GET", "/agents?status=sleeping");
  assert.match(wrong.error.why, /running/);
  const { body: number } = await daemon.ask("POST", "/tasks", { body: { title: "a", body: 3 } });
  assert.match(number.error.why, /expected string/);
  for (const body of [{}, { title: " " }]) {
    const { error } = (await daemon.ask("POST", "/tasks", { body })).body;
    assert.match(error.why, /^title is required/);
    assert.deepEqual([error.path, error.next], ["title", "GET /openapi.json"]);
  }
  const reasonless = await daemon.ask("POST", "/tasks/x/block", { body: {} });
  assert.match(reasonless.body.error.why, /^it is missing/);
  const broken = await daemon.ask("POST", "/tasks", {
    headers: { "transfer-encoding": "chunked", "content-length": "" },
    body: "zz\r\n{}\r\n0\r\n\r\n",
  });
  // A newer runtime hangs up by itself before anything can be answered.
  if (broken.status !== 0) {
    assert.equal(broken.status, 400, broken.text);
    assert.match(broken.text, /INVALID_BODY/);
  }
  assert.equal((await daemon.ask("GET", "/tasks")).body.tasks.length, 0);
});

Deno.test("secrets are masked before they are written", async () => {
  using home = tempHome();
  await using daemon = await runDaemon(home);
  const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
  const body = {
    title: `use ${secret}`,
    body: `<private>mine</private> ${secret}`,
    tags: [secret],
  };
  const { status, text, body: { task } } = await daemon.ask("POST", "/tasks", { body });
  assert.equal(status, 201, text);
  await daemon.ask("POST", `/tasks/${task.id}/claim`);
  await daemon.ask("POST", `/tasks/${task.id}/block`, { body: { reason: `because of ${secret}` } });
  for (const ending of ["db", "db-wal", "daemon.log"]) {
    const bytes = Deno.readTextFileSync(home.database.replace(/db$/, ending));
    assert.ok(!bytes.includes(secret), ending);
  }
});

async function twoTasks(daemon: RunningDaemon): Promise<Record<"TASK" | "CLAIMED", string>> {
  const make = async (title: string) =>
    (await daemon.ask("POST", "/tasks", { body: { title } })).body.task.id;
  const [TASK, CLAIMED] = [await make("one"), await make("claimed")];
  await daemon.ask("POST", `/tasks/${CLAIMED}/claim`, { headers: { "x-agent-id": "a" } });
  return { TASK, CLAIMED };
}

function named(text: string, names: Readonly<Record<string, string>>): string {
  return text.replace(/\b(TASK|CLAIMED)\b/g, (_, name) => names[name]!);
}

function faultOf(reply: Reply, [status, code]: readonly [number, string]): string | null {
  const error = reply.body?.error;
  if (reply.status !== status || error?.code !== code) {
    return `${reply.status} ${reply.text.slice(0, 300)}`;
  }
  const texts = [error.what, error.why, error.next];
  return texts.every((text) => typeof text === "string" && text !== "")
    ? null
    : JSON.stringify(error);
}

/** All that tasks are made of, as text. */
function dump(database: string): string {
  const db = new DatabaseSync(database, { readOnly: true });
  try {
    return [
      "tasks",
      "task_tags",
      "task_dependencies",
      "task_history",
      "events",
      "agents",
      "workflows",
    ]
      .map((table) => JSON.stringify(db.prepare(`SELECT * FROM ${table}`).all()))
      .join("\n");
  } finally {
    db.close();
  }
}

Deno.test("a status that another way leads to is refused with that way, as on the command line", async () => {
  using home = tempHome();
  await using daemon = await runDaemon(home);
  const { id } = (await daemon.ask("POST", "/tasks", { body: title })).body.task;
  await daemon.ask("POST", `/tasks/${id}/claim`);
  const { error } = (await daemon.ask("PATCH", `/tasks/${id}/status`, {
    body: { status: "pending_merge" },
  })).body;
  assert.match(error.why, /waits for a merge only when the merge step of a workflow asks/);
  const { stdout } = await runProgram(
    ["task", "update", id, "--status", "pending_merge", "--json"],
    { env: { HOME: home.path } },
  );
  assert.equal(JSON.parse(stdout).error.why, error.why);
});
