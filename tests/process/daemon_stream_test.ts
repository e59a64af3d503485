/** A stream of events: what a client is told, in which order, and after an interruption. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { requestText, runDaemon, type RunningDaemon } from "../support/daemon.ts";
import { finished, REPOSITORY } from "../support/process.ts";
import { tempHome } from "../support/program.ts";
import { pause } from "../support/wait.ts";
import { testWith } from "../support/fixtures.ts";

const WRITER = `
const { openDatabase } = await import(Deno.args[0] + "/src/db/database.ts");
const { transaction } = await import(Deno.args[0] + "/src/db/transaction.ts");
const { createTask } = await import(Deno.args[0] + "/src/work/task_life_table.ts");
const db = await openDatabase(Deno.args[1], { busyTimeoutMs: 8000 });
for (let n = 0; n < Number(Deno.args[2]); n++) {
  const task = { title: Deno.args[3], body: "", type: "task", priority: 2, parentId: null, tags: [], dependsOn: [],
    workflow: null, projectDir: null, repository: null, isQueued: false };
  transaction(db, () => createTask(db, task, { by: "outside", atMs: Date.now() }));
}
`;

/** Makes tasks as a process that knows nothing of a daemon: one transaction and one event each. */
async function writeFromOutside(
  database: string,
  { count, title = "outside" }: { readonly count: number; readonly title?: string },
): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "-q", `--config=${join(REPOSITORY, "deno.json")}`, "-"],
      ...[`file://${REPOSITORY}`, database, String(count), title],
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const { code, stderr } = await finished(child, WRITER);
  if (code !== 0) throw new Error(stderr);
}

/** An event as a stream told it. */
interface Told {
  readonly id: string | null;
  readonly event: string;
  // deno-lint-ignore no-explicit-any -- a test looks into whatever was told
  readonly data: any;
}

/** Opens a stream; what it tells comes one by one until the connection is dropped or the daemon ends it. */
async function* listen(
  daemon: Pick<RunningDaemon, "socket">,
  path: string,
  { lastSeen, signal }: { readonly lastSeen?: string; readonly signal?: AbortSignal } = {},
): AsyncGenerator<Told> {
  const connection = await Deno.connect({ transport: "unix", path: daemon.socket });
  const drop = () => {
    try {
      connection.close();
    } catch {
      // Dropped already.
    }
  };
  signal?.addEventListener("abort", drop);
  try {
    const headers = {
      host: "conclaude",
      accept: "text/event-stream",
      ...lastSeen === undefined ? {} : { "last-event-id": lastSeen },
    };
    await connection.write(requestText("GET", path, { headers }));
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(16_384);
    let text = "";
    for (;;) {
      const length = await connection.read(buffer).catch(() => null);
      if (length === null) return;
      text += decoder.decode(buffer.subarray(0, length), { stream: true });
      // What lies between events are the lengths of chunks, which look like no field.
      const parts = text.split("\n\n");
      text = parts.pop()!;
      for (const part of parts) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(part)?.[1] ?? null;
        const event = field("event");
        if (event !== null) yield { id: field("id"), event, data: JSON.parse(field("data")!) };
      }
    }
  } finally {
    drop();
  }
}

/** The first few of what a stream tells. */
async function take(count: number, told: AsyncGenerator<Told>): Promise<Told[]> {
  const found: Told[] = [];
  for await (const one of told) {
    found.push(one);
    if (found.length === count) break;
  }
  return found;
}

const test = testWith(tempHome);

test("a stream begins with the state in a few numbers, and a client that drops it then misses nothing", async (home) => {
  await using daemon = await runDaemon(home);
  const make = (title: string) => daemon.ask("POST", "/tasks", { body: { title } });
  await make("one");
  const [first] = await take(1, listen(daemon, "/events"));
  assert.deepEqual([first!.id, first!.event], ["1", "state.snapshot"]);
  assert.deepEqual([first!.data.tasks, first!.data.lastEventId], [{ open: 1 }, 1]);
  await make("two");
  const [, missed] = await take(2, listen(daemon, "/events", { lastSeen: first!.id! }));
  assert.equal(missed!.data.data.task.title, "two");
  const [replaying] = await take(1, listen(daemon, "/events?since=0"));
  assert.deepEqual([replaying!.id, replaying!.data.lastEventId], ["0", 2], "nothing was told yet");
});

test("a stream from a number that no event has yet sends every event", async (home) => {
  await using daemon = await runDaemon(home);
  await daemon.ask("POST", "/tasks", { body: { title: "one" } });
  const [first, one] = await take(2, listen(daemon, "/events", { lastSeen: "5000" }));
  assert.deepEqual([first!.id, one!.id], ["0", "1"]);
});

