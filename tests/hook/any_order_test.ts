/**
 * Two lanes: hooks are asked about some tools only, and asynchronous ones end in any order. Whatever is answered and remembered
 * is the same as where Claude Code waits for a hook at every event.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { readRecording } from "../../src/build/replay.ts";
import { letsThrough } from "../../src/claude/settings/armed.ts";
import { handleHook } from "../../src/hook/handle.ts";
import { makeRepository } from "../support/git.ts";
import { sizeOf } from "../support/lanes.ts";
import { executions, query, type Row } from "../support/look.ts";
import { acceptConfiguration } from "../support/person.ts";
import { jsonLines, toolUseLines } from "../support/transcripts.ts";
import { homeAlone, runProgram, type TempHome, tempHome } from "../support/program.ts";
import { it, rowsOf } from "../support/fixtures.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };

const BEGIN_MS = Date.UTC(2026, 9, 1, 9);
/** A hundred rounds in the whole lane: each of the two tests plays half of them. */
const ROUNDS = sizeOf({ fast: 3, slow: 10, whole: 50 });
const WITH_DRAIN = new Set(["Drain", "SessionEnd"]);

const RULES = `preToolUse:
  uneditableFiles: ["*.lock"]
  toolUsageValidation: [{tool: Bash, commandPattern: "git push*", action: block}]
requirements:
  planned: {scope: session, triggerTools: [Write], autoResolveSkill: plan}
  reviewed: {scope: single_use, triggerTools: [Agent], autoResolveSkill: review}
`;
/** The skills that the requirements ask for, by tool. */
const SKILLS: Readonly<Record<string, string>> = { Write: "plan", Agent: "review" };

type Event = Readonly<Record<string, unknown>> & { readonly hook_event_name: string };

type Sent = Readonly<{ event: Event; atMs: number }>;

/** Uses of tools that a rule is about, before and after a recorded one: some are refused, so nothing follows them. */
function aroundUse(event: Event): Event[] {
  const { hook_event_name, tool_name, tool_use_id } = event;
  let made = 0;
  const asked = (tool_name: string, tool_input: Row): Event => ({
    ...event,
    ...{ hook_event_name: "PreToolUse", tool_name, tool_input },
    tool_use_id: `${tool_use_id}-${hook_event_name}-${++made}`,
  });
  const again = asked(String(tool_name), event["tool_input"] as Row);
  const skill = SKILLS[String(tool_name)];
  if (hook_event_name === "PreToolUse" && skill !== undefined) {
    const use = asked("Skill", { skill });
    const used = { ...use, hook_event_name: "PostToolUse", tool_response: { success: true } };
    return [again, use, used, event];
  }
  if (hook_event_name !== "PostToolUse" || skill === undefined) return [event];
  const file_path = `${event["cwd"]}/deno.lock`;
  return [
    event,
    again,
    asked("Edit", { file_path, old_string: "a", new_string: "b" }),
    asked("Bash", { command: "cd src && git push origin main" }),
  ];
}

/** The recorded sessions, an event every two seconds, with uses that rules refuse. */
function recorded({ path }: TempHome): Sent[] {
  return readRecording(path, projectIn(path)).flatMap(aroundUse)
    .map((event, n) => ({ event, atMs: BEGIN_MS + n * 2_000 }));
}

/** A handler that Claude Code starts at an event. */
interface Started extends Sent {
  /** The event, or the word of the drain. */
  readonly word: string;
  readonly isAsync: boolean;
}

/** Where Claude Code waits for a hook at every event, and a drain follows each turn. */
function inOneLane(sent: readonly Sent[]): Started[] {
  return sent.flatMap((one) => {
    const { hook_event_name: word } = one.event;
    const started = { ...one, word, isAsync: false };
    return word === "Stop" ? [started, { ...started, word: "Drain" }] : [started];
  });
}

interface Settings {
  readonly hooks: Readonly<
    Record<string, {
      readonly matcher?: string;
      readonly hooks: { readonly command: string; readonly async?: boolean }[];
    }[]>
  >;
}

/** Where the hooks are those of a settings file. */
function inTwoLanes(sent: readonly Sent[], { hooks }: Settings): Started[] {
  return sent.flatMap((one) => {
    const { hook_event_name: event, tool_name } = one.event;
    return (hooks[event] ?? [])
      .filter(({ matcher }) => letsThrough(event, matcher, String(tool_name)))
      .flatMap((group) => group.hooks)
      .map(({ command, async = false }) => ({
        ...one,
        word: / hook (\w+)/.exec(command)![1]!,
        isAsync: async,
      }));
  });
}

const projectIn = (home: string) => join(home, "tides");

