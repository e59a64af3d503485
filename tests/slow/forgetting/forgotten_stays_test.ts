/** What was forgotten does not come back: by none of the ways on which text enters the database a second time. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { spoolRecord } from "../../../src/db/spool.ts";
import type { HookRecord } from "../../../src/db/captures.ts";
import { fillClaudeMem, makeClaudeMem } from "../../support/claude_mem.ts";
import { countRows, filesBelow, query, queryValue, sessionOf } from "../../support/look.ts";
import { change } from "../../support/on_home.ts";
import { hook, jsonOf, type TempHome, tempHome } from "../../support/program.ts";
import {
  putTranscripts,
  recordedHooks,
  tellHooks,
  transcriptsOf,
} from "../../support/transcripts.ts";
import { json, run } from "../../support/verb.ts";
import { testWith } from "../../support/fixtures.ts";
import { hookRecord } from "../../support/records.ts";

const TOOLS = "46ad5877-77d8-4d02-9450-1cf9a5c136f9";
/** What the transcript of that session has: a prompt, six tool uses, a last message. */
const ENTRIES = 8;
const PROMPT = "Write a greeting.";

/** The recorded session as hooks told it, worked into memory, with its transcript beside it. */
async function told(
  home: TempHome,
  leaveOut: (payload: Readonly<Record<string, unknown>>) => boolean = () => false,
): Promise<void> {
  putTranscripts(home, ["tools"]);
  await tellHooks(home, "tools", leaveOut);
  assert.equal((await run(home, "queue", "drain")).code, 0);
}

function numberOf(home: TempHome, where: string): string {
  const id = queryValue(home, `SELECT id FROM observations WHERE ${where}`);
  assert.ok(id !== undefined, where);
  return String(id);
}

async function forget(home: TempHome, ...args: string[]): Promise<string> {
  const { receipt } = await json(home, "memory", "forget", ...args, "--yes");
  return receipt.id;
}

async function stillGone(home: TempHome, receipt: string): Promise<void> {
  const { ok, problems } = await json(home, "memory", "verify", receipt);
  assert.deepEqual([ok, problems], [true, []]);
}

const test = testWith(tempHome);

test("a forgotten prompt, message and tool use are no gap, and a backfill leaves them out", async (home) => {
  await told(home);
  const receipt = await forget(
    home,
    numberOf(home, "kind = 'prompt'"),
    numberOf(home, "kind = 'message'"),
    numberOf(home, "kind = 'failure'"),
  );
  const left = countRows(home, "pending_queue");
  assert.ok(left < ENTRIES - 2);
  const { stdout, code } = await run(home, "reconcile");
  assert.match(stdout, /^gaps {8}none\nforgotten {3}3 that stay away$/m);
  assert.equal(code, 0);
  const { filled, sessions } = await json(home, "reconcile", "--backfill");
  assert.deepEqual([filled.written, sessions[0].forgotten, sessions[0].extra], [0, 3, 0]);
  assert.equal(countRows(home, "pending_queue"), left);
  const imported = await run(home, "import", "transcripts", transcriptsOf(home));
  assert.match(imported.stdout, /^forgotten {3}3 that stay away\nimported {4}0 captures/m);
  await stillGone(home, receipt);
});

test("a session that retention has removed comes back without what was forgotten of it, its title included", async (home) => {
  await told(home);
  const receipt = await forget(home, "--text", PROMPT);
  change(home, "DELETE FROM sessions; DELETE FROM pending_queue; DELETE FROM observations");
  const { filled } = await json(home, "import", "transcripts", transcriptsOf(home));
  assert.ok(filled.written > 3 && filled.written < ENTRIES, String(filled.written));
  assert.equal(sessionOf(home, TOOLS)["title"], null);
  await run(home, "queue", "drain");
  assert.equal((await json(home, "memory", "verify", receipt, "--text", PROMPT)).ok, true);
});

