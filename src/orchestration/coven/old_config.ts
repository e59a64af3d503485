/** What `config.json` and `grimoire-mapping.json` of the older daemon come to in our configuration. */
import type { Plain } from "../../config/yaml_tree.ts";
import { isMapping } from "../field_reader.ts";
import { OldRecord } from "./old_record.ts";

/** One key that our configuration is to have. */
export interface ConfigEntry {
  readonly path: readonly string[];
  readonly value: Plain;
}

/** A key of the older daemon that has no place here. */
export interface NotTaken {
  readonly name: string;
  readonly why: string;
}

/** What is made of the older configuration. */
export interface ConvertedConfig {
  readonly entries: readonly ConfigEntry[];
  readonly notTaken: readonly NotTaken[];
}

/** What an older key becomes: a value, or a sentence why it becomes nothing. */
type Conversion = { readonly value: Plain } | { readonly why: string };

/** One key of ours, with the names that it has in the two schemas of old. */
interface Key {
  readonly old: readonly string[];
  readonly path: readonly string[];
  readonly convert: (value: unknown) => Conversion;
}

const SAME_AS_THERE = "it is what the older daemon had anyway; ours have their own defaults";

const KEYS: readonly Key[] = [
  {
    old: ["agent_command", "agentCommand"],
    path: ["orchestration", "agentCommand"],
    convert: (value) => value === "claude" ? { why: SAME_AS_THERE } : textOf(value),
  },
  {
    old: ["agent_args", "agentArgs"],
    path: ["orchestration", "agentArgs"],
    convert: (value) =>
      JSON.stringify(value) === '["-p","--output-format","stream-json","--verbose"]'
        ? { why: SAME_AS_THERE }
        : textsOf(value),
  },
  {
    old: ["max_concurrent_agents", "maxConcurrentAgents"],
    path: ["orchestration", "maxConcurrentAgents"],
    convert: whole(1, 64),
  },
  {
    old: ["worktreeBasePath"],
    path: ["orchestration", "worktreePath"],
    convert: (value) => value === ".coven/worktrees" ? { why: SAME_AS_THERE } : textOf(value),
  },
  {
    old: ["agentTimeoutMs"],
    path: ["orchestration", "agentTimeoutMinutes"],
    convert: (value) =>
      typeof value === "number" && value > 0
        ? whole(1, 1440)(Math.ceil(value / 60_000))
        : { why: "it is no number of milliseconds" },
  },
  { old: ["preMergeChecks"], path: ["orchestration", "check"], convert: checkOf },
  {
    old: ["agentPermissions"],
    path: ["orchestration", "allowedTools"],
    convert: (value) => {
      const tools = isMapping(value) ? value.allowedTools : null;
      return Array.isArray(tools) && tools.length === 0
        ? { why: "it allows no tool" }
        : textsOf(tools);
    },
  },
  {
    old: ["notifications"],
    path: ["orchestration", "notify"],
    convert: (value) =>
      isMapping(value)
        ? { value: Object.values(value).some((way) => way !== "none") }
        : { why: "it is no mapping" },
  },
];

const STORE_KEYS: Readonly<Record<string, (value: unknown) => Conversion>> = {
  eventRetentionHours: whole(0, 876_000),
  taskRetentionDays: whole(0, 36_500),
  taskSoftDeleteDays: whole(0, 36_500),
  workflowRetentionDays: whole(0, 36_500),
  claimTimeoutMinutes: whole(1, 10_080),
};

/** Keys that were known there, and why they are nothing here. */
const WITHOUT_PLACE: Readonly<Record<string, string>> = {
  poll_interval: "the daemon here does not poll",
  log_level: "the daemon's log here has one level",
  logging: "the daemon's log here has one level and a size that it keeps to",
  beadsSyncIntervalMs: "no other tracker is synchronised",
  mergeConflictMaxRetries: "a merge that conflicts waits for a person",
  outputRetentionDays: "output goes with its task",
};

/** Converts the older configuration. Never throws. */
export function convertOldConfig(config: Readonly<Record<string, unknown>>): ConvertedConfig {
  const record = new OldRecord(config);
  const entries: ConfigEntry[] = [];
  const notTaken: NotTaken[] = [];
  const take = (name: string, path: readonly string[], made: Conversion) => {
    if ("value" in made) entries.push({ path, value: made.value });
    else notTaken.push({ name, why: made.why });
  };
  for (const { old, path, convert } of KEYS) {
    const value = record.value(...old);
    if (value !== null) {
      take(old.find((name) => Object.hasOwn(config, name))!, path, convert(value));
    }
  }
  const store = record.value("store");
  for (const [name, value] of isMapping(store) ? Object.entries(store) : []) {
    const convert = Object.hasOwn(STORE_KEYS, name) ? STORE_KEYS[name]! : () => ({
      why: "the key is not known",
    });
    take(`store.${name}`, ["store", name], convert(value));
  }
  for (const name of record.unknown()) {
    const why = Object.hasOwn(WITHOUT_PLACE, name) ? WITHOUT_PLACE[name]! : "the key is not known";
    notTaken.push({ name, why });
  }
  return { entries, notTaken };
}

/** The matchers that choose by type as the older mapping did, and the default workflow. */
export function convertMapping(mapping: Readonly<Record<string, unknown>>): {
  readonly defaultWorkflow: string | null;
  readonly matchers: readonly Plain[];
} {
  const record = new OldRecord(mapping);
  const byType = record.value("by_type", "byType");
  const types = Map.groupBy(
    Object.entries(isMapping(byType) ? byType : {})
      .filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    // An epic is a feature here.
    ([type]) => type === "epic" ? "feature" : type,
  );
  return {
    defaultWorkflow: record.text("default"),
    matchers: [...types].map(([type, named]) => ({
      name: `type-${type}`,
      match: { type: [type] },
      workflow: (named.find(([name]) => name === type) ?? named[0]!)[1],
    })),
  };
}

function textOf(value: unknown): Conversion {
  return typeof value === "string" && value !== "" ? { value } : { why: "it is no text" };
}

function textsOf(value: unknown): Conversion {
  return Array.isArray(value) && value.every((one) => typeof one === "string")
    ? { value }
    : { why: "it is no list of texts" };
}

function whole(min: number, max: number): (value: unknown) => Conversion {
  return (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= min && value <= max
      ? { value }
      : { why: `it is no whole number from ${min} to ${max}` };
}

/** Commands that were run before a merge, as one line of the shell that stops at the first that fails. */
function checkOf(value: unknown): Conversion {
  if (!isMapping(value)) return { why: "it is no mapping" };
  const commands = textsOf(value.commands ?? []);
  if ("why" in commands) return commands;
  const list = commands.value as string[];
  if (value.enabled !== true || list.length === 0) return { why: "it is switched off" };
  return { value: list.length === 1 ? list[0]! : list.map((one) => `(${one})`).join(" && ") };
}
