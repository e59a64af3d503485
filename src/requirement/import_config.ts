/**
 * The configuration of the older requirements framework in our words, its three layers judged together.
 *
 * What the team shares there goes into the file that it shares here. What is a person's own there (the global layer, the
 * local one) goes into the file of the project that is not committed: the difference to what is shared. So nothing of
 * one's own is committed, no other project changes, and for this person the result is what it was.
 */
import { mergeValues } from "../config/parse.ts";
import { isMapping, type LayerValues } from "../config/yaml_tree.ts";
import type { Plain } from "../config/yaml_tree.ts";
import { isSameValue } from "../likeness.ts";
import { convertRequirement, faultOf, type LeftOut, NO_SUCH_KEY, truth } from "./import_fields.ts";

/** The layers as they were read; null where there is no file, or none that can be used. */
export interface FrameworkLayers {
  readonly global: LayerValues | null;
  readonly project: LayerValues | null;
  readonly local: LayerValues | null;
}

/** One key of the section `hooks`. */
export interface HookValue {
  /** Below `hooks`: `["stop", "verifyScopes"]`. */
  readonly path: readonly string[];
  readonly value: Plain;
}

/** What one of our files is to say. */
export interface ConfigPart {
  /** By name, in the order of the files. */
  readonly requirements: ReadonlyMap<string, LayerValues>;
  readonly hooks: readonly HookValue[];
}

/** What comes of the layers. */
export interface ConfigConversion {
  /** For the file that is committed. */
  readonly shared: ConfigPart;
  /** For the file that is not: what is to be laid over the shared one. */
  readonly own: ConfigPart;
  /** Requirements and keys that have a counterpart here, with a value that has none. */
  readonly skipped: readonly LeftOut[];
  /** Keys without a counterpart. */
  readonly notTaken: readonly LeftOut[];
}

const NOTHING: ConfigPart = { requirements: new Map(), hooks: [] };

/** Keys of the older section `hooks` that mean the same here. */
const HOOKS: Readonly<
  Record<string, { readonly to: readonly string[]; readonly isTruth?: true }>
> = {
  "session_start.inject_context": { to: ["sessionStart", "injectContext"], isTruth: true },
  "session_start.briefing_format": { to: ["sessionStart", "briefingFormat"] },
  "session_start.custom_header": { to: ["sessionStart", "customHeader"] },
  "session_start.carry_over.enabled": {
    to: ["sessionStart", "carryOver", "enabled"],
    isTruth: true,
  },
  "session_start.carry_over.window_seconds": { to: ["sessionStart", "carryOver", "windowSeconds"] },
  "session_start.carry_over.scopes": { to: ["sessionStart", "carryOver", "scopes"] },
  "stop.verify_requirements": { to: ["stop", "verifyRequirements"], isTruth: true },
  "stop.verify_scopes": { to: ["stop", "verifyScopes"] },
  "session_end.clear_session_state": { to: ["sessionEnd", "clearSessionState"], isTruth: true },
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

/**
 * Converts the layers. Without a project's file nothing comes of them: the framework does nothing in such a project.
 *
 * Never throws, whatever the layers hold.
 *
 * @param options `allOwn`: everything goes into the file that is not committed.
 */
export function convertConfig(
  layers: FrameworkLayers,
  options: { readonly allOwn: boolean },
): ConfigConversion {
  if (layers.project === null) return { shared: NOTHING, own: NOTHING, skipped: [], notTaken: [] };
  const shared = withMergeKeys(layers.project);
  const inherits = truth(shared.inherit ?? true) !== false;
  const below = inherits && layers.global !== null ? withMergeKeys(layers.global) : {};
  const over = layers.local === null ? {} : withMergeKeys(layers.local);
  const all = mergeValues(mergeValues(below, shared), over);
  const ofTeam = partOf(options.allOwn ? {} : shared);
  const ofAll = partOf(all);
  return {
    shared: { requirements: withoutDefaults(ofTeam.requirements), hooks: ofTeam.hooks },
    own: {
      requirements: differences(ofTeam.requirements, ofAll.requirements),
      hooks: ofAll.hooks.filter(({ path, value }) =>
        !ofTeam.hooks.some((one) => isSameValue([...one.path, one.value], [...path, value]))
      ),
    },
    skipped: unique([...ofAll.skipped, ...ofTeam.skipped]),
    notTaken: [
      ...Object.keys(all).filter((key) => !HANDLED.has(key)).map((key) => leftOut(key)),
      ...ofAll.notTaken,
    ],
  };
}

interface Part {
  readonly requirements: ReadonlyMap<string, LayerValues>;
  readonly hooks: readonly HookValue[];
  readonly skipped: readonly LeftOut[];
  readonly notTaken: readonly LeftOut[];
}

function partOf(layer: LayerValues): Part {
  const requirements = new Map<string, LayerValues>();
  const skipped: LeftOut[] = [];
  const notTaken: LeftOut[] = [];
  const isOn = truth(layer.enabled ?? true) !== false;
  if (!isOn) {
    const why =
      "the framework was switched off, so every requirement is off: `conclaude req enable --all`";
    notTaken.push({ name: "enabled", why });
  }
  const given = layer.requirements ?? {};
  if (!isMapping(given)) skipped.push({ name: "requirements", why: "it is no map of keys" });
  for (const [name, one] of Object.entries(isMapping(given) ? given : {})) {
    const converted = convertRequirement(name, one, { isOn });
    if (converted.kind === "left out") skipped.push({ name, why: converted.why });
    else {
      requirements.set(name, converted.value);
      notTaken.push(...converted.notTaken);
    }
  }
  const hooks = hooksOf(layer.hooks ?? {}, { skipped, notTaken });
  return { requirements, hooks, skipped, notTaken };
}

function hooksOf(
  given: Plain,
  to: { readonly skipped: LeftOut[]; readonly notTaken: LeftOut[] },
): HookValue[] {
  return Object.entries(isMapping(given) ? given : {}).flatMap(([hook, keys]) =>
    leavesOf(hook, keys)
  ).flatMap(([name, value]): HookValue[] => {
    const known = Object.hasOwn(HOOKS, name) ? HOOKS[name]! : undefined;
    if (known === undefined) {
      to.notTaken.push(leftOut(`hooks.${name}`));
      return [];
    }
    const read = { path: known.to, value: known.isTruth ? truth(value) : value };
    const nested = [...read.path].reverse().reduce(
      (inner: Plain, key) => ({ [key]: inner }),
      read.value,
    );
    const fault = faultOf({ hooks: nested });
    if (fault === null) return [read];
    to.skipped.push({ name: `hooks.${name}`, why: fault });
    return [];
  });
}

/** The keys of one hook with dotted names; what nothing here is like is one name as a whole. */
function leavesOf(name: string, value: Plain): (readonly [name: string, value: Plain])[] {
  const isKnown = Object.keys(HOOKS).some((key) => key.startsWith(`${name}.`));
  if (!isKnown || !isMapping(value)) return [[name, value]];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(`${name}.${key}`, inner));
}

