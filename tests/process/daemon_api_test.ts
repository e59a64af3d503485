import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type ApiDocument, judgeBy } from "../support/api_document.ts";
import { type Reply, runDaemon, type RunningDaemon, type Sent } from "../support/daemon.ts";
import { held, hurried } from "../support/on_home.ts";
import { runProgram, tempHome } from "../support/program.ts";
import { it, testWith } from "../support/fixtures.ts";

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

/** What comes back, what it is about, what is sent; `more` where the path does not tell the operation. */
type Refused = readonly [
  status: number,
  code: string,
  about: string,
  method: string,
  path: string,
  sent?: Sent,
  more?: Pick<Partial<Scenario>, "of" | "header">,
];

/** The path of an operation as the document has it. */
function operationOf(path: string, code: string): string | null {
  if (code === "NOT_FOUND" || code === "METHOD_NOT_ALLOWED") return null;
  return path.replace(/\?.*/, "")
    .replace(/^(\/(?:tasks|agents|workflows|questions)\/)(?!bulk$)[^/]+/, "$1{id}");
}

function scenarioOf([status, code, about, method, path, sent, more]: Refused): Scenario {
  const of = operationOf(path, code);
  return { about, ask: [method, path, sent ?? {}], of, expect: [status, code], ...more };
}

