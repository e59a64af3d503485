/** Where a settings file and a plugin both start conclaude, Claude Code tells of each event twice. */
import assert from "node:assert/strict";
import { query } from "../support/look.ts";
import { configureUser } from "../support/on_home.ts";
import { answerOf } from "../support/process.ts";
import { hook, runProgram, type TempHome, tempHome } from "../support/program.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };

const SESSION = "0198aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee";
const OF_PLUGIN = { env: { CLAUDE_PLUGIN_ROOT: "/opt/plugins/conclaude" } };

const EVENTS = rowsOf<readonly [event: string, fields: Record<string, unknown>]>(
  Object.values(CASES.eventsToldTwice).flat(),
);

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

test("what two hooks of one event know is told once, to Claude and to the person; both deny", async (home) => {
  configureUser(
    home,
    `userPromptSubmit: {contextRules: [{pattern: tap, prompt: Close the valve}]}
preToolUse: {toolUsageValidation: [{tool: Bash, commandPattern: "rm *", action: block}]}
`,
  );
  const noted = { env: { HOME: home.path }, cwd: home.path };
  await runProgram(["memory", "remember", "The tap is in the cellar"], noted);
  await runProgram(["install-hooks"], noted);
  const both = async (event: string, fields: object) => {
    const payload = { session_id: SESSION, cwd: home.path, ...fields };
    const first = await hook(event, payload, home);
    return [first, await hook(event, payload, home, OF_PLUGIN)].map(answerOf);
  };
  for (
    const [event, fields, words] of [
      ["SessionStart", { source: "startup" }, /The tap is in the cellar[^]*conclaude: memory of/],
      ["UserPromptSubmit", { prompt: "Mend the tap" }, /Close the valve/],
    ] as const
  ) {
    const [first, second] = await both(event, fields);
    assert.match(JSON.stringify(first), words);
    assert.equal(second?.hookSpecificOutput, undefined, event);
    const notice = event === "SessionStart" ? /^conclaude: its hooks are installed twice.*$/ : /^$/;
    assert.match(second?.systemMessage ?? "", notice);
  }
  const use = { tool_name: "Bash", tool_use_id: "a", tool_input: { command: "rm tap" } };
  const denials = (await both("PreToolUse", use)).map((answer) => answer.hookSpecificOutput);
  assert.deepEqual(denials.map(({ permissionDecision }) => permissionDecision), ["deny", "deny"]);
});
