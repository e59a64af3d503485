/**
 * Hooks into the text of a settings file, and out of it again. Foreign hooks, unknown keys, key order, indentation,
 * line ends, a byte order mark and a missing final newline stay as they are.
 *
 * Each edit is one small step on the text (`json_text.ts`), and steps are taken until nothing is left to do. That makes
 * installing twice the same as installing once.
 */
import { parseTree } from "jsonc-parser";
import { blocks, correctHandler, matchesSame, setMatcher } from "./handler_edit.ts";
import type { HookEntry, HookRole } from "./hooks.ts";
import { addMember, type Json, type Node, removeMember } from "./json_text.ts";
import { type Ownership, roleOf } from "./own_handler.ts";
import { type Attempt, keysOf, openSettings, type Target, valueAt } from "./settings_text.ts";

/** What is to be installed. */
export interface InstallPlan extends Ownership, Target {
  /** At most one entry an event and role. Any other handler of ours is removed. */
  readonly entries: readonly HookEntry[];
}

/** A text after an edit, and the events of which our handlers changed. */
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
  const { mark, body } = openSettings(text, attemptOf("install-hooks", plan));
  const wanted = new Map(plan.entries.map((entry) => [keyOf(entry), entry]));
  const owners = ownersIn(body, plan);
  const changed = new Set<string>();
  let edited = body;
  for (const entry of wanted.values()) {
    const settled = settle(edited, { entry, ownership: plan });
    if (settled !== edited) changed.add(entry.event);
    edited = settled;
  }
  for (const owner of owners.filter((owner) => !wanted.has(keyOf(owner)))) {
    edited = removeOwn(edited, { ...owner, ownership: plan });
    changed.add(owner.event);
  }
  const before = new Set(owners.map(({ event }) => event));
  const after = new Set(plan.entries.map(({ event }) => event));
  return {
    text: edited === body ? text : mark + edited,
    added: [...changed].filter((event) => !before.has(event)),
    updated: [...changed].filter((event) => before.has(event) && after.has(event)),
    removed: [...before].filter((event) => !after.has(event)),
  };
}

/**
 * The text without our handlers, and without the groups, event arrays and the `hooks` object that held nothing else.
 * What was empty before is left alone, and a text without our handlers comes back as it is.
 *
 * @param text A whole settings file.
 * @throws UserError When the text cannot be edited safely (`openSettings`).
 */
export function uninstallFrom(
  text: string,
  options: Ownership & Target,
): Edit {
  const { mark, body } = openSettings(text, attemptOf("uninstall-hooks", options));
  const owners = ownersIn(body, options);
  const removed = [...new Set(owners.map(({ event }) => event))];
  let edited = body;
  for (const owner of owners) edited = removeOwn(edited, { ...owner, ownership: options });
  return { text: removed.length > 0 ? mark + edited : text, added: [], updated: [], removed };
}

/**
 * Our handlers as they stand in a settings file, in its order: what a plan would have to say to install them.
 *
 * @throws UserError When the text cannot be edited safely (`openSettings`).
 */
export function readOwnEntries(
  text: string,
  options: Ownership & { readonly attempt: Attempt },
): HookEntry[] {
  const { body } = openSettings(text, options.attempt);
  return ownersIn(body, options).map(({ event, role, matcher, handler }) => ({
    event,
    role,
    matcher,
    command: String(valueAt(handler, "command")?.value),
    timeout: Number(valueAt(handler, "timeout")?.value),
    onFailure: blocks(handler) ? "block" : undefined,
    // Only the drain has it from us; under any other hook it was put there, and is not to be put there again.
    async: role === "drain" && valueAt(handler, "async")?.value === true ? true : undefined,
  }));
}

function attemptOf(command: Attempt["command"], { path, flags }: Target): Attempt {
  return { command, path, flags };
}

