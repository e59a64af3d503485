/** Converts the configuration of the older requirements framework, and reads its records of branches. */
import { parse } from "yaml";
import { type ConfigEntry, faultsOf } from "../../config/layer.ts";
import { mergeValues } from "../../config/parse.ts";
import { isMapping, type LayerValues, type Plain } from "../../config/yaml_tree.ts";
import type { FoundFile } from "../../system/found_file.ts";
import { messageOf } from "../../base/errors.ts";
import { normalizeSessionId } from "../../base/ids.ts";
import { isSameValue } from "../../base/likeness.ts";
import TABLES from "./framework.json" with { type: "json" };
import { SCOPES } from "./requirement_policy.ts";
import { WHOLE_BRANCH } from "./standing.ts";

/** The layers as they were read; null where there is no file, or none that can be used. */
type Layers = Readonly<Record<"global" | "project" | "local", LayerValues | null>>;
/** Notes a key that is not taken over, by its dotted name, and why. */
type Leave = (name: string, why: string) => void;

/** Commands of the framework in a text, where our own does not stand already. */
const COMMAND =
  /(?<![\w./-]|conclaude )req (?=(?:satisfy|approve|clear|pause|resume|status|list|init|enable|disable)\b)/g;
/** What only Python's expressions have, or what JavaScript reads as something else. */
const ONLY_PYTHON = /\{,\d|\[\^?\]|\(\?(?:[#(]|P[=>])|\\[NU]/;
const KEYS: Readonly<Record<string, string>> = TABLES.requirement;
const HOOKS: Readonly<Record<string, string>> = TABLES.hooks;
const LEFT: Readonly<Record<string, string>> = TABLES.left;
const reasonOf = (name: string) => LEFT[name] ?? "conclaude has no such key";

/** Reads a file as the framework does: YAML 1.1, where `yes` is true and `<<` merges. @returns Its keys, or what is wrong. */
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
 * Converts the layers. `shared` goes into the file that is committed: what the project's file says. `own` goes into the
 * other one: what a person's layers say, or everything with `allOwn`. The framework needs a project's file, so nothing
 * comes of the other layers without one.
 */
export function convertConfig(
  { global, project, local }: Layers,
  { allOwn, leave }: { readonly allOwn: boolean; readonly leave: Leave },
): Readonly<Record<"shared" | "own", readonly ConfigEntry[]>> {
  if (project === null) return { shared: [], own: [] };
  const inherited = project["inherit"] === false ? {} : global ?? {};
  const all = mergeValues(mergeValues(inherited, project), local ?? {});
  const own = entriesOf(all, leave);
  // What the project's file cannot give was named among all layers together.
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
  const hooks = leavesOf("hooks.", mapOf(layer["hooks"])).flatMap(([there, value]) => {
    const name = HOOKS[there] ?? "";
    if (name === "") leave(there, reasonOf(there));
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

/** Lists the keys of hooks by their dotted names; a map without any key that we know stays one value. */
function leavesOf(prefix: string, value: LayerValues): (readonly [name: string, value: Plain])[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = `${prefix}${key}`;
    const isKnown = Object.keys(HOOKS).some((known) => known.startsWith(`${name}.`));
    return isKnown && isMapping(inner) ? leavesOf(`${name}.`, inner) : [[name, inner] as const];
  });
}

/** Reads the record of a branch. That a requirement was triggered is passed over: it belongs to sessions that are over. */
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
    // What holds for a whole branch was also kept for a session `branch-override`.
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
      return [{
        ...{ branch, requirement, sessionId, scope, atMs, expiresAtMs },
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

/** Milliseconds of now or before, from epoch seconds; null for anything else. */
function timeOf(seconds: unknown): number | null {
  return typeof seconds === "number" && seconds > 0 && seconds < 1e11
    ? Math.round(seconds * 1_000)
    : null;
}
