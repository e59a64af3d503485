/** Finds the hooks of conclaude's plugin, which Claude Code starts beside those of the settings files. */
import { joinPath } from "../../base/paths.ts";
import { readJsonFile } from "../../system/on_disk.ts";
import { type ModPlaces, pluginFolders } from "../mods.ts";
import type { ParsedSettings } from "../settings/armed.ts";
import { quoteWord } from "../settings/hooks.ts";
import { memberOf } from "../settings/own_handler.ts";

/** The plugin, its MCP server and its marketplace all have this name. */
export const PLUGIN_NAME = "conclaude";

/** The file in which a plugin keeps its hooks. */
export const PLUGIN_HOOKS = "hooks/hooks.json";
export const PLUGIN_MANIFEST = ".claude-plugin/plugin.json";

/** The command that updates the plugin, from whatever place this program has now. */
export const UPDATE_PLUGIN =
  'claude plugin marketplace add "$(conclaude plugin path)" && claude plugin update conclaude';
export const REMOVE_PLUGIN = "claude plugin uninstall conclaude";

/** The variable in which Claude Code tells a plugin's hooks the folder of the plugin. */
export const PLUGIN_ROOT = "CLAUDE_PLUGIN_ROOT";

/**
 * Returns the hooks of our plugin, if it is enabled, in the form of a settings file. @param root The value of
 * {@linkcode PLUGIN_ROOT}: Claude Code may load a folder that no settings file names.
 */
export function pluginSettings(places: ModPlaces, root?: string): ParsedSettings[] {
  const folders = new Set([...root === undefined ? [] : [root], ...pluginFolders(places)]);
  return [...folders].flatMap((folder) => {
    const path = joinPath(folder, PLUGIN_HOOKS);
    const hooks = memberOf(readJsonFile(path), "hooks");
    const isOurs =
      memberOf(readJsonFile(joinPath(folder, PLUGIN_MANIFEST)), "name") === PLUGIN_NAME;
    return isOurs && hooks !== undefined ? [{ path, settings: { hooks: inLines(hooks) } }] : [];
  });
}

/** Moves the arguments of handlers into their commands, as settings files have them. */
function inLines(hooks: unknown): unknown {
  return JSON.parse(JSON.stringify(hooks, (_, value) => {
    if (!Array.isArray(memberOf(value, "args"))) return value;
    const { command, args, ...handler } = value;
    return { ...handler, command: [command, ...args].map(String).map(quoteWord).join(" ") };
  }));
}
