/**
 * Puts our hooks into the text of a settings file, and takes them out again. Foreign hooks, unknown keys, key order,
 * indentation, line ends, a byte order mark and a missing final newline stay as they are.
 *
 * Each edit is one small step on the text (`json_edit.ts`), and steps are taken until nothing is left to do. So installing
 * twice is the same as installing once.
 */
import { getNodePath, getNodeValue, parseTree } from "jsonc-parser";
import { isUserError } from "../../base/errors.ts";
import type { HookEntry } from "./hooks.ts";
import { type Json, type Node, propertyAt, removeMember, setAt, valueAt } from "./json_edit.ts";
import { type HookRole, rowsOf } from "./lanes.ts";
import { handlerLine, type Ownership, roleOf, splitWords } from "./own_handler.ts";
import { type Attempt, openSettings, type Target } from "./settings_file.ts";

export interface InstallPlan extends Ownership, Target {
  /** At most one entry for an event, role and lane. All our other handlers are removed. */
  readonly entries: readonly HookEntry[];
}

export interface Edit {
  readonly text: string;
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
}

/**
 * The text with our handlers as the plan wants them: missing ones are added, changed ones are corrected where they
 * stand, repeated ones are dropped.
 *
 * A handler that shares its group with foreign ones stays there when the group's matcher is right; otherwise it moves to
 * a group of its own, since the matcher is not ours to change.
 *
 * @param text A whole settings file; "" for one that does not exist.
 * @throws UserError When the text cannot be edited safely (`openSettings`).
 */
export function installInto(text: string, plan: InstallPlan): Edit {
  return editText(text, plan, attemptOf("install-hooks", plan));
}

/** The text without our handlers, and without what held nothing else. */
export function uninstallFrom(text: string, options: Ownership & Target): Edit {
  return editText(text, { ...options, entries: [] }, attemptOf("uninstall-hooks", options));
}

function editText(text: string, plan: InstallPlan, attempt: Attempt): Edit {
  const { mark, body } = openSettings(text, attempt);
  const before = new Set(ownersIn(body, plan).map(({ event }) => event));
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

/** Lists our handlers in a settings file as a plan lists them. @throws UserError As `openSettings`. */
export function readOwnEntries(
  text: string,
  options: Ownership & { readonly attempt: Attempt },
): HookEntry[] {
  const { body } = openSettings(text, options.attempt);
  return ownersIn(body, options).map(({ event, role, isAsync, matcher, handler }) => ({
    event,
    role,
    matcher,
    command: handlerLine(getNodeValue(handler)),
    exec: valueAt(handler, "args") === undefined ? undefined : true,
    timeout: Number(valueAt(handler, "timeout")?.value),
    onFailure: valueAt(handler, "onFailure")?.value === "block" ? "block" : undefined,
    // Where we write no `async` hook, a person has added it, and it is not written again.
    async: isAsync &&
        rowsOf(event).some((row) => row.lane === "async" && row.role === role)
      ? true
      : undefined,
  }));
}

function attemptOf(command: Attempt["command"], { path, flags }: Target): Attempt {
  return { command, path, flags };
}

/** One of our handlers in a text, and its group. */
interface Owner {
  readonly event: string;
  readonly role: HookRole;
  readonly isAsync: boolean;
  readonly group: Node;
  readonly handler: Node;
  /** The group's matcher; a value that is not a string stands here as text, which equals no matcher of ours. */
  readonly matcher: string | undefined;
  /** True when every handler of the group is ours. */
  readonly groupIsOurs: boolean;
}

function ownersIn(body: string, ownership: Ownership): Owner[] {
  const hooks = valueAt(parseTree(body), "hooks");
  const properties = hooks?.type === "object" ? hooks.children ?? [] : [];
  const events = properties.map(({ children }) => String(children?.[0]?.value));
  return events.flatMap((event) =>
    itemsOf(valueAt(hooks, event)).flatMap((group) => {
      const handlers = itemsOf(valueAt(group, "hooks"));
      const ours = handlers.flatMap((handler) => {
        const role = roleOf(getNodeValue(handler), ownership);
        return role === undefined ? [] : [{ handler, role }];
      });
      const matcher = valueAt(group, "matcher");
      return ours.map((own) => ({
        ...own,
        event,
        isAsync: valueAt(own.handler, "async")?.value === true,
        group,
        matcher: matcher === undefined ? undefined : String(matcher.value),
        groupIsOurs: ours.length === handlers.length,
      }));
    })
  );
}

/** The text after the next step towards a plan, and the event of the step; `undefined` when there is none to take. */
function step(body: string, plan: InstallPlan): { event: string; body: string } | undefined {
  const owners = ownersIn(body, plan);
  const isBeside = ({ event, role }: HookEntry) => (other: Owner | HookEntry) =>
    other.event === event && other.role === role;
  // Where there is one lane, a handler of the other one is corrected; the older form has one for both.
  const isOf = (entry: HookEntry) => (owner: Owner) =>
    isBeside(entry)(owner) &&
    (owner.isAsync === (entry.async === true) || plan.entries.filter(isBeside(entry)).length === 1);
  for (const entry of plan.entries) {
    const { event, matcher } = entry;
    const those = owners.filter(isOf(entry));
    const kept = those.find((owner) => matchesSame(owner.matcher, matcher)) ??
      those.find((owner) => owner.groupIsOurs);
    const surplus = those.find((owner) => owner !== kept);
    if (surplus !== undefined) {
      return { event, body: removeMember(body, emptiedBy(surplus.handler)) };
    }
    const next = kept === undefined
      ? addGroup(body, entry)
      : correctHandler(body, kept.handler, entry) ?? correctMatcher(body, kept, matcher);
    if (next !== undefined) return { event, body: next };
  }
  const unwanted = owners.find((owner) => !plan.entries.some((entry) => isOf(entry)(owner)));
  return unwanted &&
    { event: unwanted.event, body: removeMember(body, emptiedBy(unwanted.handler)) };
}

/** The values that Claude Code assumes for missing keys of a handler. */
const USUAL: Readonly<Record<string, unknown>> = {
  onFailure: "continue",
  async: false,
  asyncRewake: false,
  shell: "bash",
};

/**
 * The text with a handler as the entry says; `undefined` when it is so already. The keys `if`, `asyncRewake`, `shell`
 * and other `args` are removed: they change how, when or in which shell Claude Code starts the command. All other keys stay.
 */
function correctHandler(body: string, handler: Node, entry: HookEntry): string | undefined {
  const present: Readonly<Record<string, Json>> = getNodeValue(handler);
  const wanted = handlerOf(entry);
  const { onFailure, async, args, if: condition, asyncRewake, shell, ...kept } = present;
  const ruled = { onFailure, async, args, if: condition, asyncRewake, shell, ...wanted };
  const said = (one: Readonly<Record<string, unknown>>, key: string) =>
    JSON.stringify(Object.hasOwn(one, key) ? one[key] : USUAL[key]);
  if (Object.keys(ruled).every((key) => said(present, key) === said(wanted, key))) return undefined;
  return setAt(body, getNodePath(handler), { ...kept, ...wanted });
}

/** Sets the matcher of a group in the text; `undefined` when the matcher is right already. */
function correctMatcher(
  body: string,
  { group, matcher }: Owner,
  wanted: string | undefined,
): string | undefined {
  if (matchesSame(matcher, wanted)) return undefined;
  return wanted === undefined
    ? removeMember(body, propertyAt(group, "matcher")!)
    : setAt(body, [...getNodePath(group), "matcher"], wanted);
}

/** Claude Code takes a missing matcher, "" and "*" for the same: everything. */
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
    // Last, where a change of the form puts them as well.
    ...(program === undefined ? {} : { args }),
  };
}

