/**
 * Parses the texts of the configuration files. The result is the complete configuration, its short form for hooks, and
 * the mistakes in the files. Hooks come here only when the cache misses.
 */
import { parentOf } from "../base/paths.ts";
import { type Config, configSchema } from "./config_schema.ts";
import { type ConfigFile, isLeftOut, LAYERS } from "./discover.ts";
import { compileGlob } from "./globs.ts";
import type { HookConfig } from "./hook_config.ts";
import { type ConfigProblem, dotted, readLayer } from "./layer.ts";
import { sections, type StrictPolicy } from "./sections.ts";
import { isMapping, type LayerValues, type NameOfEntry, pathInFile } from "./yaml_tree.ts";

export interface ParsedConfig<Whole extends Config = Config> {
  /** Every key has a value; `database.path` is absolute or null. */
  readonly config: Whole;
  /** The form for hooks: paths absolute, globs compiled. */
  readonly hook: HookConfig;
  /** The guards' policy, also where `hook.guards` is empty. */
  readonly policy: StrictPolicy;
  /** Whether all unusable files are unusable because others could have written them. */
  readonly isOnlyLeftOut: boolean;
  /** By layer, lowest first, then by line. */
  readonly problems: readonly ConfigProblem[];
  /** The mistake in the user's own file that switches the summarizer off; null without one. */
  readonly summarizerFault: ConfigProblem | null;
}

const MAX_NAMED_PROBLEMS = 3;

const MAX_NAMED_REQUIREMENTS = 20;

/**
 * Parses and merges the files of all layers: `local` over `project` over `user` over the defaults. Maps merge deep,
 * lists are replaced, a key without a value counts as not written. `inherit: false` in the project's or the local file
 * (the local one decides) drops the user's.
 *
 * Never throws. A file that is not YAML counts as absent, a wrong value as not written, a wrong entry of a list is left
 * out of it, or replaced by the list's default where it has one, and a list without a right entry counts as not
 * written; each is a problem.
 *
 * @param files As `readConfigFiles()` found them, in any order; without any file, the defaults count.
 */
export function parseConfig<Whole extends Config>(
  files: readonly ConfigFile[],
): ParsedConfig<Whole> {
  const ordered = LAYERS.flatMap((layer) => files.filter((file) => file.layer === layer));
  const layers = ordered.map((file) => ({
    layer: file.layer,
    isLeftOut: isLeftOut(file),
    ...readLayer(file),
  }));
  const own = mergeAll(layers.filter(({ layer }) => layer !== "user"));
  const inherit = own.inherit !== false;
  const user = inherit ? mergeAll(layers.filter(({ layer }) => layer === "user")) : {};
  const counting = layers.filter(({ layer }) => inherit || layer !== "user");
  const broken = counting.flatMap((layer) => layer.broken);
  const written = { ...mergeValues(user, own), inherit };
  const config = configSchema().schema.parse(written) as Whole;
  const problems = layers.flatMap((layer) => layer.problems);
  const home = ordered.find((file) => file.home)?.home;
  const ofProjects = ordered.filter(({ layer }) => layer !== "user");
  const ofProject = ofProjects.find(({ text }) => text !== null) ?? ofProjects[0];
  const root = ofProject ? parentOf(ofProject.path) : null;
  const nameOf: NameOfEntry = (list, i) => dotted(pathInFile(written, [...list, i]));
  const { policy, hook } = sections().compile(config as never, { root, home, nameOf });
  const unread = counting.filter(({ unreadable }) => unreadable !== null);
  // Broken files are named before left-out ones: a person corrects them first.
  const worst = (unread.find(({ isLeftOut }) => !isLeftOut) ?? unread[0])?.unreadable;
  return {
    config,
    hook: {
      ...toHookConfig(config, { home, problems }),
      ...hook,
      brokenRequirements: root === null ? "" : namesText([...new Set(broken)]),
      unreadable: worst ? faultText(worst) : "",
    },
    policy,
    isOnlyLeftOut: unread.length > 0 && unread.every(({ isLeftOut }) => isLeftOut),
    problems,
    summarizerFault: layers.find(({ layer }) => layer === "user")?.summarizerFault ?? null,
  };
}

/** Joins names: `a, b, c and 2 more`. */
function namesText(names: readonly string[]): string {
  const more = names.length > MAX_NAMED_REQUIREMENTS
    ? ` and ${names.length - MAX_NAMED_REQUIREMENTS} more`
    : "";
  return names.slice(0, MAX_NAMED_REQUIREMENTS).join(", ") + more;
}

function faultText({ path, line, column, message }: ConfigProblem): string {
  return line > 0 ? `${path}:${line}:${column}: ${message}` : `${path}: ${message}`;
}

/** Lays `over` over `under`: merges maps deep, and replaces everything else. It changes neither. */
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
  context: { readonly home: string | undefined; readonly problems: readonly ConfigProblem[] },
) {
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
    excludeCommands: capture.exclude.commands.map((glob) => compileGlob(glob)),
    maxPayloadBytes: capture.maxPayloadBytes,
    redactPatterns: [...capture.redact.patterns],
    sessionRetentionDays: store.sessionRetentionDays,
    retentionBatchRows: store.retentionBatchRows,
    dailyBackups: store.backups,
    claimTimeoutMinutes: store.claimTimeoutMinutes,
    held: [],
    problems: problems.length,
    problemKeys: problems.slice(0, MAX_NAMED_PROBLEMS).map(({ key, path }) => key || path),
  };
}