test("a backfill brings nothing of a forgotten session, not even what no hook captured", async (home) => {
  await told(home, (payload) => payload["tool_name"] === "Edit");
  await forget(home, "--session", TOOLS);
  const { filled, gaps, sessions } = await json(home, "reconcile", "--backfill");
  assert.deepEqual([filled.written, gaps, sessions[0].forgotten], [0, 0, ENTRIES]);
  assert.equal(countRows(home, "pending_queue") + countRows(home, "observations"), 0);
  // Had it been forgotten in the middle of it, what came later is a gap.
  change(
    home,
    `UPDATE forget_receipts SET created_at_ms = ${Date.parse("2026-11-22T03:32:52.900Z")}`,
  );
  change(home, "DELETE FROM forgotten");
  const later = await json(home, "reconcile");
  assert.ok(later.gaps > 0 && later.gaps < ENTRIES, String(later.gaps));
  assert.equal(later.gaps + later.sessions[0].forgotten, ENTRIES);
});

test("a session that is live while it is forgotten goes on being captured", async (home) => {
  await told(home);
  await forget(home, "--session", TOOLS);
  const [prompt] = recordedHooks("tools");
  await hook("UserPromptSubmit", { ...prompt, prompt: "And another thing" }, home);
  await run(home, "queue", "drain");
  assert.deepEqual(query(home, "SELECT text FROM observations WHERE kind = 'prompt'").length, 1);
});

test("an older export brings back neither what was forgotten nor what is made of it", async (home) => {
  await told(home);
  const file = join(home.path, "before.jsonl");
  await run(home, "export", "--output", file);
  assert.match(Deno.readTextFileSync(file), /"kind":"summary"/);
  const edit = "kind = 'edit' AND uid IN (SELECT id FROM pending_queue WHERE tool_name = 'Edit')";
  const receipt = await forget(
    home,
    numberOf(home, "kind = 'prompt'"),
    numberOf(home, edit),
    numberOf(home, "kind = 'failure'"),
  );
  const rows = () => ["observations", "pending_queue"].map((table) => countRows(home, table));
  await run(home, "queue", "drain");
  const before = rows();
  // The session and its audit trail are gone meanwhile: all that can tell is what the export says.
  change(
    home,
    "DELETE FROM sessions; DELETE FROM hook_executions; DELETE FROM observations WHERE kind = 'summary'",
  );
  const dry = await json(home, "import", file, "--dry-run");
  const report = await json(home, "import", file);
  assert.ok(report.forgotten >= 9, JSON.stringify(report));
  assert.equal(dry.forgotten, report.forgotten);
  assert.equal(report.imported.sessions, 1);
  assert.equal(sessionOf(home, TOOLS)["title"], null, "it was called after the prompt");
  await run(home, "queue", "drain");
  assert.deepEqual(rows(), before);
  assert.doesNotMatch((await run(home, "export")).stdout, /Write a greeting/);
  await stillGone(home, receipt);
  const text = await run(home, "import", file);
  assert.match(text.stdout, /^\d+ rows were forgotten here, and stay away\.$/m);
});

test("an export does not bring a forgotten prompt back under another id", async (home) => {
  using other = tempHome();
  await told(home);
  putTranscripts(other, ["tools"]);
  await run(other, "reconcile", "--backfill");
  await run(other, "queue", "drain");
  const file = join(home.path, "other.jsonl");
  await run(other, "export", "--output", file);
  await forget(home, numberOf(home, "kind = 'prompt'"));
  await run(home, "import", file);
  await run(home, "queue", "drain");
  assert.doesNotMatch((await run(home, "export")).stdout, /Write a greeting/);
});

test("an import says that it does not keep away what was forgotten where the export was made", async (home) => {
  using other = tempHome();
  await told(home);
  await forget(home, numberOf(home, "kind = 'prompt'"));
  const file = join(home.path, "export.jsonl");
  await run(home, "export", "--output", file);
  const { code, stderr } = await run(other, "import", file);
  assert.equal(code, 0);
  assert.match(stderr, /not kept away here\n.*1 receipt of it is in that database alone/);
  const here = await run(home, "import", file, "--json");
  assert.equal(here.stderr, "");
  assert.equal(jsonOf(here).forgottenElsewhere, 0);
});

