/** One requirement of the older framework in our words: which key is which, and what has no counterpart. */
import { readLayer } from "../config/layer.ts";
import { isMapping, type LayerValues } from "../config/yaml_tree.ts";
import type { Plain } from "../config/yaml_tree.ts";
import { readPattern } from "./import_pattern.ts";

/** Something that was found and not taken over. */
export interface LeftOut {
  /** The dotted name as the older framework has it: `hooks.obsidian`. */
  readonly name: string;
  readonly why: string;
}

/** What became of one requirement. */
export type ConvertedRequirement =
  /** `value` always says whether it is `enabled`. */
  | { readonly kind: "taken"; readonly value: LayerValues; readonly notTaken: readonly LeftOut[] }
  | { readonly kind: "left out"; readonly why: string };

/** What is said of a key that nothing here is like. */
export const NO_SUCH_KEY = "conclaude has no such key";

/** `yes` and `off` are texts in today's YAML; the older framework's reader takes them for true and false. */
const TRUTH: ReadonlyMap<Plain, boolean> = new Map(
  ([["yes", true], ["on", true], ["no", false], ["off", false]] as const).flatMap(
    ([word, value]) =>
      [word, word.toUpperCase(), word[0]!.toUpperCase() + word.slice(1)].map(
        (spelling) => [spelling, value] as const,
      ),
  ),
);

/** True and false in the spellings of older YAML; anything else as it is. */
export function truth(value: Plain): Plain {
  return TRUTH.get(value) ?? value;
}

/** Commands of the older framework in a text, where our own does not stand already. */
const COMMAND =
  /(?<![\w.\/-]|conclaude )req (?=(?:satisfy|approve|clear|pause|resume|status|list|init|enable|disable)\b)/g;

const same = (value: Plain) => value;
/** A text that people read: the commands in it are ours, so that what it tells them to do helps. */
const told = (value: Plain): Plain =>
  typeof value === "string" ? value.replace(COMMAND, "conclaude req ") : value;
const oneOrMore = (value: Plain): Plain => typeof value === "string" ? [value] : value;

/** Keys that mean the same here, by their names there. */
const KEYS: Readonly<
  Record<string, { readonly to: string; readonly read: (value: Plain) => Plain }>
> = {
  type: { to: "type", read: same },
  scope: { to: "scope", read: same },
  message: { to: "message", read: told },
  short_message: { to: "shortMessage", read: told },
  description: { to: "description", read: told },
  checklist: { to: "checklist", read: oneOrMore },
  satisfied_by_skill: { to: "satisfiedBySkill", read: oneOrMore },
  auto_resolve_skill: { to: "autoResolveSkill", read: same },
  stop_only: { to: "stopOnly", read: truth },
  replan_ttl: { to: "replanTtl", read: same },
  calculator: {
    to: "calculator",
    read: (value) => typeof value === "string" ? value.replace(/_calculator$/, "") : value,
  },
  cache_ttl: { to: "cacheTtl", read: same },
  approval_ttl: { to: "approvalTtl", read: same },
  guard_type: { to: "guardType", read: same },
  protected_branches: { to: "protectedBranches", read: oneOrMore },
};

/** Keys that are looked at one by one below. */
const SPECIAL = new Set(["enabled", "trigger_tools", "thresholds", "blocking_message"]);

/** What messages can hold: see `text.ts`. */
const PLACEHOLDERS = new Set(["auto_resolve_skill", "session_id", "branch", "total", "limit"]);

/**
 * One requirement in our words.
 *
 * @param given As the older configuration has it, its layers merged.
 * @param options `isOn`: false where the framework as a whole was switched off.
 */
export function convertRequirement(
  name: string,
  given: Plain,
  options: { readonly isOn: boolean },
): ConvertedRequirement {
  if (!isMapping(given)) return { kind: "left out", why: "it is no map of keys" };
  // The schema would drop it without a word.
  if (name === "__proto__") return { kind: "left out", why: "nothing can have this name" };
  const notTaken: LeftOut[] = [];
  const say = (key: string, why: string) =>
    void notTaken.push({ name: `requirements.${name}.${key}`, why });
  const value: LayerValues = Object.create(null);
  // There a requirement has to be switched on, here it is on unless it is switched off.
  const enabled = truth(given.enabled ?? false);
  value.enabled = options.isOn || typeof enabled !== "boolean" ? enabled : false;
  for (const [key, part] of Object.entries(given)) {
    const known = Object.hasOwn(KEYS, key) ? KEYS[key]! : undefined;
    if (known !== undefined) value[known.to] = known.read(part);
    else if (!SPECIAL.has(key)) say(key, NO_SUCH_KEY);
  }
  if (given.blocking_message !== undefined) {
    if (value.message === undefined) value.message = told(given.blocking_message);
    else say("blocking_message", "it has a message, which is what a denial says here");
  }
  if (isMapping(given.thresholds)) {
    const { warn, block, ...others } = given.thresholds;
    const limits: [string, Plain | undefined][] = [["warn", warn], ["block", block]];
    value.thresholds = Object.fromEntries(
      limits.filter((limit): limit is [string, Plain] => limit[1] !== undefined),
    );
    for (const key of Object.keys(others)) say(`thresholds.${key}`, NO_SUCH_KEY);
  } else if (given.thresholds !== undefined) value.thresholds = given.thresholds;
  const triggers = triggersOf(given.trigger_tools);
  if (triggers.fault !== null) return { kind: "left out", why: triggers.fault };
  if (triggers.tools !== null) value.triggerTools = triggers.tools;
  if (triggers.tools?.length === 0) {
    value.enabled = false;
    say(
      "trigger_tools",
      "an empty list asks nowhere; here it would ask at every edit, so it is off",
    );
  }
  for (const placeholder of unknownPlaceholders(value.message)) {
    say("message", `nothing fills {${placeholder}} in here; it stays in the text as it is`);
  }
  const fault = faultOf({ requirements: { [name]: value } });
  return fault === null ? { kind: "taken", value, notTaken } : { kind: "left out", why: fault };
}

/** Why our schema refuses a piece of configuration; null when it takes all of it. */
export function faultOf(values: LayerValues): string | null {
  const { problems } = readLayer({ layer: "project", path: "", text: JSON.stringify(values) });
  if (problems.length === 0) return null;
  return problems.map(({ key, message }) => `${key.replace(/^[^.]*\.[^.]*\./, "")}: ${message}`)
    .join("; ");
}

/** Tools in our words; null where the older framework's own default counts. */
function triggersOf(
  given: Plain | undefined,
): { readonly tools: Plain[] | null; readonly fault: string | null } {
  if (given === undefined) return { tools: null, fault: null };
  const tools: Plain[] = [];
  for (const trigger of Array.isArray(given) ? given : [given]) {
    if (!isMapping(trigger)) {
      tools.push(trigger);
      continue;
    }
    const { tool, command_pattern: pattern, ...others } = trigger;
    const converted: LayerValues = { ...others };
    if (tool !== undefined) converted.tool = tool;
    if (typeof pattern === "string") {
      const reading = readPattern(pattern);
      if (reading.kind === "fault") {
        const why = `command_pattern "${pattern}" cannot be used: ${reading.why}`;
        return { tools: null, fault: why };
      }
      converted.commandPattern = reading.source;
    } else if (pattern !== undefined) converted.commandPattern = pattern;
    tools.push(converted);
  }
  return { tools, fault: null };
}

function unknownPlaceholders(message: Plain | undefined): string[] {
  if (typeof message !== "string") return [];
  const found = [...message.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return [...new Set(found)].filter((name) => !PLACEHOLDERS.has(name));
}
