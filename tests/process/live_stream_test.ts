import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { runDaemon, type RunningDaemon } from "../support/daemon.ts";
import { tempHome } from "../support/program.ts";
import { newId } from "../../src/base/ids.ts";

/** Reads pieces of the stream until `isEnough`. @returns The id of the last piece, and how many hooks of each session it told. */
async function read(
  { port, token }: RunningDaemon,
  { lastSeen, isEnough }: {
    readonly lastSeen?: string;
    readonly isEnough: (told: Told) => boolean;
  },
): Promise<Told> {
  const ends = new AbortController();
  const response = await fetch(`http://127.0.0.1:${port}/live`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...lastSeen === undefined ? {} : { "last-event-id": lastSeen },
    },
    signal: ends.signal,
  });
  const told: Told = { id: "", events: [], hooks: new Map() };
  let text = "";
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const pieces = text.split("\n\n");
      text = pieces.pop()!;
      for (const piece of pieces) take(piece, told);
      if (isEnough(told)) return told;
    }
    return told;
  } finally {
    ends.abort();
  }
}

interface Told {
  id: string;
  readonly events: string[];
  readonly hooks: Map<string, number>;
}

function take(piece: string, told: Told): void {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(piece)?.[1];
  const event = field("event");
  if (event === undefined) return;
  told.events.push(event);
  told.id = field("id") ?? told.id;
  for (const [id, n] of Object.entries(JSON.parse(field("data")!).sessions ?? {})) {
    told.hooks.set(id, (told.hooks.get(id) ?? 0) + Number(n));
  }
}

/** Writes audit rows as hooks of another process do. */
function writeHooks(database: string, sessionId: string, count: number): void {
  using db = new DatabaseSync(database, { timeout: 5_000 });
  const insert = db.prepare(
    `INSERT INTO hook_executions (id, session_id, hook_name, status, duration_ms, created_at_ms)
     VALUES (?, ?, 'PostToolUse', 'success', 1, ?)`,
  );
  for (let n = 0; n < count; n++) insert.run(newId(Date.now()), sessionId, Date.now());
}

Deno.test("a stream tells every hook, those that came while it was cut too, and bursts in few pieces", async () => {
  using home = tempHome();
  await using daemon = await runDaemon(home);
  let isWritten = false;
  const before = await read(daemon, {
    isEnough: ({ hooks }) => {
      // The stream has said that it begins.
      if (!isWritten) writeHooks(home.database, "a", 200);
      isWritten = true;
      return hooks.get("a") === 200;
    },
  });
  assert.equal(before.hooks.get("a"), 200);
  writeHooks(home.database, "b", 2_000);
  const after = await read(daemon, {
    lastSeen: before.id,
    isEnough: ({ hooks }) => (hooks.get("b") ?? 0) >= 2_000,
  });
  assert.deepEqual([...after.hooks], [["b", 2_000]]);
  assert.ok(after.events.length < 20, `${after.events.length} pieces`);
});

Deno.test("a stream says that it cannot tell what is not kept any more", async () => {
  using home = tempHome();
  await using daemon = await runDaemon(home);
  writeHooks(home.database, "a", 10);
  const ofOther = await read(daemon, { lastSeen: "999.0.0.0", isEnough: () => true });
  assert.deepEqual(ofOther.events, ["gap"]);
  using db = new DatabaseSync(home.database, { timeout: 5_000 });
  db.exec("DELETE FROM hook_executions WHERE rowid < 8");
  const tooOld = await read(daemon, { lastSeen: "2.0.0.0", isEnough: () => true });
  assert.deepEqual(tooOld.events, ["gap"]);
});