test("an older export brings back only that a forgotten session existed", async (home) => {
  await told(home);
  await hook("Elicitation", {
    ...recordedHooks("tools")[0],
    hook_event_name: "Elicitation",
    mcp_server_name: "forms",
    message: "Which Zanzibar is meant?",
    mode: "form",
    elicitation_id: "e1",
  }, home);
  assert.equal(countRows(home, "questions"), 1);
  const file = join(home.path, "before.jsonl");
  await run(home, "export", "--output", file);
  await forget(home, "--session", TOOLS);
  await run(home, "import", file);
  change(home, "DELETE FROM sessions; DELETE FROM hook_executions; DELETE FROM events");
  await run(home, "import", file);
  change(home, "DELETE FROM questions; DELETE FROM events");
  await run(home, "import", file);
  await run(home, "queue", "drain");
  const { stdout } = await run(home, "export");
  assert.doesNotMatch(stdout, /Write a greeting|Zanzibar|greeting\.txt/);
  assert.match(stdout, /"type":"session"/);
});

test("what was forgotten of claude-mem stays away when it is taken over again", async (home) => {
  const path = join(home.path, "claude-mem.db");
  const db = makeClaudeMem(path);
  fillClaudeMem(db);
  db.close();
  await run(home, "import", "claude-mem", path);
  const receipt = await forget(home, "--text", "Title 2 of parseHookEvent");
  for (const dry of [["--dry-run"], []]) {
    const { forgotten, imported } = await json(home, "import", "claude-mem", path, ...dry);
    assert.deepEqual([forgotten, imported.observations], [1, 0]);
  }
  const { stdout } = await run(home, "import", "claude-mem", path);
  assert.match(stdout, /^1 was forgotten here, and stays away\.$/m);
  await stillGone(home, receipt);
});

function record(more: Partial<HookRecord>): HookRecord {
  const made = hookRecord({
    id: "0198f0e1-0000-7000-8000-00000000ffff",
    atMs: 5,
    sessionId: TOOLS,
    execution: {
      toolUseId: null,
      errorMessage: "Zanzibar failed",
      metadata: { about: "Zanzibar" },
    },
    capture: {
      toolUseId: null,
      filesTouched: [],
      payload: '{"tool_name":"Write","tool_input":{"content":"Zanzibar"}}',
    },
    counters: ["seen"],
  });
  return { ...made, session: null, ...more };
}

test("a record that waits in the spool is taken in without what was forgotten of it meanwhile", async (home) => {
  await told(home);
  const [write] = query(
    home,
    "SELECT id, tool_use_id FROM pending_queue WHERE tool_name = 'Write'",
  );
  await forget(home, numberOf(home, `uid = '${write!["id"]}'`));
  change(home, "DELETE FROM hook_executions");
  const target = { database: home.database, folders: [join(home.path, ".conclaude", "spool")] };
  const fresh = record({});
  const used = { ...fresh.execution, toolUseId: String(write!["tool_use_id"]) };
  spoolRecord(record({ id: String(write!["id"]) }), target);
  spoolRecord(record({ id: "0198f0e1-0000-7000-8000-00000000fffe", execution: used }), target);
  spoolRecord(record({ atMs: 6, capture: { ...fresh.capture!, payload: '{"kept":1}' } }), target);
  await run(home, "queue", "drain");
  assert.equal(countRows(home, "hook_executions"), 3, "that it happened stays");
  const found = query(
    home,
    "SELECT metadata FROM hook_executions WHERE metadata LIKE '%Zanzibar%'",
  );
  assert.equal(found.length, 1, "the one that was not forgotten");
  assert.equal(
    queryValue(home, "SELECT count(*) FROM pending_queue WHERE payload LIKE '%Zanz%'"),
    0,
  );
});