/** One of our handlers in a text, and the group that it stands in. */
interface Owner {
  readonly event: string;
  readonly role: HookRole;
  readonly group: Node;
  readonly handler: Node;
  /** The group's matcher; a value that is no string stands here as text, which equals no matcher of ours. */
  readonly matcher: string | undefined;
  /** True when every handler of the group is ours. */
  readonly groupIsOurs: boolean;
}

function ownersIn(body: string, ownership: Ownership): Owner[] {
  const hooks = valueAt(parseTree(body), "hooks");
  return keysOf(hooks).flatMap((event) =>
    itemsOf(valueAt(hooks, event)).flatMap((group) => {
      const handlers = itemsOf(valueAt(group, "hooks"));
      const ours = handlers.flatMap((handler) => {
        const role = roleOf(valueOf(body, handler), ownership);
        return role === undefined ? [] : [{ handler, role }];
      });
      const matcher = valueAt(group, "matcher");
      return ours.map((own) => ({
        ...own,
        event,
        group,
        matcher: matcher === undefined ? undefined : String(matcher.value),
        groupIsOurs: ours.length === handlers.length,
      }));
    })
  );
}

/** What tells our handlers from each other. */
function keyOf({ event, role }: Pick<HookEntry, "event" | "role">): string {
  return `${event} ${role}`;
}

function ownersOf(
  body: string,
  { event, role, ownership }: Pick<HookEntry, "event" | "role"> & { readonly ownership: Ownership },
): Owner[] {
  return ownersIn(body, ownership).filter((owner) => keyOf(owner) === keyOf({ event, role }));
}

/** Takes steps until there is exactly one handler of the entry's event and role, and that one is as it should be. */
function settle(
  body: string,
  options: { readonly entry: HookEntry; readonly ownership: Ownership },
): string {
  const { entry, ownership } = options;
  for (let edited = body;;) {
    const owners = ownersOf(edited, { ...entry, ownership });
    if (owners.length === 0) return addGroup(edited, entry);
    const next = step(edited, { entry, owners });
    if (next === undefined) return edited;
    edited = next;
  }
}

/** The text after the next step towards `entry`, or `undefined` when there is none to take. */
function step(
  body: string,
  options: { readonly entry: HookEntry; readonly owners: readonly Owner[] },
): string | undefined {
  const { entry, owners } = options;
  const kept = owners.find((owner) => matchesSame(owner.matcher, entry.matcher)) ??
    owners.find((owner) => owner.groupIsOurs);
  const surplus = owners.find((owner) => owner !== kept);
  if (surplus !== undefined) return removeMember(body, emptiedBy(surplus.handler));
  if (kept === undefined) return undefined;
  const { handler, group } = kept;
  return correctHandler(body, { handler, entry }) ??
    setMatcher(body, { group, current: kept.matcher, wanted: entry.matcher });
}

function addGroup(body: string, entry: HookEntry): string {
  const group: Json = {
    ...(entry.matcher === undefined ? {} : { matcher: entry.matcher }),
    hooks: [{
      type: "command",
      command: entry.command,
      timeout: entry.timeout,
      ...(entry.onFailure === undefined ? {} : { onFailure: entry.onFailure }),
      ...(entry.async === undefined ? {} : { async: entry.async }),
    }],
  };
  const root = parseTree(body);
  const hooks = valueAt(root, "hooks");
  const groups = valueAt(hooks, entry.event);
  if (groups !== undefined) return addMember(body, groups, { value: group });
  if (hooks !== undefined) return addMember(body, hooks, { key: entry.event, value: [group] });
  if (root === undefined) return body;
  return addMember(body, root, { key: "hooks", value: { [entry.event]: [group] } });
}

function removeOwn(
  body: string,
  options: Pick<HookEntry, "event" | "role"> & { readonly ownership: Ownership },
): string {
  for (let edited = body;;) {
    const [owner] = ownersOf(edited, options);
    if (owner === undefined) return edited;
    edited = removeMember(edited, emptiedBy(owner.handler));
  }
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

function valueOf(body: string, node: Node): unknown {
  return JSON.parse(body.slice(node.offset, node.offset + node.length));
}
