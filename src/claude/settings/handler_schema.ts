/**
 * Checks the `hooks` of a settings file as Claude Code 2.1.329 does. One invalid entry under PreToolUse or
 * PermissionRequest makes it discard the whole file: every other hook and every `permissions.deny` rule in it. Under
 * any other event it drops only the entry.
 */
import { isMapping, type Mapping, ownValue } from "../../base/mapping.ts";
import { KNOWN_EVENTS } from "./lanes.ts";

export interface HookProblem {
  /** The path of the entry: `hooks.PreToolUse[0].hooks[1].timeout`. */
  readonly path: string;
  /** The problem, to be read after the path: `must be a number above 0`. */
  readonly problem: string;
  /** True when Claude Code discards the whole file because of it, false when it drops this entry alone. */
  readonly discardsFile: boolean;
}

interface Rule {
  readonly says: string;
  readonly holds: (value: unknown) => boolean;
}

const rule = (says: string, holds: Rule["holds"]): Rule => ({ says, holds });
const isText = (value: unknown) => typeof value === "string";

const text = rule("a string", isText);
const flag = rule("true or false", (value) => typeof value === "boolean");
const texts = rule("an array of strings", (value) => Array.isArray(value) && value.every(isText));
const record = rule("an object", isMapping);
const textRecord = rule(
  "an object of strings",
  (value) => isMapping(value) && Object.values(value).every(isText),
);
const aboveZero = rule("a number above 0", (value) => Number.isFinite(value) && Number(value) > 0);
const url = rule("a URL", (value) => isText(value) && URL.canParse(String(value)));

function oneOf(...words: readonly string[]): Rule {
  const says = words.map((word) => `"${word}"`).join(" or ");
  return rule(says, (value) => words.some((word) => word === value));
}

type Rules = Readonly<Record<string, Rule>>;

const COMMON = { if: text, timeout: aboveZero, statusMessage: text, once: flag };
const onFailure = oneOf("continue", "block");

/** The fields that a handler of each type needs, and those that it may have. */
const HANDLER_TYPES: Readonly<Record<string, readonly [needed: Rules, others: Rules]>> = {
  command: [{ command: text }, {
    ...COMMON,
    onFailure,
    args: texts,
    shell: oneOf("bash", "powershell"),
    async: flag,
    asyncRewake: flag,
    rewakeMessage: text,
    rewakeSummary: text,
  }],
  http: [{ url }, { ...COMMON, onFailure, headers: textRecord, allowedEnvVars: texts }],
  mcp_tool: [{ server: text, tool: text }, { ...COMMON, onFailure, input: record }],
  prompt: [{ prompt: text }, { ...COMMON, model: text, continueOnBlock: flag }],
  agent: [{ prompt: text }, { ...COMMON, model: text }],
};

/** Lists everything under `hooks` that Claude Code refuses. Like Claude Code, it ignores unknown events and keys. */
export function checkHooks(settings: unknown): HookProblem[] {
  const hooks = isMapping(settings) ? settings["hooks"] : undefined;
  if (hooks === undefined) return [];
  if (!isMapping(hooks)) {
    return [{ path: "hooks", problem: "must be an object", discardsFile: true }];
  }
  return KNOWN_EVENTS.filter((event) => Object.hasOwn(hooks, event)).flatMap((event) => {
    const discardsFile = event === "PreToolUse" || event === "PermissionRequest";
    return [...checkEvent(hooks[event], `hooks.${event}`)].map((found) => ({
      ...found,
      discardsFile,
    }));
  });
}

type Finding = Omit<HookProblem, "discardsFile">;

function* checkEvent(groups: unknown, path: string): Iterable<Finding> {
  if (!Array.isArray(groups)) return yield { path, problem: "must be an array" };
  for (const [index, group] of groups.entries()) yield* checkGroup(group, `${path}[${index}]`);
}

function* checkGroup(group: unknown, path: string): Iterable<Finding> {
  if (!isMapping(group)) return yield { path, problem: "must be an object" };
  if (group["matcher"] !== undefined) yield* checkFields(group, path, { matcher: text });
  const handlers = group["hooks"];
  if (!Array.isArray(handlers)) {
    return yield { path: `${path}.hooks`, problem: "must be an array of handlers" };
  }
  for (const [index, handler] of handlers.entries()) {
    yield* checkHandler(handler, `${path}.hooks[${index}]`);
  }
}

function* checkHandler(handler: unknown, path: string): Iterable<Finding> {
  if (!isMapping(handler)) return yield { path, problem: "must be an object" };
  const name = handler["type"];
  const type = ownValue(HANDLER_TYPES, String(name));
  if (type === undefined) {
    const known = Object.keys(HANDLER_TYPES).join(", ");
    return yield { path: `${path}.type`, problem: `must be one of ${known}` };
  }
  const [needed, others] = type;
  const present = Object.entries(others).filter(([name]) => handler[name] !== undefined);
  yield* checkFields(handler, path, { ...needed, ...Object.fromEntries(present) });
}

function* checkFields(fields: Mapping, path: string, rules: Rules): Iterable<Finding> {
  for (const [name, { holds, says }] of Object.entries(rules)) {
    if (!holds(fields[name])) yield { path: `${path}.${name}`, problem: `must be ${says}` };
  }
}
