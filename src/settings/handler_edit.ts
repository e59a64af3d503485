/** One handler of ours in the text of a settings file, brought step by step to what the installer writes. */
import { findNodeAtLocation, getNodePath, parseTree } from "jsonc-parser";
import type { HookEntry } from "./hooks.ts";
import { addMember, type Node, removeMember, replaceScalar } from "./json_text.ts";
import { propertyAt, valueAt } from "./settings_text.ts";

/** The text after the next step that makes a handler what the entry says; `undefined` when it is so already. */
export function correctHandler(
  body: string,
  { handler, entry }: { readonly handler: Node; readonly entry: HookEntry },
): string | undefined {
  return setCommand(body, { handler, command: entry.command }) ??
    setScalar(body, { object: handler, key: "timeout", value: entry.timeout }) ??
    setOnFailure(body, { handler, wanted: entry.onFailure }) ??
    (entry.async ? setScalar(body, { object: handler, key: "async", value: true }) : undefined) ??
    takeAlien(body, { handler, entry });
}

/** Sets the command line. `args`, the form without a shell, goes in the same step: neither half is ours alone. */
function setCommand(
  body: string,
  edit: { readonly handler: Node; readonly command: string },
): string | undefined {
  const { handler, command } = edit;
  const args = propertyAt(handler, "args");
  if (args === undefined) {
    return setScalar(body, { object: handler, key: "command", value: command });
  }
  const bare = removeMember(body, args);
  const root = parseTree(bare);
  const object = root && findNodeAtLocation(root, getNodePath(handler));
  return object && (setScalar(bare, { object, key: "command", value: command }) ?? bare);
}

function setScalar(
  body: string,
  edit: { readonly object: Node; readonly key: string; readonly value: string | number | boolean },
): string | undefined {
  const { object, key, value } = edit;
  const present = valueAt(object, key);
  if (present === undefined) return addMember(body, object, { key, value });
  return present.value === value ? undefined : replaceScalar(body, present, value);
}

/** `continue` means the same as nothing to Claude Code, and is left alone. */
function setOnFailure(
  body: string,
  edit: { readonly handler: Node; readonly wanted: HookEntry["onFailure"] },
): string | undefined {
  const { handler, wanted } = edit;
  if (wanted !== undefined) {
    return setScalar(body, { object: handler, key: "onFailure", value: wanted });
  }
  const present = propertyAt(handler, "onFailure");
  const isUsual = present === undefined || valueAt(handler, "onFailure")?.value === "continue";
  return isUsual ? undefined : removeMember(body, present);
}

/**
 * What we never write, but for the drain's `async`, and what makes Claude Code ask only now and then, not wait for the
 * answer, or start the command in a shell that it is not written for; each with the value that means the same as nothing.
 */
const ALIEN: readonly (readonly [key: string, usual: unknown])[] = [
  ["if", undefined],
  ["async", false],
  ["asyncRewake", false],
  ["shell", "bash"],
];

function takeAlien(
  body: string,
  { handler, entry }: { readonly handler: Node; readonly entry: HookEntry },
): string | undefined {
  for (const [key, usual] of ALIEN) {
    if (key === "async" && entry.async) continue;
    const present = propertyAt(handler, key);
    if (present === undefined || valueAt(handler, key)?.value === usual) continue;
    return removeMember(body, present);
  }
  return undefined;
}

/** Whether what a handler is asked about does not happen when it cannot run. */
export function blocks(handler: Node): boolean {
  return valueAt(handler, "onFailure")?.value === "block";
}

/** The text with the matcher of a group as it is wanted; `undefined` when it is so already. */
export function setMatcher(
  body: string,
  edit: {
    readonly group: Node;
    readonly current: string | undefined;
    readonly wanted: string | undefined;
  },
): string | undefined {
  const { group, current, wanted } = edit;
  if (matchesSame(current, wanted)) return undefined;
  if (wanted !== undefined) {
    return setScalar(body, { object: group, key: "matcher", value: wanted });
  }
  const matcher = propertyAt(group, "matcher");
  return matcher === undefined ? undefined : removeMember(body, matcher);
}

/** Claude Code takes a missing matcher, "" and "*" for the same: everything. */
export function matchesSame(one: string | undefined, other: string | undefined): boolean {
  return (one || "*") === (other || "*");
}
