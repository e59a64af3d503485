/** What this program itself says to Claude, and what Claude Code's own files say, is not news to memory. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { summarizerInput } from "../../src/memory/drain/summarizer.ts";
import { captures, executions, filesBelow, latin1, query } from "../support/look.ts";
import { hook, runProgram } from "../support/program.ts";
import {
  configure,
  editing,
  SECOND,
  send,
  start,
  verb,
  work,
  workplace,
} from "../support/told_sessions.ts";
import { testWith } from "../support/fixtures.ts";

const OWN = "c0de0000-0000-4000-8000-0000000000aa";

const test = testWith(workplace);

test("the summarizer's prompts make no session, and no backfill brings one back", async (at) => {
  const folder = join(at.path, ".claude/projects/-home-ana--conclaude");
  await Deno.mkdir(folder, { recursive: true });
  const line = (type: string, content: unknown, second: number) => ({
    type,
    uuid: `${type}-${second}`,
    sessionId: OWN,
    cwd: join(at.path, ".conclaude"),
    timestamp: new Date(Date.UTC(2026, 0, 5, 1, 1, second)).toISOString(),
    isSidechain: false,
    message: { id: `m${second}`, role: type, content, stop_reason: "end_turn" },
  });
  const told = summarizerInput({ title: "Session: Kittiwakes", text: "Asked: kittiwakes" }, []);
  const lines = [
    line("user", told, 1),
    line("assistant", [{ type: "text", text: "Kittiwakes were counted." }], 2),
  ];
  const file = join(folder, `${OWN}.jsonl`);
  const transcript = lines.map((one) => `${JSON.stringify(one)}\n`).join("");
  await Deno.writeTextFile(file, transcript);
  const run = (...args: string[]) => runProgram(args, { env: { HOME: at.path } });
  assert.match((await run("reconcile")).stdout, /gaps +none/);
  await run("reconcile", "--backfill");
  assert.equal(query(at, "SELECT 1 FROM pending_queue").length, 0);
  // Another session that begins in the same way is one.
  await Deno.writeTextFile(
    file,
    transcript.replace("Below is what is known", "This is what is known"),
  );
  assert.match((await run("reconcile")).stdout, /2 of 2/);
});

test("conclaude keeps only the name of its own tools, for memory has already what they say", async (at) => {
  const use = {
    tool_name: "mcp__conclaude__remember",
    tool_use_id: "toolu_own",
    tool_input: { text: "The vault code is Skuafeather" },
  };
  await send(at, "PreToolUse", use);
  await send(at, "PostToolUse", {
    ...use,
    tool_response: [{ type: "text", text: "kept #7: Skuafeather" }],
  });
  assert.deepEqual(captures(at), []);
  const row = executions(at).find((one) => one["hook_name"] === "PostToolUse");
  assert.equal(row!["tool_name"], "mcp__conclaude__remember");
  assert.equal(Object(row!["metadata"]).skipped, "conclaude's own tools");
  assert.ok(
    filesBelow(at.path).every((path) => !latin1(Deno.readFileSync(path)).includes("Skuafeather")),
  );
  await send(at, "PostToolUse", {
    tool_name: "mcp__other__remember",
    tool_use_id: "toolu_other",
    tool_input: { text: "Skuafeather" },
    tool_response: [],
  });
  assert.equal(captures(at).length, 1);
});

test("a note is not told where a file that Claude Code reads around the project, or of rules, has it", async (at) => {
  const elsewhere = join(at.path, "elsewhere");
  const files = {
    around: join(at.path, "CLAUDE.md"),
    "the folder around": join(at.path, ".claude/rules/around.md"),
    "a folder of rules": join(at.project, ".claude/rules/deep/deeper/a.md"),
    "a user's rules": join(elsewhere, "rules/b.md"),
    "a user": join(elsewhere, "CLAUDE.md"),
  };
  const run = (...args: string[]) => verb(at, ...args);
  for (const [name, file] of Object.entries(files)) {
    await run("memory", "remember", `Always run the checks of ${name}`);
    await Deno.mkdir(join(file, ".."), { recursive: true });
    await Deno.writeTextFile(file, `- Always run the checks of ${name}\n`);
  }
  await run("memory", "remember", "Never run the checks of nobody");
  const { stdout } = await hook(
    "SessionStart",
    { session_id: SECOND, cwd: at.project, hook_event_name: "SessionStart", source: "startup" },
    at,
    { env: { HOME: at.path, CLAUDE_PROJECT_DIR: at.project, CLAUDE_CONFIG_DIR: elsewhere } },
  );
  const told = JSON.parse(stdout).hookSpecificOutput.additionalContext;
  assert.match(told, /Never run the checks of nobody/);
  assert.doesNotMatch(told, /Always run/);
});

test("memory that SessionStart told is not recalled again in that session", async (at) => {
  await configure(at, "memory: {recall: {edits: true, prompts: true}}\n");
  await work(at);
  assert.match(
    await editing(at, "src/auth.ts", { session: "c0de0000-0000-4000-8000-0000000000ab" }),
    /Fixed TypeError/,
  );
  assert.match(await start(at), /Fixed TypeError/);
  assert.doesNotMatch(await editing(at, "src/auth.ts"), /Fixed TypeError/);
});
