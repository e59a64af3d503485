/**
 * Puts our hooks into the text of a settings file, and takes them out again. Foreign hooks, unknown keys, key order,
 * indentation, line ends, a byte order mark and a missing final newline stay as they are.
 *
 * Each edit is one small step on the text (`json_edit.ts`), and steps are taken until nothing is left to do. So
 * installing twice is the same as installing once.
 */
import { isUserError } from "../../base/errors.ts";
import type { Mapping } from "../../base/mapping.ts";
import type { HookEntry } from "./hooks.ts";
import { type Json, type JsonPath, removeAt, setAt } from "./json_edit.ts";
import { rowsOf } from "./lanes.ts";
import {
  handlerLine,
  memberOf,
  type Ownership,
  ownHandlersIn,
  roleOf,
  splitWords,
} from "./own_handler.ts";
import { HOOKS, openFile } from "./settings_file.ts";

export interface InstallPlan extends Ownership {
  /** At most one entry for an event, role and lane. All our other handlers are removed. */
  readonly entries: readonly HookEntry[];
}

export interface Edit {
  readonly text: string;
  /** The events under which handlers were added, corrected and removed. */
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Returns the text with our handlers as the plan wants them: it adds missing ones, corrects changed ones where they
 * stand, and drops repeated ones, and groups and keys that held nothing else.
 *
 * A handler that shares its group with foreign ones stays there when the group's matcher is right; otherwise it moves
 * to a group of its own, since the matcher is not ours to change.
 *
 * @param text A whole settings file; "" for one that does not exist. @throws UserError As `openFile`.
 */
export function installInto(text: string, plan: InstallPlan): Edit {
  const { mark, body, settings } = openFile(text, HOOKS);
  const before = new Set(ourHandlersIn(settings, plan).map(({ event }) => event));
  const after = new Set(plan.entries.map(({ event }) => event));
  const changed = new Set<string>();
  let edited = body;
  for (let next = step(body, plan); next !== undefined; next = step(edited, plan)) {
    changed.add(next.event);
    edited = next.body;
  }
  return {
    text: edited === body ? text : mark + edited,
    added: [...changed].filter((event) => !before.has(event)),
    updated: [...changed].filter((event) => before.has(event) && after.has(event)),
    removed: [...before].filter((event) => !after.has(event)),
  };
}

/** Lists our handlers in a settings file in the form of a plan's entries. */
export function entriesIn(settings: unknown, ownership: Ownership): HookEntry[] {
  return ourHandlersIn(settings, ownership).map(({ event, role, isAsync, matcher, handler }) => ({
    event,
    role,
    matcher,
    command: handlerLine(handler),
    exec: handler["args"] === undefined ? undefined : true,
    timeout: Number(handler["timeout"]),
    onFailure: handler["onFailure"] === "block" ? "block" : undefined,
    // Where we install no `async` hook, a person has added it, and we do not write it again.
    async: isAsync &&
        rowsOf(event).some((row) => row.lane === "async" && row.role === role)
      ? true
      : undefined,
  }));
}

type OurHandler = ReturnType<typeof ourHandlersIn>[number];

/** Returns our handlers, and what an edit has to know of each. */
function ourHandlersIn(settings: unknown, ownership: Ownership) {
  return ownHandlersIn(settings, ownership).map(({ matcher, handler, at, together, ...own }) => {
    const group: JsonPath = ["hooks", own.event, at[0]];
    return {
      ...own,
      handler: handler as Mapping,
      isAsync: memberOf(handler, "async") === true,
      /** The group's matcher; a value that is not a string stands here as text, which equals no matcher of ours. */
      matcher: matcher === undefined ? undefined : String(matcher),
      group,
      path: [...group, "hooks", at[1]],
      isAlone: together.length === 1,
      groupIsOurs: together.every((other) => roleOf(other, ownership) !== undefined),
    };
  });
}

/** Returns the text after the next step towards a plan, and the event of the step; `undefined` when no step is left. */
function step(body: string, plan: InstallPlan): { event: string; body: string } | undefined {
  const settings: unknown = JSON.parse(body);
  const ours = ourHandlersIn(settings, plan);
  const isBeside = ({ event, role }: HookEntry) => (other: OurHandler | HookEntry) =>
    other.event === event && other.role === role;
  // Where the plan has one lane, a handler in the other lane is corrected: the older form had one handler for both.
  const isOf = (entry: HookEntry) => (one: OurHandler) =>
    isBeside(entry)(one) &&
    (one.isAsync === (entry.async === true) || plan.entries.filter(isBeside(entry)).length === 1);
  for (const entry of plan.entries) {
    const { event, matcher } = entry;
    const matching = ours.filter(isOf(entry));
    const kept = matching.find((placed) => matchesSame(placed.matcher, matcher)) ??
      matching.find((placed) => placed.groupIsOurs);
    const surplus = matching.find((placed) => placed !== kept);
    if (surplus !== undefined) return { event, body: removeAt(body, emptiedBy(surplus, settings)) };
    const next = kept === undefined
      ? addGroup(body, settings, entry)
      : correctHandler(body, kept, entry) ?? correctMatcher(body, kept, matcher);
    if (next !== undefined) return { event, body: next };
  }
  const unwanted = ours.find((placed) => !plan.entries.some((entry) => isOf(entry)(placed)));
  return unwanted &&
    { event: unwanted.event, body: removeAt(body, emptiedBy(unwanted, settings)) };
}

/** The values that Claude Code assumes for missing keys of a handler. */
const USUAL: Mapping = {
  onFailure: "continue",
  async: false,
  asyncRewake: false,
  shell: "bash",
};

/**
 * Returns the text with a handler as the entry says; `undefined` when the handler is so already. It removes `if`,
 * `asyncRewake`, `shell` and other `args`: they change how, when or in which shell Claude Code starts the command. All
 * other keys stay.
 */
function correctHandler(body: string, placed: OurHandler, entry: HookEntry): string | undefined {
  const present = placed.handler as Readonly<Record<string, Json>>;
  const wanted = handlerOf(entry);
  const { onFailure, async, args, if: condition, asyncRewake, shell, ...kept } = present;
  const ruled = { onFailure, async, args, if: condition, asyncRewake, shell, ...wanted };
  const json = (one: Mapping, key: string) =>
    JSON.stringify(Object.hasOwn(one, key) ? one[key] : USUAL[key]);
  if (Object.keys(ruled).every((key) => json(present, key) === json(wanted, key))) return undefined;
  return setAt(body, placed.path, { ...kept, ...wanted });
}

/** Sets the matcher of a group in the text; `undefined` when the matcher is right already. */
function correctMatcher(
  body: string,
  { group, matcher }: OurHandler,
  wanted: string | undefined,
): string | undefined {
  if (matchesSame(matcher, wanted)) return undefined;
  const path = [...group, "matcher"];
  return wanted === undefined ? removeAt(body, path) : setAt(body, path, wanted);
}

/** Tells whether two matchers are equal: Claude Code takes a missing one, "" and "*" for the same, everything. */
function matchesSame(one: string | undefined, other: string | undefined): boolean {
  return (one || "*") === (other || "*");
}

function handlerOf({ command, exec, timeout, onFailure, async }: HookEntry) {
  const [program, ...args] = exec ? splitWords(command) ?? [] : [];
  return {
    type: "command",
    command: program ?? command,
    timeout,
    ...(onFailure === undefined ? {} : { onFailure }),
    ...(async === undefined ? {} : { async }),
    // `args` come last, where a change of the form puts them as well.
    ...(program === undefined ? {} : { args }),
  };
}

function addGroup(body: string, settings: unknown, entry: HookEntry): string {
  const { event, matcher } = entry;
  const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [handlerOf(entry)] };
  return setAt(body, ["hooks", event, groupsOf(settings, event).length], group);
}