test("the drain removes what a second hook of a forgotten tool use captures", async (home) => {
  const own = {
    session_id: TOOLS,
    cwd: home.path,
    tool_name: "Bash",
    tool_use_id: "toolu_twice",
    tool_input: { command: "make Zanzibar" },
  };
  const tell = async () => {
    await hook("PreToolUse", own, home);
    await hook("PostToolUse", { ...own, tool_response: { stdout: "Zanzibar" } }, home);
    const kept = { tool_use_id: crypto.randomUUID(), tool_input: { command: "make kept" } };
    await hook("PostToolUse", { ...own, ...kept, tool_response: { stdout: "kept" } }, home);
  };
  await tell();
  assert.equal((await run(home, "queue", "drain")).code, 0);
  const receipt = await forget(home, numberOf(home, "text LIKE '%Zanzibar%'"));
  await tell();
  assert.equal(countRows(home, "pending_queue"), 3);
  const drained = await run(home, "queue", "drain");
  assert.match(drained.stdout, /^forgotten {3}1 that stays away$/m);
  assert.equal(countRows(home, "pending_queue"), 2);
  const { stdout } = await run(home, "export");
  assert.doesNotMatch(stdout, /Zanzibar/);
  for (const type of ["capture", "observation", "execution"]) {
    assert.match(stdout, new RegExp(`^{"type":"${type}".*make kept`, "m"));
  }
  await stillGone(home, receipt);
});

test("what was forgotten while it waited in the spool does not come from a transcript", async (home) => {
  await told(home, (payload) => payload["tool_name"] === "Write");
  const [write] = recordedHooks("tools").filter((payload) =>
    payload["tool_name"] === "Write" && payload["hook_event_name"] === "PostToolUse"
  );
  const { capture } = record({});
  spoolRecord(
    record({ capture: { ...capture!, toolUseId: String(write!["tool_use_id"]) } }),
    { database: home.database, folders: [join(home.path, ".conclaude", "spool")] },
  );
  await forget(home, "--text", "Zanzibar");
  const { gaps, sessions } = await json(home, "reconcile");
  assert.deepEqual([gaps, sessions[0].forgotten], [0, 1]);
});

test("a text that comes back in another row is found by memory verify --text", async (home) => {
  await told(home);
  const receipt = await forget(home, "--text", "greeting");
  assert.equal((await json(home, "memory", "verify", receipt, "--text", "greeting")).ok, true);
  await run(home, "memory", "remember", "The greeting is in greeting.txt");
  const { ok, problems } = await json(home, "memory", "verify", receipt, "--text", "greeting");
  assert.equal(ok, false);
  assert.match(problems[0].message, /^(?:1 row holds|\d+ rows hold) the text again$/);
});

test("the names of forgotten words do not reveal them, and forgetting a text leaves the key of these names whole", async (home) => {
  await told(home);
  await forget(home, numberOf(home, "kind = 'prompt'"));
  const key = String(queryValue(home, "SELECT value FROM meta WHERE key = 'forget_key'"));
  assert.match(key, /^[0-9a-f]{64}$/);
  const names = query(home, "SELECT name FROM forgotten WHERE name LIKE 'word/%'");
  assert.ok(
    names.length >= 2 && names.every(({ name }) => /^word\/[0-9a-f]{64}$/.test(String(name))),
  );
  await run(home, "memory", "forget", "--text", key.slice(0, 12), "--yes");
  assert.equal(queryValue(home, "SELECT value FROM meta WHERE key = 'forget_key'"), key);
  for (const path of filesBelow(join(home.path, ".conclaude"))) {
    assert.ok(!Deno.readTextFileSync(path).includes(PROMPT), path);
  }
});

test("an older export brings back no change of a task and no event that held a forgotten text", async (home) => {
  await told(home);
  await run(home, "task", "create", "--title", "Rename Zanzibar");
  const id = String(queryValue(home, "SELECT id FROM tasks"));
  await run(home, "task", "update", id, "--title", "Rename Zanzibar at last");
  const file = join(home.path, "before.jsonl");
  await run(home, "export", "--output", file);
  assert.match(Deno.readTextFileSync(file), /"type":"taskChange".*Zanzibar/);
  const receipt = await forget(home, "--text", "Zanzibar");
  await run(home, "import", file);
  Deno.removeSync(file);
  const { ok, problems } = await json(home, "memory", "verify", receipt, "--text", "Zanzibar");
  assert.deepEqual([ok, problems], [true, []]);
});
