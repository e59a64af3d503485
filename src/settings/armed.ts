/** Whether Claude Code asks conclaude at all: what its settings files say, taken together. */
import { checkHooks } from "./handler_schema.ts";
import { isOwnHandler, type Ownership } from "./own_handler.ts";

/** A settings file, parsed; `undefined` for one that is not there, or is no JSON: Claude Code ignores both. */
export interface ParsedSettings {
  readonly path: string;
  readonly settings: unknown;
}

/** Why Claude Code does not ask. */
export type Unarmed =
  /** `disableAllHooks` counts, and is true, in this file. */
  | { readonly kind: "disabled"; readonly path: string }
  /** Our hooks stand in this file, and an invalid entry at `at` makes Claude Code discard all of it. */
  | {
    readonly kind: "discarded";
    readonly path: string;
    readonly at: string;
    readonly problem: string;
  }
  /** No handler of ours is there for these events. */
  | { readonly kind: "missing"; readonly events: readonly string[] };

/**
 * Why conclaude has no say in one of the events that gates need.
 *
 * @param files The files that count, the one with the last word first.
 * @returns Null when Claude Code will ask.
 */
export function whyUnarmed(
  files: readonly ParsedSettings[],
  options: { readonly events: readonly string[]; readonly ownership: Ownership },
): Unarmed | null {
  const { events, ownership } = options;
  const read = files.map((file) => ({
    ...file,
    fatal: checkHooks(file.settings).find(({ discardsFile }) => discardsFile),
    ours: new Set(events.filter((event) => holdsOwn(file.settings, event, ownership))),
  }));
  const counting = read.filter(({ fatal }) => fatal === undefined);
  const deciding = counting.find(({ settings }) =>
    typeof memberOf(settings, "disableAllHooks") === "boolean"
  );
  if (deciding !== undefined && memberOf(deciding.settings, "disableAllHooks") === true) {
    return { kind: "disabled", path: deciding.path };
  }
  const missing = events.filter((event) => counting.every(({ ours }) => !ours.has(event)));
  if (missing.length === 0) return null;
  const lost = read.find(({ fatal, ours }) =>
    fatal !== undefined && missing.some((event) => ours.has(event))
  );
  return lost?.fatal === undefined ? { kind: "missing", events: missing } : {
    kind: "discarded",
    path: lost.path,
    at: lost.fatal.path,
    problem: lost.fatal.problem,
  };
}

/** Whether a handler of ours stands under an event. */
export function holdsOwn(settings: unknown, event: string, ownership: Ownership): boolean {
  const groups = memberOf(memberOf(settings, "hooks"), event);
  return Array.isArray(groups) && groups.some((group: unknown) => {
    const handlers = memberOf(group, "hooks");
    return Array.isArray(handlers) && isAsked(event, memberOf(group, "matcher")) &&
      handlers.some((handler) => isOwnHandler(handler, ownership) && isAnswering(handler));
  });
}

/** Events whose matcher is tried on the name of a tool, and tools that gates are about. */
const TOOL_EVENTS: ReadonlySet<string> = new Set([
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
]);
const GATED_TOOLS = ["Edit", "Write", "MultiEdit", "NotebookEdit", "Bash", "Skill"];

/** Whether a matcher lets at least one of these tools through, as Claude Code reads it. */
function isAsked(event: string, matcher: unknown): boolean {
  if (!TOOL_EVENTS.has(event) || typeof matcher !== "string") return true;
  if (matcher === "" || matcher === "*") return true;
  if (/^[A-Za-z0-9_ ,|-]+$/.test(matcher)) {
    return matcher.split(/[|,]/).some((name) => GATED_TOOLS.includes(name.trim()));
  }
  try {
    const pattern = new RegExp(matcher);
    return GATED_TOOLS.some((tool) => pattern.test(tool));
  } catch {
    return false;
  }
}

/** Whether Claude Code starts a handler for every use, as it is written, and waits for its answer. */
function isAnswering(handler: unknown): boolean {
  return memberOf(handler, "async") !== true && memberOf(handler, "asyncRewake") !== true &&
    memberOf(handler, "if") === undefined && memberOf(handler, "args") === undefined;
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
