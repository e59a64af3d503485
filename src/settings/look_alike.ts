/**
 * Handlers that may be conclaude's, and nothing proves it: an earlier version left no mark on a program of another name.
 * They are never touched; a person is told.
 */
import { commandLine, planHooks } from "./hooks.ts";
import { memberOf } from "./member.ts";
import { isOwnHandler, type Ownership, readProgram } from "./own_handler.ts";

const EVENT = "SessionStart";

/**
 * Programs whose SessionStart handler is to the letter the one that we write, matcher and timeout included, and that
 * are not known to be ours.
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
 * What makes one program's hooks conclaude's again: the old ones out, and this program's in their place.
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
