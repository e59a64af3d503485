/**
 * The older requirements framework in our words: its configuration, and its records of branches.
 *
 * What the team shares there goes into the file that it shares here. What is a person's own there (the global layer, the
 * local one) goes into the file of the project that is not committed.
 */
import { parse } from "yaml";
import { type ConfigEntry, faultsOf } from "../../config/layer.ts";
import { mergeValues } from "../../config/parse.ts";
import { isMapping, type LayerValues, type Plain } from "../../config/yaml_tree.ts";
import { messageOf } from "../../base/errors.ts";
import { normalizeSessionId } from "../../base/ids.ts";
import { isSameValue } from "../../base/likeness.ts";
import TABLES from "./framework.json" with { type: "json" };
import { SCOPES } from "./requirement_policy.ts";
import { WHOLE_BRANCH } from "./standing.ts";

/** The layers as they were read; null where there is no file, or none that can be used. */
export type FrameworkLayers = Readonly<Record<"global" | "project" | "local", LayerValues | null>>;

/** Notes a key of the framework that is not taken over, and why. @param name Its dotted name there. */
type Leave = (name: string, why: string) => void;

/** Commands of the framework in a text, where our own does not stand already. */
const COMMAND =
  /(?<![\w./-]|conclaude )req (?=(?:satisfy|approve|clear|pause|resume|status|list|init|enable|disable)\b)/g;
