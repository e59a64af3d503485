/** Tool uses that asynchronous hooks have lost are taken from the transcript, and what is kept out stays out. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { captures, executions, query, queryValue, sessionOf } from "../support/look.ts";
import { change as alter, configureUser } from "../support/on_home.ts";
import { hook, runProgram, type TempHome, tempHome } from "../support/program.ts";
import {
  jsonLines,
  PROJECT,
  putTranscripts,
  recordedHooks,
  tellHooks,
  toldOf,
  toolUseLines,
  transcriptsOf,
} from "../support/transcripts.ts";
import { testWith } from "../support/fixtures.ts";

const WORK = "8e9312b2-b577-45f9-8cef-c3f687cfffcf";
const TOOLS = "46ad5877-77d8-4d02-9450-1cf9a5c136f9";
const NEXT = "c0de0000-0000-4000-8000-000000000009";
const ENV = { CLAUDE_PROJECT_DIR: PROJECT };

const test = testWith(() => Promise.resolve(tempHome()));

const isUse = ({ hook_event_name: event }: Readonly<Record<string, unknown>>) =>
  String(event).startsWith("PostToolUse");

const pathOf = (home: TempHome, session: string) =>
  join(transcriptsOf(home), "-home-ana-app", `${session}.jsonl`);

/** An event of a session, in the recorded project. */
const tell = (
  home: TempHome,
  event: string,
  session_id: string,
  fields: Readonly<Record<string, unknown>> = {},
) => {
  const payload = {
    session_id,
    cwd: PROJECT,
    transcript_path: pathOf(home, session_id),
    ...fields,
  };
  return hook(event, payload, home, { env: ENV });
};

/** A session begins, at the time of its recording, and its transcript lies where Claude Code has it. */
async function begin(home: TempHome, session: string, name: "work" | "tools"): Promise<void> {
  putTranscripts(home, [name]);
  await tell(home, "SessionStart", session);
  alter(home, "UPDATE sessions SET started_at_ms = 0");
}

/** The ids of the captured tool uses, with where they are from. */
const usesOf = (home: TempHome) =>
  query(
    home,
    `SELECT tool_use_id AS id, coalesce(source, 'hook') AS source
       FROM pending_queue
      WHERE tool_use_id IS NOT NULL
      ORDER BY created_at_ms, id`,
  ).map(({ id, source }) => `${id} ${source}`);

const recordedUses = (name: "work" | "tools") =>
  recordedHooks(name).filter(isUse).map(({ tool_use_id }) => String(tool_use_id));

test("the drain of a turn takes what killed hooks have lost, also of sub-agents, once and as they would have", async (home) => {
  await begin(home, WORK, "work");
  await tellHooks(home, "work", isUse);
  assert.deepEqual(usesOf(home), []);
  await tell(home, "Drain", WORK, { hook_event_name: "Stop" });
  const all = recordedUses("work").map((id) => `${id} transcript`).sort();
  assert.deepEqual(usesOf(home).sort(), all);
  using hooked = tempHome();
  await tellHooks(hooked, "work");
  const ofUses = (home: TempHome) => toldOf(home).filter(({ tool_use_id }) => tool_use_id !== null);
  assert.deepEqual(ofUses(home), ofUses(hooked));
  // They are worked into memory by the same drain.
  assert.equal(queryValue(home, "SELECT count(*) FROM pending_queue WHERE status <> 'done'"), 0);
  await tell(home, "Drain", WORK, { hook_event_name: "Stop" });
  assert.equal(usesOf(home).length, all.length);
});