function addGroup(body: string, entry: HookEntry): string {
  const { event, matcher } = entry;
  const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [handlerOf(entry)] };
  const groups = valueAt(valueAt(parseTree(body), "hooks"), event);
  return setAt(body, ["hooks", event, groups?.children?.length ?? 0], group);
}

/**
 * The largest part of the text that would be empty without a handler: the handler itself, its group, the event or all
 * of `hooks`. A group without handlers does nothing, whatever else it says.
 */
function emptiedBy(handler: Node): Node {
  const group = handler.parent?.parent?.parent;
  if (group === undefined || isShared(handler)) return handler;
  const event = group.parent?.parent;
  if (event === undefined || isShared(group)) return group;
  const hooks = event.parent?.parent;
  return hooks === undefined || isShared(event) ? event : hooks;
}

function isShared(member: Node): boolean {
  return (member.parent?.children?.length ?? 0) > 1;
}

function itemsOf(node: Node | undefined): readonly Node[] {
  return node?.type === "array" ? node.children ?? [] : [];
}

type Removal =
  | { readonly kind: "absent" }
  /** Only the installation has touched the file since the backup: its bytes come back. */
  | { readonly kind: "restored"; readonly text: string }
  /** Only the installation is in the file: it was made by it. */
  | { readonly kind: "deleted" }
  /** The file has changed since; our handlers are cut out of it. */
  | { readonly kind: "edited"; readonly text: string };

/**
 * Decides how our hooks leave a settings file. The backup is trusted only when installing into it today gives exactly the
 * present text: nothing that was written after the installation is ever lost. @throws UserError As `openSettings`.
 */
export function planRemoval(
  text: string,
  options: Ownership & Target & { readonly backup: string | undefined },
): Removal {
  const { path, flags, backup, ...ownership } = options;
  const attempt = { command: "uninstall-hooks", path, flags } as const;
  const entries = readOwnEntries(text, { ...ownership, attempt });
  if (entries.length === 0) return { kind: "absent" };
  const plan = { ...ownership, path, entries };
  if (backup !== undefined && isOriginOf(text, { plan, origin: backup })) {
    return { kind: "restored", text: backup };
  }
  if (isOriginOf(text, { plan, origin: "" })) return { kind: "deleted" };
  return { kind: "edited", text: uninstallFrom(text, { ...ownership, path }).text };
}

/** True when `origin` has none of our hooks, and installing them by `plan` gives exactly `text`. */
export function isOriginOf(
  text: string,
  options: { readonly plan: InstallPlan; readonly origin: string },
): boolean {
  const { plan, origin } = options;
  const attempt = { command: "install-hooks", path: plan.path } as const;
  try {
    return readOwnEntries(origin, { ...plan, attempt }).length === 0 &&
      installInto(origin, plan).text === text;
  } catch (thrown) {
    if (isUserError(thrown)) return false;
    throw thrown;
  }
}