const REFUSED: readonly Scenario[] = ([
  // What is not there.
  [404, "TASK_NOT_FOUND", "no task", "GET", `/tasks/${NOBODY}`],
  [404, "TASK_NOT_FOUND", "no task to claim", "POST", `/tasks/${NOBODY}/claim`],
  [404, "TASK_NOT_FOUND", "no task to change", "PATCH", `/tasks/${NOBODY}`, { body: title }],
  [404, "TASK_NOT_FOUND", "no task to delete", "DELETE", `/tasks/${NOBODY}`],
  [404, "PARENT_NOT_FOUND", "no parent", "POST", "/tasks", {
    body: { ...title, parentId: NOBODY },
  }],
  [404, "DEPENDENCY_NOT_FOUND", "no dependency", "POST", "/tasks", {
    body: { ...title, dependsOn: [NOBODY] },
  }],
  [404, "AGENT_NOT_FOUND", "no agent", "GET", "/agents/nobody"],
  [404, "AGENT_NOT_FOUND", "no agent's output", "GET", "/agents/nobody/output"],
  [404, "AGENT_NOT_FOUND", "no agent to end", "POST", "/agents/nobody/kill"],
  [404, "AGENT_NOT_FOUND", "no agent to answer", "POST", "/agents/nobody/respond", {
    body: { response: "y" },
  }],
  [404, "WORKFLOW_NOT_FOUND", "no workflow", "GET", "/workflows/none"],
  [404, "WORKFLOW_NOT_FOUND", "no workflow of the task", "POST", "/workflows/TASK/retry"],
  [404, "WORKFLOW_NOT_FOUND", "no workflow to cancel", "POST", "/workflows/none/cancel"],
  [404, "QUESTION_NOT_FOUND", "no question", "POST", "/questions/none/answer", {
    body: { answer: "y" },
  }],
  [403, "PERSON_REQUIRED", "no person who answers", "POST", "/questions/none/answer", {
    body: { answer: "y" },
    headers: { "conclaude-token": "" },
  }],
  [
    403,
    "PERSON_REQUIRED",
    "somebody who makes up a token",
    "POST",
    "/workflows/none/approve-merge",
    {
      port: true,
      headers: { "conclaude-token": "made up" },
    },
  ],
  [404, "NOT_FOUND", "no route", "GET", "/nothing"],
  [405, "METHOD_NOT_ALLOWED", "no method", "PUT", "/tasks/TASK", {}, {
    header: ["allow", "DELETE, GET, PATCH"],
  }],
  [405, "METHOD_NOT_ALLOWED", "no method of the root", "OPTIONS", "/tasks", {}, {
    header: ["allow", "GET, POST"],
  }],
  // What is wrong with what is sent.
  [400, "INVALID_TITLE", "no title", "POST", "/tasks", { body: {} }],
  [400, "INVALID_TITLE", "an empty body", "POST", "/tasks"],
  [400, "INVALID_TITLE", "a blank title", "POST", "/tasks", { body: { title: " " } }],
  [400, "INVALID_TITLE", "a title of a NUL character alone", "POST", "/tasks", {
    body: { title: "\0" },
  }],
  ...["body", "workflow", "repository", "projectDir"].map((
    field,
  ): Refused => [400, "INVALID_INPUT", `a NUL character in ${field}`, "POST", "/tasks", {
    body: { ...title, [field]: "/a\0b" },
  }]),
  ...["../../etc/passwd", ".hidden", "a/b"].map((
    workflow,
  ): Refused => [400, "INVALID_INPUT", `a workflow named ${workflow}`, "POST", "/tasks", {
    body: { ...title, workflow },
  }]),
  [404, "WORKFLOW_NOT_FOUND", "a workflow that the project has not", "POST", "/tasks", {
    body: { ...title, workflow: "nope", projectDir: "/" },
  }],
  ...["../..", "/not/there"].map((
    repository,
  ): Refused => [400, "INVALID_INPUT", `the repository ${repository}`, "POST", "/tasks", {
    body: { ...title, repository },
  }]),
  [400, "INVALID_TAG", "a pattern of tags that is none", "GET", "/tasks?tagPattern=%5Ba"],
  [
    400,
    "INVALID_INPUT",
    "a time of the history that is none",
    "GET",
    "/tasks/TASK/history?since=soon",
  ],
  ...(["block", "complete"] as const).map((
    verb,
  ): Refused => [
    400,
    "INVALID_INPUT",
    `a NUL character in what ${verb} is told`,
    "POST",
    `/tasks/CLAIMED/${verb}`,
    {
      body: { [verb === "block" ? "reason" : "summary"]: "a\0b" },
    },
  ]),
  [400, "INVALID_INPUT", "a title that is a number", "POST", "/tasks", { body: { title: 5 } }],
  [400, "INVALID_PRIORITY", "priority 5", "POST", "/tasks", { body: { ...title, priority: 5 } }],
  [400, "INVALID_PRIORITY", "a priority that is an object", "PATCH", "/tasks/TASK", {
    body: { priority: {} },
  }],
  [400, "INVALID_TYPE", "type epic", "POST", "/tasks", { body: { ...title, type: "epic" } }],
  [400, "INVALID_TAG", "an empty tag", "POST", "/tasks", { body: { ...title, tags: [""] } }],
  [400, "INVALID_TAG", "a tag with a comma", "PUT", "/tasks/TASK/tags", {
    body: { tags: ["a,b"] },
  }],
  [400, "INVALID_INPUT", "a field that there is not", "POST", "/tasks", {
    body: { ...title, colour: 1 },
  }],
  [400, "INVALID_INPUT", "a prototype", "POST", "/tasks", {
    body: '{"title":"x","__proto__":{"a":1}}',
  }],
  [400, "INVALID_INPUT", "a list for an object", "POST", "/tasks", { body: [] }],
  [400, "INVALID_INPUT", "null", "POST", "/tasks", { body: "null" }],
  [400, "INVALID_JSON", "no JSON", "POST", "/tasks", { body: "{" }],
  [400, "INVALID_JSON", "deep JSON", "POST", "/tasks", { body: "[".repeat(500_000) }],
  [400, "INVALID_JSON", "no UTF-8", "POST", "/tasks", { body: new Uint8Array([0x22, 0xff, 0x22]) }],
  [415, "UNSUPPORTED_MEDIA_TYPE", "a form", "POST", "/tasks", {
    body: "title=x",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  }],
  [415, "UNSUPPORTED_MEDIA_TYPE", "no type", "POST", "/tasks", {
    body: title,
    headers: { "content-type": "" },
  }],
  [415, "UNSUPPORTED_MEDIA_TYPE", "another encoding", "POST", "/tasks", {
    body: title,
    headers: { "content-type": "application/json; charset=latin1" },
  }],
  [413, "BODY_TOO_LARGE", "a huge body", "POST", "/tasks", { body: huge }],
  [400, "INVALID_INPUT", "a limit that is text", "GET", "/tasks?limit=many"],
  [400, "INVALID_INPUT", "a limit of 0", "GET", "/tasks?limit=0"],
  [400, "INVALID_INPUT", "a limit twice", "GET", "/tasks?limit=1&limit=2"],
  [400, "INVALID_INPUT", "a filter that there is not", "GET", "/tasks?color=red"],
  [400, "INVALID_STATUS", "a status that there is not", "GET", "/tasks?status=open,done"],
  [400, "INVALID_INPUT", "an agent's status that there is not", "GET", "/agents?status=done"],
  [400, "INVALID_INPUT", "an empty type of events", "GET", "/events?type="],
  [400, "INVALID_INPUT", "a time that is none", "GET", "/events?since=yesterday"],
  [400, "INVALID_INPUT", "an agent's name of two lines", "POST", "/tasks", {
    body: title,
    headers: { "x-agent-id": "x".repeat(300) },
  }],
  [400, "INVALID_INPUT", "the program's own name", "POST", "/tasks", {
    body: title,
    headers: { "x-agent-id": "system" },
  }],
  [400, "INVALID_INPUT", "bulk without its value", "POST", "/tasks/bulk", {
    body: { action: "set_priority", ids: ["TASK"] },
  }],
  // What does not follow.
  [400, "INVALID_TRANSITION", "completing what is not claimed", "POST", "/tasks/TASK/complete", {
    body: {},
  }],
  [400, "INVALID_TRANSITION", "a merge by hand", "PATCH", "/tasks/TASK/status", {
    body: { status: "pending_merge" },
  }],
  [403, "NOT_CLAIM_OWNER", "releasing another's", "POST", "/tasks/CLAIMED/release", {
    headers: { "x-agent-id": "b" },
  }],
  [409, "ALREADY_CLAIMED", "claiming another's", "POST", "/tasks/CLAIMED/claim", {
    headers: { "x-agent-id": "b" },
  }],
  [403, "NOT_CLAIM_OWNER", "an old claim", "POST", "/tasks/CLAIMED/complete", {
    headers: { "x-agent-id": "a" },
    body: { claimToken: 9 },
  }],
  [409, "TASK_ACTIVE", "deleting what is in work", "DELETE", "/tasks/CLAIMED"],
  [400, "WOULD_CREATE_CYCLE", "its own parent", "POST", "/tasks/TASK/reparent", {
    body: { parentId: "TASK" },
  }],
  [400, "WOULD_CREATE_CYCLE", "waiting for itself", "PATCH", "/tasks/TASK", {
    body: { title: "new", dependsOn: ["TASK"] },
  }],
  [400, "INVALID_TRANSITION", "stopping what is not started", "POST", "/tasks/TASK/stop"],
  // Who may ask.
  [403, "FORBIDDEN_ORIGIN", "a foreign page on the socket", "POST", "/tasks", {
    body: title,
    headers: { origin: "https://evil.example" },
  }],
  [403, "FORBIDDEN_ORIGIN", "a foreign page on the port", "POST", "/tasks", {
    port: true,
    body: title,
    headers: { origin: "http://127.0.0.1:1" },
  }],
  [403, "FORBIDDEN_ORIGIN", "a file as a page", "GET", "/tasks", {
    port: true,
    headers: { origin: "null" },
  }],
  [403, "FORBIDDEN_HOST", "a rebound name", "GET", "/tasks", {
    port: true,
    headers: { host: "evil.example" },
  }],
  [
    401,
    "UNAUTHORIZED",
    "no token",
    "GET",
    "/tasks",
    { port: true, headers: { authorization: "" } },
    { header: ["www-authenticate", "Bearer"] },
  ],
  [401, "UNAUTHORIZED", "a wrong token", "POST", "/tasks", {
    port: true,
    body: title,
    headers: { authorization: "Bearer x" },
  }],
  [401, "UNAUTHORIZED", "a stop without token", "POST", "/shutdown", {
    port: true,
    headers: { authorization: "Basic eDp4" },
  }],
  [401, "UNAUTHORIZED", "nothing is told without token", "GET", "/nothing", {
    port: true,
    headers: { authorization: "" },
  }, { of: null }],
  // Tricks with paths.
  [404, "NOT_FOUND", "a trailing slash", "GET", "/tasks/"],
  [404, "NOT_FOUND", "two slashes", "GET", "//tasks"],
  [404, "NOT_FOUND", "dots", "GET", "/tasks/../status"],
  [404, "TASK_NOT_FOUND", "encoded dots", "GET", "/tasks/%2e%2e"],
  [404, "NOT_FOUND", "an encoded slash", "GET", "/tasks%2fready"],
  [404, "TASK_NOT_FOUND", "an encoded slash in an id", "GET", "/tasks/a%2fb"],
  [404, "TASK_NOT_FOUND", "an encoded NUL", "GET", "/tasks/%00"],
  [400, "INVALID_URL", "a broken encoding", "GET", "/tasks/%zz"],
  [400, "INVALID_URL", "half a character", "GET", "/tasks/%c3"],
  [400, "INVALID_URL", "a long address", "GET", `/tasks/${"x".repeat(10_000)}`],
  [404, "NOT_FOUND", "api twice", "GET", "/api/api/tasks"],
  [404, "TASK_NOT_FOUND", "SQL for an id", "GET", "/tasks/'%20OR%201=1--"],
] satisfies Refused[]).map(scenarioOf);