test("a hook that comes later than the transcript adds no second capture, and one that was told first stays", async (home) => {
  await begin(home, TOOLS, "tools");
  const [first, second, ...others] = recordedHooks("tools").filter(isUse);
  const send = (payload: Readonly<Record<string, unknown>>) =>
    hook(String(payload["hook_event_name"]), payload, home, { env: ENV });
  await send(first!);
  await tell(home, "SessionEnd", TOOLS, { reason: "other" });
  for (const payload of [second!, ...others]) await send(payload);
  const ids = recordedUses("tools");
  assert.deepEqual(
    usesOf(home).sort(),
    ids.map((id) => `${id} ${id === first!["tool_use_id"] ? "hook" : "transcript"}`).sort(),
  );
  // The audit has all of them.
  assert.equal(
    executions(home).filter(({ tool_use_id }) => tool_use_id !== null).length,
    ids.length,
  );
});

test("each drain reads only what is new, and finds a use whose result came after the last time", async (home) => {
  const path = pathOf(home, NEXT);
  Deno.mkdirSync(join(transcriptsOf(home), "-home-ana-app"), { recursive: true });
  const linesOf = (id: string, atMs: number) => {
    const use = { tool_name: "Bash", tool_input: { command: id }, tool_response: { stdout: "" } };
    return jsonLines(toolUseLines({ id, atMs, use }, { cwd: PROJECT, sessionId: NEXT }));
  };
  const readTo = () =>
    queryValue(home, "SELECT value FROM counters WHERE type LIKE 'claim:transcript:%'");
  await tell(home, "SessionStart", NEXT);
  const now = Date.now();
  const [old, [use, result]] = [linesOf("toolu_a", now), linesOf("toolu_b", now).split("\n")];
  Deno.writeTextFileSync(path, `${old}${use}\n`);
  await tell(home, "Drain", NEXT, { hook_event_name: "Stop" });
  assert.deepEqual(usesOf(home), ["toolu_a transcript"]);
  assert.equal(readTo(), Deno.statSync(path).size);
  // What was read is not read again.
  Deno.writeTextFileSync(path, `${old.replaceAll("toolu_a", "toolu_c")}${use}\n${result}\n`);
  await tell(home, "SessionEnd", NEXT, { reason: "other" });
  assert.deepEqual(usesOf(home), ["toolu_a transcript", "toolu_b transcript"]);
  assert.equal(readTo(), Deno.statSync(path).size);
  // The end of a line that is being written waits.
  Deno.writeTextFileSync(path, linesOf("toolu_d", now).trimEnd(), { append: true });
  await tell(home, "Drain", NEXT, { hook_event_name: "SessionStart" });
  assert.equal(usesOf(home).length, 2);
  Deno.writeTextFileSync(path, "\n", { append: true });
  await tell(home, "Drain", NEXT, { hook_event_name: "SessionStart" });
  assert.equal(usesOf(home).at(-1), "toolu_d transcript");
});

for (
  const [how, drains] of [
    [
      "the drain of the next session",
      (home: TempHome) =>
        tell(home, "Drain", NEXT, { hook_event_name: "SessionStart", source: "startup" }),
    ],
    [
      "queue drain",
      (home: TempHome) => runProgram(["queue", "drain"], { env: { HOME: home.path } }),
    ],
  ] as const
) {
  test(`a session that was killed in its turn loses nothing: ${how}`, async (home) => {
    await begin(home, TOOLS, "tools");
    await tellHooks(
      home,
      "tools",
      (payload) => isUse(payload) || payload["hook_event_name"] === "Stop",
    );
    await tell(home, "SessionStart", NEXT, { source: "startup" });
    assert.deepEqual(usesOf(home), [], "nobody waits for it");
    await drains(home);
    assert.deepEqual(
      usesOf(home).sort(),
      recordedUses("tools").map((id) => `${id} transcript`).sort(),
    );
    assert.equal(sessionOf(home, TOOLS)["status"], "active");
    assert.match(
      String(queryValue(home, "SELECT group_concat(title, char(10)) FROM observations")),
      /failed \(exit 3\)/,
    );
  });
}

test("what a forked session repeats of another one is not taken", async (home) => {
  putTranscripts(home, ["tools"]);
  await tell(home, "SessionStart", TOOLS);
  await tell(home, "SessionEnd", TOOLS, { reason: "other" });
  assert.deepEqual(usesOf(home), []);
});

