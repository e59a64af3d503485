/** Builds the files of the Claude Code plugin that brings conclaude: hooks, MCP server, a skill. */
import { type HookEntry, type Program, programLine } from "../settings/hooks.ts";
import { serverOf } from "../settings/mcp_servers.ts";
import { splitWords } from "../settings/own_handler.ts";
import { PLUGIN_HOOKS, PLUGIN_MANIFEST, PLUGIN_NAME } from "./plugin_hooks.ts";
import skill from "./memory_skill.md" with { type: "text" };

/** The verb that a marketplace entry with the source `command` runs. */
const PATH_VERB = "plugin path";

const DESCRIPTION = "Memory over all sessions, rules that are asked before a tool runs, and tasks";

interface PluginOptions {
  readonly program: Program;
  readonly version: string;
}

/** Returns the text of each file of the plugin, by its path in the folder. The folder is also a marketplace. */
export function pluginFiles(
  entries: readonly HookEntry[],
  { program, version }: PluginOptions,
): ReadonlyMap<string, string> {
  const about = { name: PLUGIN_NAME, description: DESCRIPTION };
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  return new Map([
    [PLUGIN_MANIFEST, json({ ...about, version, author: { name: PLUGIN_NAME }, license: "MIT" })],
    [
      ".claude-plugin/marketplace.json",
      json({ ...about, owner: { name: PLUGIN_NAME }, plugins: [marketplaceEntry(program)] }),
    ],
    [PLUGIN_HOOKS, json({ description: DESCRIPTION, hooks: toPluginHooks(entries) })],
    [".mcp.json", json({ mcpServers: { [PLUGIN_NAME]: serverOf(program) } })],
    ["skills/memory/SKILL.md", skill],
  ]);
}

/** Returns the entry of a marketplace that installs the plugin from this program, and updates it with the program. */
export function marketplaceEntry(program: Program) {
  const command = `${programLine(program)} ${PATH_VERB}`;
  return { name: PLUGIN_NAME, description: DESCRIPTION, source: { source: "command", command } };
}

/** Returns our handlers in a plugin's form: the program and its arguments, without a shell between. */
export function toPluginHooks(entries: readonly HookEntry[]): Record<string, unknown[]> {
  const hooks: Record<string, unknown[]> = {};
  for (const { event, role: _role, exec: _exec, matcher, ...entry } of entries) {
    const [command, ...args] = splitWords(entry.command) ?? [entry.command];
    const handler = { type: "command", ...entry, command, args };
    (hooks[event] ??= []).push({ ...matcher === undefined ? {} : { matcher }, hooks: [handler] });
  }
  return hooks;
}
