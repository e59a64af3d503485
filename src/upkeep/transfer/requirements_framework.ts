/** Converts the configuration of the older requirements framework, and reads its records of branches. */
import { parse } from "yaml";
import { type ConfigEntry, faultsOf } from "../../config/layer.ts";
import { mergeValues } from "../../config/parse.ts";
import { isMapping, type LayerValues, type Plain } from "../../config/yaml_tree.ts";
import type { FoundFile } from "../../system/found_file.ts";
import { messageOf } from "../../base/errors.ts";
import { normalizeSessionId } from "../../base/ids.ts";
import { isSameValue } from "../../base/likeness.ts";
import TABLES from "./requirements_framework.json" with { type: "json" };
import { SCOPES } from "../../policy/requirements/requirement_policy.ts";
import { WHOLE_BRANCH } from "../../policy/requirements/standing.ts";
import { ownValue } from "../../base/mapping.ts";

/** The layers as read; null where a file is missing or unusable. */
type FrameworkLayers = Readonly<Record<"global" | "project" | "local", LayerValues | null>>;
/** Notes a key that is not converted, by its dotted name, and why. */
type Leave = (name: string, why: string) => void;

/** A command of the framework in a text, unless it already follows `conclaude`. */
const COMMAND =
  /(?<![\w./-]|conclaude )req (?=(?:satisfy|approve|clear|pause|resume|status|list|init|enable|disable)\b)/g;
