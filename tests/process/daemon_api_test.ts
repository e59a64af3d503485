import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type ApiDocument, judgeBy } from "../support/api_document.ts";
import { type Reply, runDaemon, type RunningDaemon, type Sent } from "../support/daemon.ts";
import { held, hurried } from "../support/on_home.ts";
import { runProgram, tempHome } from "../support/program.ts";
import { it, rowsOf, testWith } from "../support/fixtures.ts";
import CASES from "../testdata/process_cases.json" with { type: "json" };
import fc from "fast-check";
import { runs } from "../support/lanes.ts";

/** A task that there is not. */
const NOBODY = "01a00000-0000-7000-8000-000000000000";

/** What is asked, of which operation of the document, and what comes back. `TASK`, `CLAIMED` and `NOBODY` stand for ids of tasks. */
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

/** Those that are too large for a table, or no text. */
const UNUSUAL: readonly Refused[] = [
  [400, "INVALID_JSON", "deep JSON", "POST", "/tasks", { body: "[".repeat(500_000) }],
  [400, "INVALID_JSON", "no UTF-8", "POST", "/tasks", { body: new Uint8Array([0x22, 0xff, 0x22]) }],
  [413, "BODY_TOO_LARGE", "a huge body", "POST", "/tasks", { body: huge }],
  [400, "INVALID_INPUT", "a long agent's name", "POST", "/tasks", {
    body: title,
    headers: { "x-agent-id": "x".repeat(300) },
  }],
  [400, "INVALID_URL", "a long address", "GET", `/tasks/${"x".repeat(10_000)}`],
];

const REFUSED: readonly Scenario[] = [
  ...rowsOf<Refused>(Object.values(CASES.refusedRequests).flat()),
  ...UNUSUAL,
].map(scenarioOf);

const test = testWith(tempHome);

test("every refusal has the documented status and code, and changes nothing", async (home) => {
  await using daemon = await runDaemon(home);
  const names = await twoTasks(daemon);
  const document: ApiDocument = (await daemon.ask("GET", "/openapi.json")).body;
  const judge = judgeBy(document);
  const before = dump(home.database);
  const failures: string[] = [];
  for (const { about, ask: [method, path, sent], of, expect: [status, code], header } of REFUSED) {
    const reply = await daemon.ask(method, named(path, names), namedIn(sent, names));
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
  const names = await twoTasks(daemon);
  const document: ApiDocument = (await daemon.ask("GET", "/openapi.json")).body;
  assert.equal(document.openapi, "3.1.0");
  const judge = judgeBy(document);
  const calls = rowsOf<
    readonly [method: string, of: string, path: string, status: number, sent?: Sent]
  >(CASES.answeredRequests);
  const failures: string[] = [];
  for (const [method, of, path, status, sent] of calls) {
    const reply = await daemon.ask(method, named(path, names), namedIn(sent, names));
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

async function twoTasks(
  daemon: RunningDaemon,
): Promise<Record<"TASK" | "CLAIMED" | "NOBODY", string>> {
  const make = async (title: string) =>
    (await daemon.ask("POST", "/tasks", { body: { title } })).body.task.id;
  const [TASK, CLAIMED] = [await make("one"), await make("claimed")];
  await daemon.ask("POST", `/tasks/${CLAIMED}/claim`, { headers: { "x-agent-id": "a" } });
  return { TASK, CLAIMED, NOBODY };
}

function named(text: string, names: Readonly<Record<string, string>>): string {
  return text.replace(/\b(TASK|CLAIMED|NOBODY)\b/g, (_, name) => names[name]!);
}

function namedIn(sent: Sent | undefined, names: Readonly<Record<string, string>>): Sent {
  const { body } = sent ?? {};
  if (typeof body !== "object" || body instanceof Uint8Array) return { ...sent };
  return { ...sent, body: JSON.parse(named(JSON.stringify(body), names)) };
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
  const tables = "tasks task_tags task_dependencies task_history events agents workflows";
  return tables.split(" ").map((table) =>
    JSON.stringify(db.prepare(`SELECT * FROM ${table}`).all())
  )
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

/** Values that fit a field now and then, and mostly do not. */
const value = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(
    "task",
    "open",
    "closed",
    "delete",
    -1,
    0,
    2,
    5,
    1e300,
    "",
    "\u0000",
    "a,b",
    null,
  ),
  fc.array(fc.string(), { maxLength: 3 }),
);

/** A request of an operation of the document: its parameters and its body as they come. */
function requestOf(document: ApiDocument, ids: readonly string[]) {
  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => [path, method] as const))
    // A stream has no end.
    .filter(([path]) => path !== "/shutdown" && path !== "/live");
  return fc.constantFrom(...operations).chain(([path, method]) => {
    const { parameters, requestBody } = document.paths[path]![method]!;
    const names = parameters.filter((one) => one.in === "query" && one.name !== "stream")
      .map(({ name }) => name);
    const schema = requestBody?.content["application/json"].schema as
      | { readonly properties?: Readonly<Record<string, unknown>> }
      | undefined;
    const fields = Object.keys(schema?.properties ?? {});
    const part = fc.oneof(
      fc.constantFrom(...ids),
      fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }),
    );
    return fc.record({
      path: fc.constant(path),
      method: fc.constant(method.toUpperCase()),
      part,
      query: names.length === 0 ? fc.constant({}) : fc.dictionary(
        fc.constantFrom(...names),
        fc.oneof(fc.string(), fc.integer().map(String)),
        { maxKeys: 2 },
      ),
      body: schema === undefined ? fc.constant(undefined) : fc.oneof(
        fc.dictionary(fields.length === 0 ? fc.string() : fc.constantFrom(...fields), value, {
          maxKeys: 4,
        }),
        value,
      ),
      agent: fc.constantFrom("a", "b"),
    });
  });
}

test("the document describes the answer to every generated request, and none is an internal error", async (home) => {
  await using daemon = await runDaemon(home);
  const ids: string[] = [];
  for (const title of ["one", "two", "three"]) {
    ids.push((await daemon.ask("POST", "/tasks", { body: { title } })).body.task.id);
  }
  const document: ApiDocument = (await daemon.ask("GET", "/openapi.json")).body;
  const judge = judgeBy(document);
  await fc.assert(
    fc.asyncProperty(
      requestOf(document, ids),
      async ({ path, method, part, query, body, agent }) => {
        const search = new URLSearchParams(query).toString();
        const target = path.replace(/\{\w+\}/, encodeURIComponent(part)) + (search && `?${search}`);
        const sent: Sent = {
          headers: { "x-agent-id": agent },
          ...body === undefined ? {} : { body: JSON.stringify(body) },
        };
        // Dots alone are no id, but a way: no route has them.
        fc.pre(part !== "." && part !== "..");
        const reply = await daemon.ask(method, target, sent);
        assert.ok(reply.status > 0 && reply.status < 500, `${method} ${target}: ${reply.status}`);
        assert.equal(judge(method, path, reply), null, `${method} ${target} ${sent.body}`);
      },
    ),
    { numRuns: runs(1_500) },
  );
  assert.equal((await daemon.ask("GET", "/health")).status, 200);
});
