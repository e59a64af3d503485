/** What this program itself says to Claude is not news to memory. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { summarizerInput } from "../../src/memory/drain/summarizer.ts";
import { captures, executions, filesBelow, latin1, query } from "../support/look.ts";
import { runProgram } from "../support/program.ts";
import { workplace } from "../support/told_sessions.ts";
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
  await at.send("PreToolUse", use);
  await at.send("PostToolUse", {
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
  await at.send("PostToolUse", {
    tool_name: "mcp__other__remember",
    tool_use_id: "toolu_other",
    tool_input: { text: "Skuafeather" },
    tool_response: [],
  });
  assert.equal(captures(at).length, 1);
});

test("memory that SessionStart told is not recalled again in that session", async (at) => {
  await at.configure("memory: {recall: {edits: true, prompts: true}}\n");
  await at.work();
  assert.match(
    await at.editing("src/auth.ts", { session: "c0de0000-0000-4000-8000-0000000000ab" }),
    /Fixed TypeError/,
  );
  assert.match(await at.start(), /Fixed TypeError/);
  assert.doesNotMatch(await at.editing("src/auth.ts"), /Fixed TypeError/);
});
