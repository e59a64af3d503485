import assert from "node:assert/strict";
import { pluginFiles } from "../../src/claude/plugin/plugin_files.ts";
import { planHooks } from "../../src/claude/settings/hooks.ts";
import { DEFAULT_EVENTS, type HookEvent, matcherOf } from "../../src/claude/settings/lanes.ts";
import { roleOf } from "../../src/claude/settings/own_handler.ts";

const program = { kind: "path", path: "/opt/my tools/cc" } as const;

/** The hooks of the plugin's file, as `plugin path` writes them. */
function hooksFor(events: readonly HookEvent[]): Record<string, unknown[]> {
  const entries = planHooks(program, events, { exec: true });
  return JSON.parse(pluginFiles(entries, { program, version: "1" }).get("hooks/hooks.json")!).hooks;
}

Deno.test("a plugin's hooks name the program and its arguments, so that no shell reads them", () => {
  assert.deepEqual(hooksFor(["PreToolUse", "Stop"]), {
    PreToolUse: [{
      matcher: matcherOf(["these", "asked"]),
      hooks: [{
        type: "command",
        command: "/opt/my tools/cc",
        args: ["hook", "PreToolUse", "--conclaude"],
        timeout: 10,
      }],
    }],
    Stop: [
      {
        hooks: [{
          type: "command",
          command: "/opt/my tools/cc",
          args: ["hook", "Stop", "--conclaude"],
          timeout: 600,
        }],
      },
      {
        hooks: [{
          type: "command",
          command: "/opt/my tools/cc",
          args: ["hook", "Drain", "--conclaude"],
          timeout: 60,
          async: true,
        }],
      },
    ],
  });
});

Deno.test("a plugin has every hook that install-hooks writes, and each is known as conclaude's", () => {
  const entries = planHooks(program, DEFAULT_EVENTS);
  const handlers = Object.values(hooksFor(DEFAULT_EVENTS)).flat()
    .flatMap((group) => Object(group).hooks);
  assert.deepEqual(handlers.map((handler) => roleOf(handler)), entries.map(({ role }) => role));
});

Deno.test("a plugin is a marketplace of itself, whose entry asks the program for the folder again", () => {
  const files = pluginFiles([], { program, version: "7.1.0" });
  const json = (path: string) => JSON.parse(files.get(path)!);
  assert.equal(json(".claude-plugin/plugin.json").version, "7.1.0");
  assert.deepEqual(json(".claude-plugin/marketplace.json").plugins[0].source, {
    source: "command",
    command: "'/opt/my tools/cc' plugin path",
  });
  assert.deepEqual(json(".mcp.json"), {
    mcpServers: { conclaude: { command: "/opt/my tools/cc", args: ["mcp"] } },
  });
  assert.ok([...files.keys()].every((path) => !path.startsWith("bin/")));
});
