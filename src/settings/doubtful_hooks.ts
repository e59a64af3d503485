/**
 * Wrapped hooks: commands that start one of our hooks and do more (`conclaude hook Stop || true`). An installation leaves
 * them alone and tells a person, since a status that is swallowed hides a hook that cannot run.
 */
import { commandLine, type HookRole, quoteWord } from "./hooks.ts";
import { isOwnHandler, memberOf, type Ownership, roleOf } from "./own_handler.ts";

/** A hook of ours inside a longer command. */
export interface WrappedHook {
  readonly event: string;
  readonly role: HookRole;
  readonly command: string;
}

/** What ends the first simple command of a line. */
const COMMAND_END = /\s*(?:\d*[<>]|[|&;\n])[^]*$/;

/** The wrapped hooks in a parsed settings file. */
export function findWrapped(settings: unknown, ownership: Ownership): WrappedHook[] {
  const hooks = memberOf(settings, "hooks");
  if (typeof hooks !== "object" || hooks === null) return [];
  return Object.entries(hooks).flatMap(([event, groups]) =>
    itemsOf(groups).flatMap((group) => itemsOf(memberOf(group, "hooks")))
      .flatMap((handler) => {
        const role = wrappedRole(handler, ownership);
        const command = String(memberOf(handler, "command"));
        return role === undefined ? [] : [{ event, role, command }];
      })
  );
}

/** How a person replaces a wrapped hook by ours. */
export function unwrap({ command }: WrappedHook, path: string, flags: readonly string[]): string {
  return `take \`${command}\` out of ${quoteWord(path)}, then run \`${
    commandLine("install-hooks", flags)
  }\``;
}

/** The role of the hook that a handler wraps; `undefined` where it wraps none. */
function wrappedRole(handler: unknown, ownership: Ownership): HookRole | undefined {
  const command = memberOf(handler, "command");
  if (typeof command !== "string" || isOwnHandler(handler, ownership)) return undefined;
  const first = command.replace(COMMAND_END, "");
  return first === command ? undefined : roleOf({ type: "command", command: first }, ownership);
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
