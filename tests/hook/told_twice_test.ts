/** Where a settings file and a plugin both start conclaude, Claude Code tells of each event twice. */
import assert from "node:assert/strict";
import { query } from "../support/look.ts";
import { hook, type TempHome, tempHome } from "../support/program.ts";
import { testWith } from "../support/fixtures.ts";

const SESSION = "0198aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee";
const OF_PLUGIN = { env: { CLAUDE_PLUGIN_ROOT: "/opt/plugins/conclaude" } };

const EVENTS: readonly (readonly [event: string, fields: Record<string, unknown>])[] = [
  ["SessionStart", { source: "startup" }],
  ["UserPromptSubmit", { prompt: "Mend the tap" }],
  ["PreToolUse", { tool_name: "Bash", tool_use_id: "a", tool_input: { command: "ls" } }],
  ["PostToolUse", { tool_name: "Bash", tool_use_id: "a", tool_input: { command: "ls" } }],
  // Two at the same moment differ by what they tell only.
  ["SubagentStart", { agent_id: "one", agent_type: "Explore" }],
  ["SubagentStart", { agent_id: "two", agent_type: "Explore" }],
  ["Notification", { message: "waiting" }],
  ["Stop", { last_assistant_message: "Mended." }],
  ["SessionEnd", { reason: "other" }],
];

const test = testWith(tempHome);

async function tell(home: TempHome, ways: readonly { readonly env?: Record<string, string> }[]) {
  for (const [event, fields] of EVENTS) {
    for (const way of ways) await hook(event, { session_id: SESSION, ...fields }, home, way);
  }
}

const rows = (home: TempHome) => ({
  executions: query(home.database, "SELECT hook_name FROM hook_executions ORDER BY id"),
  captures: query(home.database, "SELECT tool_name, payload FROM pending_queue ORDER BY id"),
  counters: query(home.database, "SELECT type, value FROM counters ORDER BY type"),
});

test("what a settings file and a plugin both tell is recorded once, whoever is first", async (home) => {
  await tell(home, [{}]);
  const once = rows(home);
  assert.equal(once.executions.length, EVENTS.length);
  for (const ways of [[{}, OF_PLUGIN], [OF_PLUGIN, {}]]) {
    using other = tempHome();
    await tell(other, ways);
    assert.deepEqual(rows(other), once);
  }
});

test("what one installation tells twice happened twice", async (home) => {
  for (let count = 0; count < 2; count++) {
    await hook("Notification", { session_id: SESSION, message: "waiting" }, home, OF_PLUGIN);
  }
  assert.equal(rows(home).executions.length, 2);
});
