/**
 * Finds the plugins that Claude Code loads: the hooks of our own, and mods, which are code that runs inside Claude
 * Code. A mod that listens to tools can answer them so that hooks of user and project settings are not asked; hooks of
 * managed settings are asked first.
 */
import { quietly } from "../base/errors.ts";
import { baseName, joinPath, parentOf, resolvePath } from "../base/paths.ts";
import type { Environment } from "../system/environment.ts";
import { namesIn, readJsonFile, readText } from "../system/on_disk.ts";
import type { ParsedSettings } from "./settings/armed.ts";

export interface Mod {
  readonly name: string;
  readonly folder: string;
  /** The events by which it can get round a gate; empty where it listens to none of them. */
  readonly listens: readonly string[];
}

/** Where Claude Code looks for its configuration. */
export interface ModPlaces {
  /** `~/.claude`, or `CLAUDE_CONFIG_DIR`; null where neither is known. */
  readonly clientFolder: string | null;
  readonly projectDir: string;
}

export function modPlaces({ projectDir, home, environment: { variable } }: {
  readonly projectDir: string;
  readonly home: string | null;
  readonly environment: Pick<Environment, "variable">;
}): ModPlaces {
  const folder = variable("CLAUDE_CONFIG_DIR") ?? (home && joinPath(home, ".claude"));
  return { clientFolder: folder ?? null, projectDir };
}

/** Events by which a mod decides about tools, or takes them over. Claude Code accepts no computed event names. */
const GATING =
  /["'`](tool\.(?:call|check|judge|run)|classic\.[\w*]+|classic\*|plugin\.register|engine\.create|http\.fetch|process\.[\w*]+)["'`]/g;

const MAX_CODE_BYTES = 2_000_000;

/** Returns the mods that the next session in a project would load, by their names. Reads files only. */
export function findMods(places: ModPlaces): Mod[] {
  const { clientFolder } = places;
  const plugins = [
    ...settingsFolders(places).flatMap((folder) => inside(joinPath(folder, "skills"))),
    ...clientFolder === null ? [] : inside(joinPath(clientFolder, "dev-mods")),
    ...pluginFolders(places),
  ];
  return [...new Set(plugins)].flatMap(modIn)
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

/** Returns the mods that a gate has to know. */
export function gatingMods(places: ModPlaces): Mod[] {
  return findMods(places).filter(({ listens }) => listens.length > 0);
}

function settingsFolders({ clientFolder, projectDir }: ModPlaces): readonly string[] {
  return [joinPath(projectDir, ".claude"), ...clientFolder === null ? [] : [clientFolder]];
}

function inside(folder: string): string[] {
  return (namesIn(folder) ?? []).map((name) => joinPath(folder, name));
}

/** Returns the folders of the plugins that settings enable: installed ones, and those of marketplaces in a folder. */
function pluginFolders(places: ModPlaces): string[] {
  const { clientFolder } = places;
  const folders = settingsFolders(places);
  const settings = folders.flatMap((folder) =>
    ["settings.json", "settings.local.json"].map((name) =>
      Object(readJsonFile(joinPath(folder, name)))
    )
  );
  const enabled = settings.flatMap(({ enabledPlugins }) =>
    Object.entries(Object(enabledPlugins)).flatMap(([name, isOn]) => isOn === true ? [name] : [])
  );
  const installed = clientFolder === null ? {} : Object(
    Object(readJsonFile(joinPath(clientFolder, "plugins/installed_plugins.json"))).plugins,
  );
  const markets = Object.assign({}, ...settings.map(({ extraKnownMarketplaces: m }) => Object(m)));
  return enabled.flatMap((plugin) => [
    ...[installed[plugin]].flat().flatMap((entry) => {
      const { readFromFolder, installPath } = Object(entry);
      const folder = typeof readFromFolder === "string" ? readFromFolder : installPath;
      return typeof folder === "string" ? [folder] : [];
    }),
    ...inMarket(plugin, markets, folders[0]!),
  ]);
}

function inMarket(
  plugin: string,
  markets: Readonly<Record<string, unknown>>,
  projectFolder: string,
): string[] {
  const [name, market] = plugin.split("@");
  const { path } = Object(Object(markets[market ?? ""]).source);
  if (typeof path !== "string") return [];
  const folder = resolvePath(path, { folder: parentOf(projectFolder) });
  const { plugins } = Object(readJsonFile(joinPath(folder, ".claude-plugin/marketplace.json")));
  const listed = Array.isArray(plugins) ? plugins.map(Object) : [];
  return listed.flatMap(({ name: own, source }) =>
    own === name && typeof source === "string" ? [resolvePath(source, { folder })] : []
  );
}

/** Returns the plugin in a folder, if it brings modules. */
function modIn(folder: string): Mod[] {
  const { name } = Object(readJsonFile(joinPath(folder, PLUGIN_MANIFEST)));
  const { modules } = Object(readJsonFile(joinPath(folder, PLUGIN_HOOKS)));
  if (!Array.isArray(modules) || modules.length === 0) return [];
  const paths = modules.filter((module) => typeof module === "string")
    .flatMap((module) => [joinPath(folder, `hooks/${module}`), joinPath(folder, `./${module}`)]);
  const code = paths.map((path) => quietly(() => readText(path, MAX_CODE_BYTES)) ?? "").join("\n");
  const listens = [...new Set(Array.from(code.matchAll(GATING), ([, event]) => event!))];
  return [{ name: typeof name === "string" ? name : baseName(folder), folder, listens }];
}

/** Describes a mod: `x (/p/.claude/skills/x) listens to tool.call, tool.check`. */
export function modText({ name, folder, listens }: Mod): string {
  return `${name} (${folder}) listens to ${listens.join(", ")}`;
}

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
    const { hooks } = Object(readJsonFile(path));
    const { name } = Object(readJsonFile(joinPath(folder, PLUGIN_MANIFEST)));
    return name === PLUGIN_NAME && hooks !== undefined ? [{ path, settings: { hooks } }] : [];
  });
}
