/** Builds the files of the Claude Code plugin that brings conclaude: hooks, MCP server, a skill. */
import { type HookEntry, type Program, programLine } from "../settings/hooks.ts";
import { serverOf } from "../settings/mcp_servers.ts";
import { PLUGIN_HOOKS, PLUGIN_MANIFEST, PLUGIN_NAME } from "../plugins.ts";
import { installInto } from "../settings/edit.ts";
import skill from "./memory_skill.md" with { type: "text" };

/** The verb that a marketplace entry with the source `command` runs. */
const PATH_VERB = "plugin path";

const DESCRIPTION = "Memory over all sessions, rules that are asked before a tool runs, and tasks";

/** Returns the text of each file of the plugin, by its path in the folder. The folder is also a marketplace. */
export function pluginFiles(
  entries: readonly HookEntry[],
  { program, version }: { readonly program: Program; readonly version: string },
): ReadonlyMap<string, string> {
  const about = { name: PLUGIN_NAME, description: DESCRIPTION };
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  return new Map([
    [PLUGIN_MANIFEST, json({ ...about, version, author: { name: PLUGIN_NAME }, license: "MIT" })],
    [
      ".claude-plugin/marketplace.json",
      json({ ...about, owner: { name: PLUGIN_NAME }, plugins: [marketplaceEntry(program)] }),
    ],
    [PLUGIN_HOOKS, installInto(json({ description: DESCRIPTION }), { program, entries }).text],
    [".mcp.json", json({ mcpServers: { [PLUGIN_NAME]: serverOf(program) } })],
    ["skills/memory/SKILL.md", skill],
  ]);
}

/** Returns the entry of a marketplace that installs the plugin from this program, and updates it with the program. */
export function marketplaceEntry(program: Program) {
  const command = `${programLine(program)} ${PATH_VERB}`;
  return { name: PLUGIN_NAME, description: DESCRIPTION, source: { source: "command", command } };
}
