/**
 * Hooks of ours in a command that does more than start them (`conclaude hook Stop || true`). They are a person's own and
 * stay as they are, but nobody can say of them that they judge: a status that is swallowed hides a hook that cannot run.
 */
import { commandLine, type HookRole, quoteWord } from "./hooks.ts";
import { memberOf } from "./member.ts";
import { isOwnHandler, type Ownership, roleOf } from "./own_handler.ts";

/** A hook of ours with something around it. */
export interface WrappedHook {
  readonly event: string;
  readonly role: HookRole;
  readonly command: string;
}

/** What ends the first simple command of a line. */
const COMMAND_END = /\s*(?:\d*[<>]|[|&;\n])[^]*$/;

/** The handlers whose first command is a hook of ours, and which go on. @param settings A parsed settings file. */
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

/** What puts our own hook in the place of one that is wrapped. */
export function unwrap({ command }: WrappedHook, path: string, flags: readonly string[]): string {
  return `take \`${command}\` out of ${quoteWord(path)}, then run \`${
    commandLine("install-hooks", flags)
  }\``;
}

/** Which hook of ours is wrapped; `undefined` where none is. */
function wrappedRole(handler: unknown, ownership: Ownership): HookRole | undefined {
  const command = memberOf(handler, "command");
  if (typeof command !== "string" || isOwnHandler(handler, ownership)) return undefined;
  const first = command.replace(COMMAND_END, "");
  return first === command ? undefined : roleOf({ type: "command", command: first }, ownership);
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