/** What Python's expressions have and JavaScript's lack, or read as something else. */
const ONLY_PYTHON = /\{,\d|\[\^?\]|\(\?(?:[#(]|P[=>])|\\[NU]/;
const KEYS: Readonly<Record<string, string>> = TABLES.requirement;
const HOOKS: Readonly<Record<string, string>> = TABLES.hooks;
const LEFT: Readonly<Record<string, string>> = TABLES.left;

/** The keys of a file, read as the framework does: YAML 1.1, where `yes` is true and `<<` merges; else why it cannot be used. */
export function readFrameworkYaml(text: string): LayerValues | string {
  try {
    const value: Plain = JSON.parse(
      JSON.stringify(parse(text, { version: "1.1", merge: true }) ?? {}),
    );
    return isMapping(value) ? value : "it is no map of keys";
  } catch (thrown) {
    return `it is no YAML: ${messageOf(thrown).split("\n")[0]}`;
  }
}

/**
 * Converts the layers. Without a project's file nothing comes of them: the framework does nothing in such a project.
 *
 * @param options `allOwn`: everything goes into the file that is not committed.
 */
export function convertConfig(
  { global, project, local }: FrameworkLayers,
  { allOwn, leave }: { readonly allOwn: boolean; readonly leave: Leave },
): Readonly<Record<"shared" | "own", readonly ConfigEntry[]>> {
  if (project === null) return { shared: [], own: [] };
  const all = mergeValues(
    mergeValues(project["inherit"] === false ? {} : global ?? {}, project),
    local ?? {},
  );
  const own = entriesOf(all, leave);
  // What is left of the project's file is left of all layers together, and was named there.
  const shared = allOwn ? [] : entriesOf(project, () => {});
  const handled = ["version", "enabled", "inherit", "requirements", "hooks"];
  for (const key of Object.keys(all)) if (!handled.includes(key)) leave(key, reasonOf(key));
  return {
    shared,
    own: own.filter(({ name, value }) =>
      !isSameValue(value, shared.find((entry) => entry.name === name)?.value)
    ),
  };
}

function reasonOf(name: string): string {
  return LEFT[name] ?? "conclaude has no such key";
}

function entriesOf(layer: LayerValues, leave: Leave): ConfigEntry[] {
  const isOn = layer["enabled"] !== false;
  if (!isOn) leave("enabled", "every requirement is off: `conclaude req enable --all`");
  const requirements = Object.entries(mapOf(layer["requirements"])).map(([name, given]) => ({
    name,
    path: ["requirements", name],
    value: isMapping(given) ? requirementOf(name, given, { isOn, leave }) : given,
  }));
  const hooks = leavesOf("", mapOf(layer["hooks"])).flatMap(([name, value]) => {
    const to = HOOKS[name] === undefined ? null : `hooks.${HOOKS[name]}`;
    if (to === null) leave(`hooks.${name}`, reasonOf(`hooks.${name}`));
    return to === null ? [] : [{ name: to, path: to.split("."), value }];
  });
  return [...requirements, ...hooks].filter((entry) => {
    const faults = faultsOf(entry);
    if (faults !== "") leave(entry.name, faults);
    return faults === "";
  });
}

function mapOf(value: Plain | undefined): LayerValues {
  return value !== undefined && isMapping(value) ? value : {};
}

/** One requirement in our words. There it has to be switched on, here it is on unless it is switched off. */
function requirementOf(
  name: string,
  given: LayerValues,
  { isOn, leave }: { readonly isOn: boolean; readonly leave: Leave },
): LayerValues {
  const value: LayerValues = { enabled: isOn ? given["enabled"] ?? false : false };
  for (const [key, part] of Object.entries(given)) {
    const to = KEYS[key];
    if (key === "enabled") continue;
    if (to === undefined) leave(`requirements.${name}.${key}`, reasonOf(key));
    else if (key === "blocking_message" && given["message"] !== undefined) {
      leave(`requirements.${name}.${key}`, "it has a message, which is what a denial says here");
    } else {
      value[to] = to === "triggerTools"
        ? [part].flat().map(triggerOf)
        : TABLES.lists.includes(to)
        ? [part].flat()
        : typeof part === "string"
        ? part.replace(COMMAND, "conclaude req ").replace(/^(\w+)_calculator$/, "$1")
        : part;
    }
  }
  if (Array.isArray(value["triggerTools"]) && value["triggerTools"].length === 0) {
    value["enabled"] = false;
    leave(`requirements.${name}.trigger_tools`, "an empty list asks nowhere, so it is off");
  }
  return value;
}

/** A trigger, with its Python expression in JavaScript's syntax; our schema refuses one that cannot be said so. */
function triggerOf(trigger: Plain): Plain {
  if (!isMapping(trigger)) return trigger;
  const { command_pattern: pattern, ...others } = trigger;
  if (typeof pattern !== "string") return others;
  const source = pattern.replace(/^\(\?[iu]+\)/, "").replaceAll("(?P<", "(?<")
    .replace(/\\([AZ])/g, (_, letter) => letter === "A" ? "^" : "$");
  return { ...others, commandPattern: ONLY_PYTHON.test(source) ? `(?${pattern}` : source };
}

/** The keys of hooks with dotted names; a map without any key that we know stays one value. */
function leavesOf(prefix: string, value: LayerValues): (readonly [name: string, value: Plain])[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = `${prefix}${key}`;
    const isKnown = Object.keys(HOOKS).some((known) => known.startsWith(`${name}.`));
    return isKnown && isMapping(inner) ? leavesOf(`${name}.`, inner) : [[name, inner] as const];
  });
}

/** A satisfaction that the framework recorded. */
export type RecordedSatisfaction = ReturnType<typeof readState>[number];

/** Reads the record of a branch. That a requirement was triggered is passed over: it belongs to sessions that are over. */
export function readState(
  text: string,
  { path, skip }: { readonly path: string; readonly skip: (why: string) => void },
) {
  const file = readFrameworkYaml(text);
  if (typeof file === "string") {
    skip("it is not valid JSON");
    return [];
  }
  const { version = null, branch } = file;
  if (version !== "1.0" || typeof branch !== "string" || branch === "") {
    skip(`a branch and version 1.0 are expected, it has ${JSON.stringify(version)}`);
    return [];
  }
  return Object.entries(mapOf(file["requirements"])).flatMap(([requirement, state]) => {
    const { scope: named = "session", sessions } = Object(state);
    const scope = SCOPES.find((one) => one === named);
    if (scope === undefined || !/^\w[\w.-]{0,63}$/.test(requirement)) {
      skip(`${requirement}: it has no name or no scope that we know`);
      return [];
    }
    // What holds for a whole branch was also kept as that of a session `branch-override`.
    const entries = Object.entries<unknown>({ branch: state, ...Object(sessions) });
    return entries.flatMap(([key, entry]) => {
      const { satisfied, satisfied_at, expires_at, satisfied_by: by, metadata } = Object(entry);
      if (satisfied !== true) return [];
      const sessionId = key.startsWith("branch") ? WHOLE_BRANCH : normalizeSessionId(key);
      const [atMs, expiresAtMs] = [timeOf(satisfied_at), timeOf(expires_at)];
      if (atMs === null || sessionId === undefined) {
        skip(`${requirement}, ${key}: it does not say when it was satisfied, or in which session`);
        return [];
      }
      // Nothing is to be carried on for ever, so the first time counts.
      const first = by === "carry_over" ? timeOf(Object(metadata).original_satisfied_at) : null;
      const from = { imported_from: path, original_satisfied_by: by ?? null };
      const told = { branch, requirement, sessionId, scope, atMs, expiresAtMs };
      const originalAtMs = Math.min(first ?? atMs, atMs);
      return [{ ...told, originalAtMs, metadata: { ...Object(metadata), ...from } }];
    });
  });
}

/** Milliseconds of now or before, from epoch seconds; null for what is no time. */
function timeOf(seconds: unknown): number | null {
  return typeof seconds === "number" && seconds > 0 && seconds < 1e11
    ? Math.round(seconds * 1_000)
    : null;
}
