/**
 * Hooks of ours in a command that does more than start them (`conclaude hook Stop || true`). They are a person's own and
 * stay as they are, but nobody can say of them that they judge: a status that is swallowed hides a hook that cannot run.
 */
import { commandLine, quoteWord } from "./hooks.ts";
import { memberOf } from "./member.ts";
import { isOwnHandler, type Ownership } from "./own_handler.ts";

/** A hook of ours with something around it. */
export interface WrappedHook {
  readonly event: string;
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
      .filter((handler) => isWrapped(handler, ownership))
      .map((handler) => ({ event, command: String(memberOf(handler, "command")) }))
  );
}

/** What puts our own hook in the place of one that is wrapped. */
export function unwrap({ command }: WrappedHook, path: string, flags: readonly string[]): string {
  return `take \`${command}\` out of ${quoteWord(path)}, then run \`${
    commandLine("install-hooks", flags)
  }\``;
}

function isWrapped(handler: unknown, ownership: Ownership): boolean {
  const command = memberOf(handler, "command");
  if (typeof command !== "string" || isOwnHandler(handler, ownership)) return false;
  const first = command.replace(COMMAND_END, "");
  return first !== command && isOwnHandler({ type: "command", command: first }, ownership);
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