test("events that came while nobody listened are sent once, in order, when the stream is taken up again", async (home) => {
  await using daemon = await runDaemon(home);
  const { body: { task } } = await daemon.ask("POST", "/tasks", { body: { title: "one" } });
  const [, seen] = await take(2, listen(daemon, "/events?since=0"));
  const a = { "x-agent-id": "a" };
  await daemon.ask("POST", `/tasks/${task.id}/claim`, { headers: a });
  await daemon.ask("POST", "/tasks", { body: { title: "two" } });
  await daemon.ask("POST", `/tasks/${task.id}/complete`, { headers: a, body: {} });
  const missed = (await take(4, listen(daemon, "/events", { lastSeen: seen!.id! }))).slice(1);
  assert.deepEqual(missed.map(({ event }) => event), [
    "task.updated",
    "task.created",
    "task.updated",
  ]);
  const listed = (await daemon.ask("GET", `/events?since=${seen!.id}`)).body.events;
  assert.deepEqual(missed.map(({ data }) => data), listed);
  const ofOne =
    (await daemon.ask("GET", `/events?since=${seen!.id}&entity=${task.id}`)).body.events;
  assert.equal(ofOne.length, 2);
  const made = (await daemon.ask("GET", "/events?since=0&type=*.created")).body.events;
  assert.deepEqual(made.map(({ type }: { type: string }) => type), [
    "task.created",
    "task.created",
  ]);
  const [, filtered] = await take(
    2,
    listen(daemon, `/events?since=0&entity=none,${task.id}&type=task.u*`),
  );
  assert.equal(filtered!.data.data.task.status, "in_progress");
});

test("since takes a number, milliseconds and a time, and means strictly after", async (home) => {
  await using daemon = await runDaemon(home);
  for (const title of ["one", "two", "three"]) {
    await daemon.ask("POST", "/tasks", { body: { title } });
    await pause(5);
  }
  const all = (await daemon.ask("GET", "/events?since=0")).body.events;
  const { id, createdAtMs } = all[1];
  const time = encodeURIComponent(new Date(createdAtMs).toISOString());
  for (const since of [id, createdAtMs, time]) {
    const { events } = (await daemon.ask("GET", `/events?since=${since}`)).body;
    assert.deepEqual(events, all.slice(2), String(since));
    const [, streamed] = await take(2, listen(daemon, `/events?since=${since}`));
    assert.deepEqual(streamed!.data, all[2], String(since));
  }
});

test("a stream also tells what another process writes", async (home) => {
  await using daemon = await runDaemon(home);
  const told = listen(daemon, "/events");
  await told.next();
  const next = told.next();
  await writeFromOutside(home.database, { count: 1, title: "from outside" });
  const { value } = await next;
  assert.equal(value!.data.data.task.title, "from outside");
  await told.return(undefined);
});

test.slow("a client that drops the stream again and again gets every event once, in order", async (home) => {
  await using daemon = await runDaemon(home);
  const [byApi, byOthers, writers] = [1_000, 1_000, 4];
  const total = byApi + byOthers * writers;
  const writing = Promise.all([
    (async () => {
      for (let n = 0; n < byApi; n++) {
        await daemon.ask("POST", "/tasks", { body: { title: `api ${n}` } });
      }
    })(),
    ...Array.from({ length: writers }, () => writeFromOutside(home.database, { count: byOthers })),
  ]);
  const ids: number[] = [];
  let drops = 0;
  const endMs = Date.now() + 120_000;
  while (ids.length < total && Date.now() < endMs) {
    const dropping = new AbortController();
    const wanted = drops < 50 ? Math.floor(Math.random() * 150) : Infinity;
    const lastSeen = String(ids.at(-1) ?? 0);
    let seen = 0;
    const told = listen(daemon, "/events", { lastSeen, signal: dropping.signal });
    for await (const { id, event } of told) {
      if (event === "state.snapshot") continue;
      ids.push(Number(id));
      if (++seen >= wanted || ids.length >= total) break;
    }
    drops++;
  }
  await writing;
  assert.ok(drops >= 50, `${drops} drops`);
  assert.deepEqual(ids, Array.from({ length: total }, (_, i) => i + 1));
});

test("a client that does not read delays no other client, and loses nothing", async (home) => {
  await using daemon = await runDaemon(home);
  const asleep = listen(daemon, "/events?since=0");
  await asleep.next();
  const awake = listen(daemon, "/events?since=0");
  await writeFromOutside(home.database, { count: 3_000 });
  assert.equal((await take(3_001, awake)).at(-1)!.id, "3000");
  const late = await take(3_000, asleep);
  assert.deepEqual(
    late.map(({ id }) => Number(id)),
    Array.from({ length: 3_000 }, (_, i) => i + 1),
  );
});
