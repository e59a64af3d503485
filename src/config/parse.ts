/**
 * From the texts of the configuration files to what counts: the complete configuration, its short form for hooks, and
 * what is wrong with the files. Loaded on a cache miss and by the command line; a hook with a warm cache never is here.
 */
import type { ConfigFile, ConfigLayer } from "./discover.ts";
import { parentOf } from "../paths.ts";
import { compileGlob } from "./globs.ts";
import { compileGuards } from "./guards.ts";
import type { HookConfig } from "./hook_config.ts";
import { type ConfigProblem, isMapping, type LayerValues, readLayer } from "./layer.ts";
import { type Config, configSchema } from "./schema.ts";
import { compileStopSections } from "./stop.ts";

/** What the configuration files come to. */
export interface ParsedConfig {
  /** Every key has a value; `database.path` is absolute or null. */
  readonly config: Config;
  /** The same for hooks: paths absolute, globs compiled. */
  readonly hook: HookConfig;
  /** By layer, lowest first, then by line; empty when all is well. */
  readonly problems: readonly ConfigProblem[];
}

const LAYERS: readonly ConfigLayer[] = ["user", "project", "local"];

/**
 * Parses and merges the files of all layers: `local` over `project` over `user` over the defaults. Maps merge deep,
 * lists are replaced, a key without a value counts as not written. `inherit: false` in the project's or the local file
 * (the local one decides) drops the user's.
 *
 * Never throws. A file that is not YAML counts as absent, a wrong value as not written, a wrong entry of a list is left
 * out of it; each is a problem.
 *
 * @param files As `readConfigFiles()` found them, in any order; without any, the defaults come back.
 */
export function parseConfig(files: readonly ConfigFile[]): ParsedConfig {
  const ordered = LAYERS.flatMap((layer) => files.filter((file) => file.layer === layer));
  const layers = ordered.map((file) => ({ layer: file.layer, ...readLayer(file) }));
  const own = mergeAll(layers.filter(({ layer }) => layer !== "user"));
  const inherit = own.inherit !== false;
  const user = inherit ? mergeAll(layers.filter(({ layer }) => layer === "user")) : {};
  const config = configSchema.parse({ ...mergeValues(user, own), inherit });
  const problems = layers.flatMap((layer) => layer.problems);
  const home = ordered.find((file) => file.home)?.home;
  const ofProject = ordered.find(({ layer }) => layer !== "user");
  const root = ofProject ? parentOf(ofProject.path) : null;
  const isGuarded = root !== null || isMapping(user.preToolUse) ||
    isMapping(user.permissionRequest);
  return {
    config,
    hook: {
      ...toHookConfig(config, { home, problems: problems.length }),
      ...compileStopSections(config, root),
      guards: isGuarded ? JSON.stringify(compileGuards(config, { root, home })) : "",
    },
    problems,
  };
}

/** `over` laid over `under`: maps deep, everything else replaced. Neither is changed. */
export function mergeValues(under: LayerValues, over: LayerValues): LayerValues {
  const merged = new Map(Object.entries(under));
  for (const [key, value] of Object.entries(over)) {
    const below = merged.get(key);
    merged.set(key, isMapping(below) && isMapping(value) ? mergeValues(below, value) : value);
  }
  return Object.fromEntries(merged);
}

function mergeAll(layers: readonly { readonly values: LayerValues }[]): LayerValues {
  return layers.reduce((merged: LayerValues, { values }) => mergeValues(merged, values), {});
}

function toHookConfig(
  config: Config,
  context: { readonly home: string | undefined; readonly problems: number },
): Omit<HookConfig, "guards" | "stop" | "subagentStop" | "prompts" | "notifications"> {
  const { database, capture, store } = config;
  const { home, problems } = context;
  const folders = (globs: readonly string[]) =>
    globs.map((glob) => compileGlob(glob, { home, coversFolder: true }));
  return {
    databaseEnabled: database.enabled,
    databasePath: database.path,
    busyTimeoutMs: database.busyTimeoutMs,
    captureEnabled: capture.enabled,
    excludeProjects: folders(capture.exclude.projects),
    excludeTools: capture.exclude.tools.map((glob) => compileGlob(glob)),
    excludePaths: folders(capture.exclude.paths),
    maxPayloadBytes: capture.maxPayloadBytes,
    redactPatterns: [...capture.redact.patterns],
    sessionRetentionDays: store.sessionRetentionDays,
    retentionBatchRows: store.retentionBatchRows,
    problems,
  };
}
