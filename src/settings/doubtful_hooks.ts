/**
 * Handlers that an installation leaves alone and tells a person of:
 *
 * - look-alikes, which may be conclaude's: an earlier version left no mark on a program of another name;
 * - wrapped hooks, which start one of ours and do more (`conclaude hook Stop || true`). A status that is swallowed hides
 *   a hook that cannot run.
 */
import { commandLine, type HookRole, planHooks, quoteWord } from "./hooks.ts";
import { isOwnHandler, memberOf, type Ownership, readProgram, roleOf } from "./own_handler.ts";

const EVENT = "SessionStart";

/**
 * Programs whose SessionStart handler equals ours to the letter, matcher and timeout included, and that are not known to
 * be ours.
 *
 * @param settings A parsed settings file. @returns What the handlers start, once each, without quotes.
 */
export function findLookAlikes(settings: unknown, ownership: Ownership): string[] {
  const groups = memberOf(memberOf(settings, "hooks"), EVENT);
  if (!Array.isArray(groups)) return [];
  const found = groups.flatMap((group: unknown) => {
    const handlers = memberOf(group, "hooks");
    if (!Array.isArray(handlers) || handlers.length !== 1) return [];
    const [handler] = handlers;
    if (isOwnHandler(handler, ownership)) return [];
    const path = readProgram(handler);
    return path !== undefined && isAsWritten(group, { handler, path }) ? [path] : [];
  });
  return [...new Set(found)];
}

/**
 * The command that removes one program's hooks and installs this program's.
 *
 * @param program One of {@linkcode findLookAlikes}. @param flags What leads to the settings file.
 */
export function takeOver(program: string, flags: readonly string[]): string {
  const out = commandLine("uninstall-hooks", [...flags, "--command", program]);
  return `${out} && ${commandLine("install-hooks", flags)}`;
}

function isAsWritten(
  group: unknown,
  { handler, path }: { readonly handler: unknown; readonly path: string },
): boolean {
  const [wanted] = planHooks({ kind: "path", path }, [EVENT]);
  return memberOf(group, "matcher") === wanted?.matcher &&
    memberOf(handler, "timeout") === wanted?.timeout &&
    Object.keys(handler as object).sort().join() === "command,timeout,type";
}

export interface WrappedHook {
  readonly event: string;
  readonly role: HookRole;
  readonly command: string;
}

/** What ends the first simple command of a line. */
const COMMAND_END = /\s*(?:\d*[<>]|[|&;\n])[^]*$/;

/** @param settings A parsed settings file. */
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
