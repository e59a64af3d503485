/** Asynchronous hooks end in any order: what is remembered is the same as in order. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { readRecording } from "../../src/build/replay.ts";
import { handleHook } from "../../src/hook/handle.ts";
import { IS_SLOW_LANE, sizedTest } from "../support/lanes.ts";
import { query } from "../support/look.ts";
import { jsonLines, toolUseLines } from "../support/transcripts.ts";
import { homeAlone, type TempHome, tempHome } from "../support/program.ts";

const PROJECT = "/home/ana/tides";
const BEGIN_MS = Date.UTC(2026, 9, 1, 9);
const ROUNDS = IS_SLOW_LANE ? 100 : 6;
const WITH_DRAIN = new Set(["Drain", "SessionEnd"]);
/** Nobody waits for the hooks after these tools. */
const ASYNC = new Set(["Edit", "Write", "Read"]);

type Event = Readonly<Record<string, unknown>> & { readonly hook_event_name: string };

interface Sent {
  readonly event: Event;
  readonly atMs: number;
}

/** The recorded sessions, an event every two seconds, with the drain that follows each turn. */
function recorded(): Sent[] {
  const events = readRecording("/home/ana", PROJECT).flatMap((event): Event[] =>
    event.hook_event_name === "Stop" ? [event, { ...event, hook_event_name: "Drain" }] : [event]
  );
  return events.map((event, n) => ({ event, atMs: BEGIN_MS + n * 2_000 }));
}

/** Claude Code writes the transcript whatever becomes of its hooks: here the lines of what has happened by then. */
function writeTranscript(home: TempHome, sent: readonly Sent[], nowMs: number): void {
  const uses = sent.filter(({ event, atMs }) =>
    event.hook_event_name.startsWith("PostToolUse") && atMs <= nowMs
  );
  for (const [path, of] of Map.groupBy(uses, ({ event }) => String(event["transcript_path"]))) {
    const lines = of.flatMap(({ event, atMs }) => {
      const { session_id: sessionId, prompt_id: promptId, cwd, gitBranch = null } = event;
      const use = { id: String(event["tool_use_id"]), atMs: atMs - 500, use: event };
      return toolUseLines(use, { sessionId, promptId, cwd, gitBranch });
    });
    const to = path.replace("/home/ana", home.path);
    Deno.mkdirSync(dirname(to), { recursive: true });
    Deno.writeTextFileSync(to, jsonLines(lines));
  }
}

/** @param order In which the hooks run, which may not be that of their times. */
async function play(
  home: TempHome,
  order: readonly Sent[],
  hasTranscript: boolean,
): Promise<void> {
  const sent = order.toSorted((a, b) => a.atMs - b.atMs);
  for (const { event, atMs } of order) {
    if (hasTranscript && WITH_DRAIN.has(event.hook_event_name)) writeTranscript(home, sent, atMs);
    const flags = { event: event.hook_event_name, db: undefined, noDb: false };
    const environment = {
      ...homeAlone(home.path, { CLAUDE_PROJECT_DIR: PROJECT }),
      now: () => atMs,
    };
    const payload = JSON.stringify(event).replaceAll("/home/ana/.claude", `${home.path}/.claude`);
    await handleHook(payload, flags, environment);
  }
}

/** The memory and the sessions of a home, without the numbers of rows. */
function remembered(home: TempHome) {
  const rows = query(home, "SELECT * FROM observations ORDER BY created_at_ms, kind, title");
  const titles = new Map(rows.map(({ id, title }) => [id, title]));
  return {
    observations: rows.map(({ id: _id, uid: _uid, facts, resolved_by, ...row }) => {
      const { mended, ...rest } = JSON.parse(String(facts));
      return {
        ...row,
        resolvedBy: titles.get(resolved_by),
        mended: titles.get(mended),
        facts: rest,
      };
    }),
    captures: query(
      home,
      "SELECT session_id, tool_name, tool_use_id, created_at_ms, branch FROM pending_queue ORDER BY 4, 2",
    ),
    sessions: query(home, "SELECT * FROM sessions ORDER BY session_id")
      .map(({ transcript_path: _path, ...session }) => session),
  };
}

/**
 * Moves each asynchronous event to a random place after its own.
 *
 * @param draw A number from 0 to below 1. @param past Whether it may come after the next drain.
 */
function delayed(sent: readonly Sent[], draw: () => number, past: boolean): Sent[] {
  return sent.map((one, n) => {
    const isAsync = one.event.hook_event_name.startsWith("PostToolUse") &&
      ASYNC.has(String(one.event["tool_name"]));
    const drain = sent.findIndex(({ event }, at) => at > n && event.hook_event_name === "Drain");
    const end = past ? sent.length : drain;
    return { one, place: isAsync ? n + draw() * (end - n) : n };
  }).sort((a, b) => a.place - b.place).map(({ one }) => one);
}

for (
  const [where, past] of [
    ["before the drain of their turn, and nothing else tells of them", false],
    [
      "after it, and the transcript tells of them",
      true,
    ],
  ] as const
) {
  sizedTest(
    `asynchronous captures that arrive in any order give the same memory: ${where}`,
    async () => {
      const sent = recorded();
      using ordered = tempHome();
      await play(ordered, sent, past);
      const expected = remembered(ordered);
      assert.ok(expected.observations.length > 8);
      let seed = 1;
      const draw = () => (seed = seed * 48_271 % 2_147_483_647) / 2_147_483_647;
      for (let round = 0; round < ROUNDS; round++) {
        using home = tempHome();
        const shuffled = delayed(sent, draw, past);
        await play(home, shuffled, past);
        const order = shuffled.map(({ event, atMs }) =>
          `${(atMs - BEGIN_MS) / 2_000} ${event.hook_event_name} ${event["tool_name"] ?? ""}`
        );
        assert.deepEqual(remembered(home), expected, order.join("\n"));
      }
    },
  );
}
