/**
 * The configuration of the older requirements framework in our words, its three layers judged together.
 *
 * What the team shares there goes into the file that it shares here. What is a person's own there (the global layer, the
 * local one) goes into the file of the project that is not committed: the difference to what is shared. So nothing of
 * one's own is committed, no other project changes, and for this person the result is what it was.
 */
import { parse } from "yaml";
import { readLayer } from "../config/layer.ts";
import { isMapping } from "../config/yaml_tree.ts";
import { type LayerValues, type Plain } from "../config/yaml_tree.ts";
import { mergeValues } from "../config/parse.ts";
import { isSameValue } from "../likeness.ts";

/** The layers as they were read; null where there is no file, or none that can be used. */
export type FrameworkLayers = Readonly<Record<"global" | "project" | "local", LayerValues | null>>;

/** Something that was found and not taken over, by its dotted name there. */
export interface LeftOut {
  readonly name: string;
  readonly why: string;
}

/** One thing that a file of ours is to say: a requirement, or a key of `hooks`. */
export interface PolicyEntry {
  /** A requirement's name, or the dotted name of the key. */
  readonly name: string;
  readonly path: readonly string[];
  readonly value: Plain;
}

/** What comes of the layers. */
export interface ConfigConversion {
  /** For the file that is committed. */
  readonly shared: readonly PolicyEntry[];
  /** For the file that is not: what is to be laid over the shared one. */
  readonly own: readonly PolicyEntry[];
  readonly notTaken: readonly LeftOut[];
}

const NO_SUCH_KEY = "conclaude has no such key";

/** Commands of the framework in a text, where our own does not stand already. */
const COMMAND =
  /(?<![\w.\/-]|conclaude )req (?=(?:satisfy|approve|clear|pause|resume|status|list|init|enable|disable)\b)/g;

const same = (value: Plain): Plain => value;
/** A text that people read: the commands in it become ours, so that what it tells them to do helps. */
const told = (value: Plain): Plain =>
  typeof value === "string" ? value.replace(COMMAND, "conclaude req ") : value;
const oneOrMore = (value: Plain): Plain => typeof value === "string" ? [value] : value;

/** Keys of a requirement that mean the same here, by their names there. */
const KEYS: Readonly<Record<string, readonly [to: string, read: (value: Plain) => Plain]>> = {
  type: ["type", same],
  scope: ["scope", same],
  blocking_message: ["message", told],
  message: ["message", told],
  short_message: ["shortMessage", told],
  description: ["description", told],
  checklist: ["checklist", oneOrMore],
  satisfied_by_skill: ["satisfiedBySkill", oneOrMore],
  auto_resolve_skill: ["autoResolveSkill", same],
  stop_only: ["stopOnly", same],
  replan_ttl: ["replanTtl", same],
  calculator: [
    "calculator",
    (value) => typeof value === "string" ? value.replace(/_calculator$/, "") : value,
  ],
  thresholds: ["thresholds", same],
  cache_ttl: ["cacheTtl", same],
  approval_ttl: ["approvalTtl", same],
  guard_type: ["guardType", same],
  protected_branches: ["protectedBranches", oneOrMore],
  trigger_tools: ["triggerTools", toolsOf],
};

/** Keys of `hooks` that mean the same here. */
const HOOKS: Readonly<Record<string, string>> = {
  "session_start.inject_context": "sessionStart.injectContext",
  "session_start.briefing_format": "sessionStart.briefingFormat",
  "session_start.custom_header": "sessionStart.customHeader",
  "session_start.carry_over.enabled": "sessionStart.carryOver.enabled",
  "session_start.carry_over.window_seconds": "sessionStart.carryOver.windowSeconds",
  "session_start.carry_over.scopes": "sessionStart.carryOver.scopes",
  "stop.verify_requirements": "stop.verifyRequirements",
  "stop.verify_scopes": "stop.verifyScopes",
  "session_end.clear_session_state": "sessionEnd.clearSessionState",
};

