import assert from "node:assert/strict";
import { commandsFor, runHookCommand, type Settings } from "../../src/build/replay.ts";

const SETTINGS: Settings = {
  hooks: {
    SessionStart: [group("startup|resume", "starts")],
    PostToolUse: [group("*", "all"), group("Edit|Write", "edits"), group("^mcp__.*", "mcp")],
    Stop: [{ hooks: [{ type: "command", command: "stops" }] }],
  },
};

Deno.test("commandsFor() finds the hooks that Claude Code would run", () => {
  const post = (tool: string) =>
    commandsFor(SETTINGS, { hook_event_name: "PostToolUse", tool_name: tool });
  assert.deepEqual(post("Edit"), ["all", "edits"]);
  assert.deepEqual(post("Ed"), ["all"]);
  assert.deepEqual(post("mcp__mock__echo"), ["all", "mcp"]);
  assert.deepEqual(commandsFor(SETTINGS, { hook_event_name: "Stop" }), ["stops"]);
  assert.deepEqual(commandsFor(SETTINGS, { hook_event_name: "PreCompact" }), []);
  const start = (source: string) =>
    commandsFor(SETTINGS, { hook_event_name: "SessionStart", source });
  assert.deepEqual(start("resume"), ["starts"]);
  assert.deepEqual(start("clear"), []);
});

Deno.test("runHookCommand() sends one line of JSON and tells what came back", async () => {
  const run = await runHookCommand("cat; echo oops >&2; exit 3", {
    payload: { hook_event_name: "Stop" },
    env: { PATH: Deno.env.get("PATH") ?? "" },
    cwd: Deno.cwd(),
  });
  assert.equal(run.stdout, '{"hook_event_name":"Stop"}\n');
  assert.equal(run.stderr, "oops\n");
  assert.equal(run.code, 3);
});

function group(matcher: string, command: string) {
  return { matcher, hooks: [{ type: "command", command }] };
}