function leftOut(name: string): LeftOut {
  return { name, why: Object.hasOwn(REASONS, name) ? REASONS[name]! : NO_SUCH_KEY };
}

/** What has to be laid over `under` to come to `over`, requirement by requirement. */
function differences(
  under: ReadonlyMap<string, LayerValues>,
  over: ReadonlyMap<string, LayerValues>,
): Map<string, LayerValues> {
  const alone = withoutDefaults(over);
  const found = [...over].map(([name, value]): [string, LayerValues] => {
    const below = under.get(name);
    return [name, below === undefined ? alone.get(name)! : difference(below, value)];
  });
  return new Map(
    found.filter(([name, value]) => !under.has(name) || Object.keys(value).length > 0),
  );
}

function difference(under: LayerValues, over: LayerValues): LayerValues {
  const parts = Object.entries(over).flatMap(([key, value]): [string, Plain][] => {
    const below = under[key];
    if (below !== undefined && isSameValue(below, value)) return [];
    return [[key, isMapping(below) && isMapping(value) ? difference(below, value) : value]];
  });
  return Object.fromEntries(parts);
}

/** Where nothing lies below, what is switched on need not say so. */
function withoutDefaults(requirements: ReadonlyMap<string, LayerValues>): Map<string, LayerValues> {
  return new Map(
    [...requirements].map(([name, { enabled, ...others }]) => [
      name,
      enabled === true && Object.keys(others).length > 0
        ? others
        : { enabled: enabled!, ...others },
    ]),
  );
}

/** The keys of `<<` in the maps that name it, as older YAML has it; a map's own keys come first. */
function withMergeKeys(value: LayerValues): LayerValues {
  const { "<<": merged, ...own } = value;
  const maps = (Array.isArray(merged) ? merged : [merged]).filter(isMapping);
  const all = maps.reduceRight((under: LayerValues, map) => ({ ...under, ...map }), {});
  return Object.fromEntries(
    Object.entries({ ...all, ...own }).map(([key, inner]) => [
      key,
      isMapping(inner) ? withMergeKeys(inner) : inner,
    ]),
  );
}

function unique(rows: readonly LeftOut[]): LeftOut[] {
  return [...new Map(rows.map((row) => [`${row.name}\n${row.why}`, row])).values()];
}