/** Why the best known keys stay behind, by their names there. */
const REASONS: Readonly<Record<string, string>> = {
  strict_preflight:
    "a gate that must not vanish is asked for when hooks are installed: `conclaude install-hooks --strict`",
  logging: "conclaude keeps an audit trail instead: `conclaude audit list`",
  workflow: "conclaude draws no status line",
  "hooks.session_learning": "sessions are not reviewed by conclaude",
  "hooks.wip_tracking": "work in progress is not tracked by conclaude",
  "hooks.obsidian": "conclaude exports its own format: `conclaude export`",
  "hooks.permission_request":
    "dangerous commands are refused unless `preToolUse.denyDangerousCommands` is false",
};

/** Keys that are dealt with, and not to be named. */
const HANDLED = new Set(["version", "enabled", "inherit", "requirements", "hooks"]);

/** What Python's expressions have and JavaScript's lack, or read as something else. */
const ONLY_PYTHON = /\{,\d|\[\^?\]|\(\?(?:[#(]|P[=>])|\\[NU]/;

/**
 * The keys of a file of the framework, read as its own reader does: YAML 1.1, where `yes` is true and `<<` merges.
 *
 * @returns Why it cannot be used, instead.
 */
export function readFrameworkYaml(text: string): LayerValues | string {
  try {
    const value: unknown = parse(text, { version: "1.1", merge: true });
    const plain: Plain = JSON.parse(JSON.stringify(value ?? {}));
    return isMapping(plain) ? plain : "it is no map of keys";
  } catch (thrown) {
    return `it is no YAML: ${thrown instanceof Error ? thrown.message.split("\n")[0] : thrown}`;
  }
}

/**
 * Converts the layers. Without a project's file nothing comes of them: the framework does nothing in such a project.
 *
 * @param options `allOwn`: everything goes into the file that is not committed.
 */
export function convertConfig(
  { global, project, local }: FrameworkLayers,
  { allOwn }: { readonly allOwn: boolean },
): ConfigConversion {
  if (project === null) return { shared: [], own: [], notTaken: [] };
  const below = project.inherit === false ? {} : global ?? {};
  const all = mergeValues(mergeValues(below, project), local ?? {});
  const ofTeam = entriesOf(allOwn ? {} : project);
  const ofAll = entriesOf(all);
  const shared = new Map(ofTeam.entries.map((entry) => [entry.name, entry.value]));
  const left = [
    ...ofAll.left,
    ...ofTeam.left,
    ...Object.keys(all).filter((key) => !HANDLED.has(key)).map(leftOut),
  ];
  return {
    shared: ofTeam.entries.map(withoutDefault),
    own: ofAll.entries.flatMap((entry) => {
      const under = shared.get(entry.name);
      if (under === undefined) return [withoutDefault(entry)];
      const value = difference(under, entry.value);
      return value === undefined ? [] : [{ ...entry, value }];
    }),
    notTaken: [...new Map(left.map((one) => [`${one.name}\n${one.why}`, one])).values()],
  };
}

function leftOut(name: string): LeftOut {
  return { name, why: Object.hasOwn(REASONS, name) ? REASONS[name]! : NO_SUCH_KEY };
}

function entriesOf(layer: LayerValues) {
  const entries: PolicyEntry[] = [];
  const left: LeftOut[] = [];
  const isOn = layer.enabled !== false;
  if (!isOn) {
    const why =
      "the framework was switched off, so every requirement is off: `conclaude req enable --all`";
    left.push({ name: "enabled", why });
  }
  const take = (entry: PolicyEntry, name: string) => {
    const why = faultOf(entry);
    if (why === null) entries.push(entry);
    else left.push({ name, why });
  };
  for (const [name, given] of Object.entries(mapOf(layer.requirements))) {
    const value = requirementOf(
      given,
      (key, why) => void left.push({ name: `requirements.${name}.${key}`, why }),
    );
    // There a requirement has to be switched on, here it is on unless it is switched off.
    if (isMapping(value) && !isOn) value.enabled = false;
    take({ name, path: ["requirements", name], value }, name);
  }
  for (const [name, value] of leavesOf("", mapOf(layer.hooks))) {
    const to = Object.hasOwn(HOOKS, name) ? `hooks.${HOOKS[name]}` : null;
    if (to === null) left.push(leftOut(`hooks.${name}`));
    else take({ name: to, path: to.split("."), value }, `hooks.${name}`);
  }
  return { entries, left };
}

function mapOf(value: Plain | undefined): LayerValues {
  return value !== undefined && isMapping(value) ? value : {};
}

/** One requirement in our words; what is none stays as it is, for the schema to say so. */
function requirementOf(given: Plain, say: (key: string, why: string) => void): Plain {
  if (!isMapping(given)) return given;
  const value: LayerValues = { enabled: given.enabled ?? false };
  for (const [key, part] of Object.entries(given)) {
    if (key === "enabled") continue;
    const known = Object.hasOwn(KEYS, key) ? KEYS[key]! : undefined;
    if (known === undefined) say(key, NO_SUCH_KEY);
    else if (key === "blocking_message" && given.message !== undefined) {
      say(key, "it has a message, which is what a denial says here");
    } else value[known[0]] = known[1](part);
  }
  if (isMapping(value.thresholds)) {
    const { warn, block, ...others } = value.thresholds;
    value.thresholds = JSON.parse(JSON.stringify({ warn, block }));
    for (const key of Object.keys(others)) say(`thresholds.${key}`, NO_SUCH_KEY);
  }
  if (Array.isArray(value.triggerTools) && value.triggerTools.length === 0) {
    value.enabled = false;
    say(
      "trigger_tools",
      "an empty list asks nowhere; here it would ask at every edit, so it is off",
    );
  }
  return value;
}

function toolsOf(given: Plain): Plain {
  return (Array.isArray(given) ? given : [given]).map((trigger) => {
    if (!isMapping(trigger)) return trigger;
    const { command_pattern: pattern, ...others } = trigger;
    if (pattern === undefined) return others;
    return {
      ...others,
      commandPattern: typeof pattern === "string" ? patternOf(pattern) : pattern,
    };
  });
}

/** A Python expression in JavaScript's syntax; one that cannot be said there becomes one that our schema refuses. */
function patternOf(python: string): string {
  // Upper and lower case are alike here anyway.
  const source = python.replace(/^\(\?[iu]+\)/, "").replaceAll("(?P<", "(?<")
    .replace(
      /\\(.)/gs,
      (escape, letter) => ({ A: "^", Z: "$", a: "\\x07" })[letter as "A"] ?? escape,
    );
  return ONLY_PYTHON.test(source) ? `(?${python}` : source;
}

/** Why our schema refuses an entry; null when it takes all of it. */
function faultOf({ name, path, value }: PolicyEntry): string | null {
  // The schema would drop it without a word.
  if (name === "__proto__") return "nothing can have this name";
  const nested = path.reduceRight((inner: Plain, key) => ({ [key]: inner }), value);
  const { problems } = readLayer({ layer: "project", path: "", text: JSON.stringify(nested) });
  if (problems.length === 0) return null;
  return problems.map(({ key, message }) => `${key.replace(/^[^.]*\.[^.]*\./, "")}: ${message}`)
    .join("; ");
}

/** The keys of hooks with dotted names; what nothing here is like is one name as a whole. */
function leavesOf(prefix: string, value: LayerValues): (readonly [name: string, value: Plain])[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = `${prefix}${key}`;
    const isKnown = Object.keys(HOOKS).some((known) => known.startsWith(`${name}.`));
    return isKnown && isMapping(inner) ? leavesOf(`${name}.`, inner) : [[name, inner] as const];
  });
}

/** What has to be laid over `under` to come to `over`; undefined for nothing. */
function difference(under: Plain, over: Plain): Plain | undefined {
  if (isSameValue(under, over)) return undefined;
  if (!isMapping(under) || !isMapping(over)) return over;
  const parts = Object.entries(over).flatMap(([key, value]): [string, Plain][] => {
    const part = under[key] === undefined ? value : difference(under[key], value);
    return part === undefined ? [] : [[key, part]];
  });
  return Object.fromEntries(parts);
}

/** Where nothing lies below, what is switched on need not say so. */
function withoutDefault(entry: PolicyEntry): PolicyEntry {
  if (!isMapping(entry.value) || entry.value.enabled !== true) return entry;
  const { enabled: _enabled, ...others } = entry.value;
  return Object.keys(others).length === 0 ? entry : { ...entry, value: others };
}