/** Syntax that only Python's regular expressions have, or that JavaScript reads differently. */
const ONLY_PYTHON = /\{,\d|\[\^?\]|\(\?(?:[#(]|P[=>])|\\[NU]/;
const KEYS: Readonly<Record<string, string>> = TABLES.requirement;
const HOOKS: Readonly<Record<string, string>> = TABLES.hooks;
const LEFT: Readonly<Record<string, string>> = TABLES.left;
const reasonOf = (name: string) => ownValue(LEFT, name) ?? "conclaude has no such key";

/** Reads a file as the framework does: YAML 1.1, where `yes` is true and `<<` merges. @returns Keys, or a fault. */
export function readFrameworkFile(file: FoundFile): LayerValues | string {
  if (file.text === null) return file.problem;
  try {
    const read: unknown = parse(file.text, { version: "1.1", merge: true }) ?? {};
    const value: Plain = JSON.parse(JSON.stringify(read));
    return isMapping(value) ? value : "it is no map of keys";
  } catch (thrown) {
    return `it is no YAML: ${messageOf(thrown).split("\n")[0]}`;
  }
}

/**
 * Converts the layers. `shared` comes from the project's file and goes into the committed file. `own` comes from the
 * person's layers, or with `allOwn` from all layers, and goes into the other file. Without a project's file nothing is
 * converted, since the framework needs one.
 */
export function convertConfig(
  { global, project, local }: FrameworkLayers,
  { allOwn, leave }: { readonly allOwn: boolean; readonly leave: Leave },
): Readonly<Record<"shared" | "own", readonly ConfigEntry[]>> {
  if (project === null) return { shared: [], own: [] };
  const inherited = project["inherit"] === false ? {} : global ?? {};
  const all = mergeValues(mergeValues(inherited, project), local ?? {});
  const own = entriesOf(all, leave);
  // The conversion of all layers has already noted the keys of the project's file that are not converted.
  const shared = allOwn ? [] : entriesOf(project, () => {});
  const handled = ["version", "enabled", "inherit", "requirements", "hooks"];
  for (const key of Object.keys(all)) if (!handled.includes(key)) leave(key, reasonOf(key));
  const inShared = new Map(shared.map(({ name, value }) => [name, value]));
  return { shared, own: own.filter(({ name, value }) => !isSameValue(value, inShared.get(name))) };
}

function entriesOf(layer: LayerValues, leave: Leave): ConfigEntry[] {
  const isOn = layer["enabled"] !== false;
  if (!isOn) leave("enabled", "every requirement is off: `conclaude req enable --all`");
  const requirements = Object.entries(mapOf(layer["requirements"])).map(([name, given]) => ({
    name,
    path: ["requirements", name],
    value: isMapping(given) ? requirementOf(name, given, { isOn, leave }) : given,
  }));
  const hooks = leavesOf("hooks.", mapOf(layer["hooks"])).flatMap(([theirs, value]) => {
    const name = ownValue(HOOKS, theirs) ?? "";
    if (name === "") leave(theirs, reasonOf(theirs));
    return name === "" ? [] : [{ name, path: name.split("."), value }];
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

/** Converts one requirement. In the framework it is off unless switched on, here it is on unless switched off. */
function requirementOf(
  name: string,
  given: LayerValues,
  { isOn, leave }: { readonly isOn: boolean; readonly leave: Leave },
): LayerValues {
  const value: LayerValues = { enabled: isOn ? given["enabled"] ?? false : false };
  for (const [key, part] of Object.entries(given)) {
    const ourKey = ownValue(KEYS, key);
    if (key === "enabled") continue;
    if (ourKey === undefined) leave(`requirements.${name}.${key}`, reasonOf(key));
    else if (key === "blocking_message" && given["message"] !== undefined) {
      leave(`requirements.${name}.${key}`, "it has a message, which is what a denial says here");
    } else {
      value[ourKey] = ourKey === "triggerTools"
        ? [part].flat().map(triggerOf)
        : TABLES.lists.includes(ourKey)
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

/** Converts a trigger's Python expression to JavaScript's syntax; our schema refuses what cannot be converted. */
function triggerOf(trigger: Plain): Plain {
  if (!isMapping(trigger)) return trigger;
  const { command_pattern: pattern, ...others } = trigger;
  if (typeof pattern !== "string") return others;
  const source = pattern.replace(/^\(\?[iu]+\)/, "").replaceAll("(?P<", "(?<")
    .replace(/\\([AZ])/g, (_, letter) => letter === "A" ? "^" : "$");
  return { ...others, commandPattern: ONLY_PYTHON.test(source) ? `(?${pattern}` : source };
}

/** Lists the keys of `hooks` by their dotted names; a map without any known key stays one value. */
function leavesOf(prefix: string, value: LayerValues): (readonly [name: string, value: Plain])[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = `${prefix}${key}`;
    const isKnown = Object.keys(HOOKS).some((known) => known.startsWith(`${name}.`));
    return isKnown && isMapping(inner) ? leavesOf(`${name}.`, inner) : [[name, inner] as const];
  });
}

/** Reads the satisfactions in the record of a branch. Skips triggers: they belong to sessions that have ended. */
export function readState(file: FoundFile, skip: (why: string) => void) {
  const read = readFrameworkFile(file);
  const { version = null, branch } = Object(read);
  const isRecord = version === "1.0" && typeof branch === "string" && branch !== "";
  if (typeof read === "string" || !isRecord) {
    const why = `a branch and version 1.0 are expected, it has ${JSON.stringify(version)}`;
    skip(typeof read === "string" ? read : why);
    return [];
  }
  return Object.entries(mapOf(read["requirements"])).flatMap(([requirement, state]) => {
    const { scope: named = "session", sessions } = Object(state);
    const scope = SCOPES.find((one) => one === named);
    if (scope === undefined || !/^\w[\w.-]{0,63}$/.test(requirement)) {
      skip(`${requirement}: it has no name or no scope that we know`);
      return [];
    }
    // The framework also stored satisfactions of the whole branch under the session `branch-override`.
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
      // The first satisfaction counts, so that sessions cannot carry one on for ever.
      const first = by === "carry_over" ? timeOf(Object(metadata).original_satisfied_at) : null;
      return [{
        branch,
        requirement,
        sessionId,
        scope,
        atMs,
        expiresAtMs,
        originalAtMs: Math.min(first ?? atMs, atMs),
        metadata: {
          ...Object(metadata),
          imported_from: file.path,
          original_satisfied_by: by ?? null,
        },
      }];
    });
  });
}

/** Converts epoch seconds to milliseconds; null for anything that is no plausible time. */
function timeOf(seconds: unknown): number | null {
  return typeof seconds === "number" && seconds > 0 && seconds < 1e11
    ? Math.round(seconds * 1_000)
    : null;
}
