/** What else records the events that hooks were just installed for. */
import { lookAtSettings } from "../maintenance/doctor/settings_look.ts";
import { commandLine, type HookEvent, planHooks, type Program } from "../settings/hooks.ts";
import type { CliContext } from "./context.ts";
import { hooksPlace } from "./hooks_place.ts";

/**
 * A sentence for each settings file that counts here and holds other hooks of ours for the same events: Claude Code runs
 * equal commands once over all files, and different ones each.
 */
export function doubledHooks(
  context: CliContext,
  installed: {
    readonly path: string;
    readonly settings: string | undefined;
    readonly program: Program;
    readonly events: readonly HookEvent[];
  },
): string[] {
  const commands = new Map(
    planHooks(installed.program, installed.events)
      .filter(({ role }) => role === "event")
      .map(({ event, command }) => [event, command]),
  );
  return lookAtSettings(hooksPlace(context, installed.settings)).flatMap((look) => {
    const { path, flags, entries, wrapped } = look;
    const others = path === installed.path ? wrapped : [...entries, ...wrapped];
    // A drain records nothing, and of two the second finds nothing to do.
    const twice = others.filter(({ event, role, command }) =>
      role === "event" && commands.has(event) && commands.get(event) !== command
    );
    if (twice.length === 0) return [];
    const next = path === installed.path || entries.length === 0
      ? `take \`${twice[0]!.command}\` out of it`
      : `\`${commandLine("uninstall-hooks", flags)}\` takes them out`;
    return [
      `${path} has ${
        path === installed.path ? "other" : "more"
      } hooks of conclaude, so that each of these events is ` +
      `recorded twice, and one is enough: ${twice.map(({ event }) => event).join(", ")}; ${next}`,
    ];
  });
}