/** What is kept out, and how. */
const KEPT_OUT: readonly {
  readonly what: string;
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly change?: (text: string) => string;
  /** Must not be found in what is kept. */
  readonly gone: RegExp;
  readonly left: number;
}[] = [
  { what: "a path", config: "exclude: {paths: ['hello.txt']}", gone: /hello\.txt/, left: 3 },
  {
    what: "a command",
    config: "exclude: {commands: ['wc *', 'echo *']}",
    gone: /wc -l|exit 3/,
    left: 6,
  },
  {
    what: "a file of the home that a command names",
    config: "exclude: {paths: ['~/x/**']}",
    change: (text) => text.replaceAll("wc -l hello.txt", "wc -l ~/x/y"),
    gone: /wc -l/,
    left: 7,
  },
  { what: "a tool", config: "exclude: {tools: [Edit]}", gone: /"tool_name":"Edit"/, left: 7 },
  { what: "a project", config: `exclude: {projects: ['${PROJECT}']}`, gone: /./, left: 0 },
  { what: "everything", config: "enabled: false", gone: /./, left: 0 },
  {
    what: "private text",
    change: (text) => text.replaceAll("Write a greeting.", "Write <private>gr33t</private>"),
    gone: /gr33t/,
    left: 8,
  },
  {
    what: "a secret",
    change: (text) => text.replaceAll("Count lines", "password=hunter2Xq9"),
    gone: /hunter2Xq9/,
    left: 8,
  },
  { what: "a pattern", config: "redact: {patterns: ['goodb.e']}", gone: /goodbye/, left: 8 },
  { what: "a session", env: { CONCLAUDE_MEMORY: "off" }, gone: /./, left: 0 },
];

for (const { what, config, env, change = (text: string) => text, gone, left } of KEPT_OUT) {
  test(`${what} that hooks keep out stays out of all that reads transcripts`, async (home) => {
    const places = { home, drained: tempHome(), hooked: tempHome() };
    using _drained = places.drained;
    using _hooked = places.hooked;
    for (const place of Object.values(places)) {
      if (config !== undefined) configureUser(place, `capture: {${config}}\n`);
      putTranscripts(place, ["tools"], change);
      const start = { session_id: TOOLS, cwd: PROJECT, transcript_path: pathOf(place, TOOLS) };
      await hook("SessionStart", start, place, { env: { ...ENV, ...env } });
      alter(place, "UPDATE sessions SET started_at_ms = 0");
    }
    await tellHooks(places.hooked, "tools", undefined, { ...env && { env }, change });
    const verb = (...args: string[]) => runProgram(args, { env: { HOME: home.path } });
    await verb("reconcile", "--backfill");
    await verb("import", "transcripts", transcriptsOf(home));
    await tellHooks(places.drained, "tools", isUse, { ...env && { env }, change });
    await tell(places.drained, "Drain", TOOLS, { hook_event_name: "Stop" });
    await tell(places.drained, "Drain", NEXT, { hook_event_name: "SessionStart" });
    for (const place of Object.values(places)) {
      const kept = captures(place);
      assert.equal(kept.length, left);
      assert.doesNotMatch(kept.map(({ payload }) => JSON.stringify(payload)).join("\n"), gone);
      assert.deepEqual(toldOf(place), toldOf(places.hooked));
    }
    if (env !== undefined) {
      const titles = "SELECT title FROM sessions UNION SELECT title FROM observations";
      assert.deepEqual(query(home, titles).map(({ title }) => title), [null]);
      assert.doesNotMatch(JSON.stringify(executions(places.hooked)), /greeting|hello/);
      const { stdout } = await verb("reconcile");
      assert.match(stdout, /^excluded {4}8 kept out \(CONCLAUDE_MEMORY\)$/m);
    }
  });
}