/** Lays the project with its rules into a home, and nothing else but the hooks that the installer writes for them. */
async function begin({ path: home }: TempHome): Promise<Settings> {
  for (const { name } of Deno.readDirSync(home)) {
    Deno.removeSync(join(home, name), { recursive: true });
  }
  const project = projectIn(home);
  makeRepository(project, { branch: "feature/x", files: { ".conclaude.yaml": RULES } });
  await runProgram(["install-hooks"], { env: { HOME: home }, cwd: project });
  const path = join(home, ".claude", "settings.json");
  // Claude Code has read it before the session began.
  Deno.utimeSync(path, new Date(BEGIN_MS - 60_000), new Date(BEGIN_MS - 60_000));
  return JSON.parse(Deno.readTextFileSync(path));
}

/** Claude Code writes the transcript whatever becomes of its hooks: here the lines of what has happened by then. */
function writeTranscript(sent: readonly Sent[], nowMs: number): void {
  const uses = sent.filter(({ event, atMs }) =>
    event.hook_event_name.startsWith("PostToolUse") && atMs <= nowMs
  );
  for (const [path, of] of Map.groupBy(uses, ({ event }) => String(event["transcript_path"]))) {
    const lines = of.flatMap(({ event, atMs }) => {
      const { session_id: sessionId, prompt_id: promptId, cwd, gitBranch = "feature/x" } = event;
      const use = { id: String(event["tool_use_id"]), atMs: atMs - 500, use: event };
      return toolUseLines(use, { sessionId, promptId, cwd, gitBranch });
    });
    Deno.mkdirSync(dirname(path), { recursive: true });
    Deno.writeTextFileSync(path, jsonLines(lines));
  }
}

/**
 * @param order In which the hooks run, which may not be that of their times.
 * @returns What Claude Code got from those that it waited for, by event.
 */
async function play(
  home: TempHome,
  order: readonly Started[],
  hasTranscript: boolean,
): Promise<ReadonlyMap<Event, unknown>> {
  const sent = order.toSorted((a, b) => a.atMs - b.atMs);
  const answers = new Map<Event, unknown>();
  // On a busy machine the last SessionEnd leaves the rest of its drain to the next one.
  const rest = { ...order.at(-1)!, word: "Drain", isAsync: true };
  for (const { event, atMs, word, isAsync } of [...order, rest]) {
    if (hasTranscript && WITH_DRAIN.has(word)) writeTranscript(sent, atMs);
    const flags = { event: word, db: undefined, noDb: false };
    const environment = {
      ...homeAlone(home.path, { CLAUDE_PROJECT_DIR: projectIn(home.path) }),
      now: () => atMs,
    };
    acceptConfiguration(home.path);
    const answer = await handleHook(JSON.stringify(event), flags, environment);
    if (word !== "Drain" && !isAsync) answers.set(event, answer);
  }
  return answers;
}

/** The memory, the sessions and the requirements of a home, without the numbers of rows. */
function remembered(home: TempHome) {
  const rows = query(home, "SELECT * FROM observations ORDER BY created_at_ms, kind, title");
  const titles = new Map(rows.map(({ id, title }) => [id, title]));
  return {
    agents: query(home, "SELECT * FROM agents ORDER BY created_at_ms").map(({ id: _, ...one }) =>
      one
    ),
    requirements: query(home, "SELECT * FROM requirements ORDER BY requirement, session_id"),
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
 * Moves each asynchronous hook to a random place after its own.
 *
 * @param draw A number from 0 to below 1. @param past Whether it may come after the next drain.
 */
function delayed(started: readonly Started[], draw: () => number, past: boolean): Started[] {
  return started.map((one, n) => {
    const drain = started.findIndex(({ word }, at) => at > n && word === "Drain");
    const end = past ? started.length : drain;
    return { one, place: one.isAsync && one.word !== "Drain" ? n + draw() * (end - n) : n };
  }).sort((a, b) => a.place - b.place).map(({ one }) => one);
}

for (const [where, past] of rowsOf<readonly [string, boolean]>(CASES.pastDrains)) {
  it.sized(`asynchronous hooks that end in any order give the same answers and the same memory: ${where}`, async () => {
    using home = tempHome();
    const sent = recorded(home);
    await begin(home);
    const answers = await play(home, inOneLane(sent), past);
    const expected = remembered(home);
    assert.ok(expected.observations.length > 8);
    let seed = 1;
    const draw = () => (seed = seed * 48_271 % 2_147_483_647) / 2_147_483_647;
    for (let round = 0; round < ROUNDS; round++) {
      const settings = await begin(home);
      const order = delayed(inTwoLanes(sent, settings), draw, past);
      const words = order.map(({ event, atMs, word }) =>
        `${(atMs - BEGIN_MS) / 2_000} ${word} ${event["tool_name"] ?? ""}`
      ).join("\n");
      for (const [event, answer] of await play(home, order, past)) {
        assert.deepEqual(answer, answers.get(event), `${event.hook_event_name}\n${words}`);
      }
      assert.deepEqual(remembered(home), expected, words);
      const gates = executions(home).map(({ metadata }) => (metadata as Row)["gate"]);
      assert.ok(!gates.includes("not asked"), words);
    }
  });
}