const test = testWith(tempHome);

test("every refusal has the documented status and code, and changes nothing", async (home) => {
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

test("every answer matches the document, under both prefixes, on the socket and on the port", async (home) => {
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
        body: { title: "two", tags: ["b", "a"], start: true, dependsOn: [CLAIMED] },
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

it.slow("while another process writes for long, the API and a command say that the database is busy", async () => {
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
});

test("two claims race: one wins, the other is told who holds it, and the history has two rows", async (home) => {
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

test("a refusal names the allowed values, and a broken-off body is a client error", async (home) => {
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

test("a task above open ones is closed with them or alone when the body says so", async (home) => {
  await using daemon = await runDaemon(home);
  const headers = { "x-agent-id": "a" };
  const below = [{ withChildren: true }, { force: true, status: "closed" }];
  for (const terms of below) {
    const { task } = (await daemon.ask("POST", "/tasks", { body: { title: "Top" } })).body;
    await daemon.ask("POST", `/tasks/${task.id}/subtasks`, { body: { title: "Part" } });
    await daemon.ask("POST", `/tasks/${task.id}/claim`, { headers });
    const refused = await daemon.ask("POST", `/tasks/${task.id}/complete`, { headers, body: {} });
    assert.deepEqual([refused.status, refused.body.error.code], [409, "HAS_OPEN_CHILDREN"]);
    const [method, verb] = "status" in terms ? ["PATCH", "status"] : ["POST", "complete"];
    const path = `/tasks/${task.id}/${verb}`;
    assert.equal((await daemon.ask(method!, path, { headers, body: terms })).status, 200);
    const { children } = (await daemon.ask("GET", `/tasks/${task.id}`)).body;
    assert.equal(children[0].status, "status" in terms ? "open" : "closed");
  }
});

test("secrets are masked before they are written", async (home) => {
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
  using db = new DatabaseSync(database, { readOnly: true });
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
}

test("a status that needs another verb is refused with that verb, as on the command line", async (home) => {
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