/**
 * Returns the path of the largest part that would be empty without a handler: the handler, its group, the event or all
 * of `hooks`. A group without handlers does nothing, whatever else it says.
 */
function emptiedBy({ event, group, path, isAlone }: OurHandler, settings: unknown): JsonPath {
  if (!isAlone) return path;
  if (groupsOf(settings, event).length > 1) return group;
  const isShared = Object.keys(Object(memberOf(settings, "hooks"))).length > 1;
  return isShared ? ["hooks", event] : ["hooks"];
}

function groupsOf(settings: unknown, event: string): readonly unknown[] {
  const groups = memberOf(memberOf(settings, "hooks"), event);
  return Array.isArray(groups) ? groups : [];
}

/**
 * Decides how our hooks leave a settings file. The backup is trusted only when installing into it today gives exactly
 * the present text: nothing that was written after the installation is ever lost. @throws UserError As `openFile`.
 * @returns `text`: what the file holds afterwards; undefined for a file that goes.
 */
export function planRemoval(
  text: string,
  { backup, ...ownership }: Ownership & { readonly backup: string | undefined },
) {
  const entries = entriesIn(openFile(text, HOOKS).settings, ownership);
  if (entries.length === 0) return { kind: "absent" as const, text };
  const plan = { ...ownership, entries };
  // Only the installation has touched the file since the backup.
  if (backup !== undefined && isOriginOf(text, { plan, origin: backup })) {
    return { kind: "restored" as const, text: backup };
  }
  // The installation has made the file, and nothing else is in it.
  if (isOriginOf(text, { plan, origin: "" })) return { kind: "deleted" as const, text: undefined };
  const { text: cutOut } = installInto(text, { ...ownership, entries: [] });
  return { kind: "edited" as const, text: cutOut };
}

/** Tells whether `origin` has none of our hooks, and installing them by `plan` gives exactly `text`. */
export function isOriginOf(
  text: string,
  { plan, origin }: { readonly plan: InstallPlan; readonly origin: string },
): boolean {
  try {
    return ownHandlersIn(openFile(origin, HOOKS).settings, plan).length === 0 &&
      installInto(origin, plan).text === text;
  } catch (thrown) {
    if (isUserError(thrown)) return false;
    throw thrown;
  }
}
