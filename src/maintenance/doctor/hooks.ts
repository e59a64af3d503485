import {
  commandLine,
  type HookEntry,
  hookTimeoutSeconds,
  quoteWord,
} from "../../settings/hooks.ts";
import {
  fileOf,
  isSameProgram,
  readHookCommand,
  whyNotStarted,
} from "../../settings/hook_program.ts";
import { unwrap } from "../../settings/own_handler.ts";
import { fail, type Finding, ok, warn } from "../check.ts";
import { missingDrain, waitedDrain } from "./drain_hook.ts";
import { installLine, isSearched, replaceLine, strictFlag } from "./install_line.ts";
import type { DoctorPlace } from "./place.ts";
import { type HooksPlace, lookAtSettings, type SettingsLook } from "./settings_look.ts";

/** Without one of these nothing is captured, or no session begins or ends. */
const NEEDED_EVENTS = ["SessionStart", "PostToolUse", "SessionEnd"];

const INSTALL = commandLine("install-hooks");

/** Whether Claude Code will start this program: in every settings file that counts here. */
export function lookAtHooks(place: DoctorPlace): Finding[] {
  const looks = lookAtSettings(place);
  const installed = looks.filter(({ entries }) => entries.length > 0);
  const faults = [
    ...looks.flatMap((look) => look.faults),
    ...disabled(looks),
    ...startFaults(installed, place),
    ...missingEvents(installed),
    ...missingDrain(looks),
    ...waitedDrain(installed),
    ...doubled(installed),
    ...tooShort(installed),
    ...wrapped(looks),
  ];
  const isAnywhere = looks.some(({ entries, wrapped }) => entries.length + wrapped.length > 0);
  if (!isAnywhere && looks.every(({ isReadable }) => isReadable)) {
    const scopes = looks.map(({ path }) => path).join(", ");
    return [...faults, warn(`no hooks are installed in ${scopes}: nothing is recorded`, INSTALL)];
  }
  const summary = installed.map(({ path, entries }) => `${path} (${eventsOf(entries).join(", ")})`);
  return faults.length > 0 ? faults : [ok(`installed in ${summary.join("; ")}`)];
}

/** The settings files that count here and hold hooks of ours, the one with the last word first. */
export function installedHooks(
  place: HooksPlace,
): { readonly path: string; readonly events: readonly string[] }[] {
  return lookAtSettings(place)
    .filter(({ entries }) => entries.length > 0)
    .map(({ path, entries }) => ({ path, events: eventsOf(entries) }));
}

/** The events of entries, each once. */
function eventsOf(entries: readonly HookEntry[]): string[] {
  return [...new Set(entries.map(({ event }) => event))];
}

/** Of two handlers under one event, the one whose answer counts. */
function isOwnHook({ role }: Pick<HookEntry, "role">): boolean {
  return role === "event";
}

function disabled(looks: readonly SettingsLook[]): Finding[] {
  const decides = looks.find(({ disablesAll }) => disablesAll !== undefined);
  if (decides?.disablesAll !== true) return [];
  return [fail(
    `\`disableAllHooks\` is true in ${decides.path}: Claude Code runs no hook at all`,
    `set it to false in ${quoteWord(decides.path)}, or remove it`,
  )];
}

function startFaults(looks: readonly SettingsLook[], place: DoctorPlace): Finding[] {
  const { searchPath } = place;
  const own = { program: place.program, path: place.programPath, searchPath };
  return looks.flatMap((look) => {
    const { path, flags, entries } = look;
    const again = replaceLine(flags, entries);
    const programs = new Map(entries.map(({ command }) => {
      const program = readHookCommand(command);
      return [program.line, program];
    }));
    return [...programs.values()].flatMap((program): Finding[] => {
      const why = whyNotStarted(program, searchPath);
      if (why !== null) {
        const next = isSearched(program)
          ? `have it on the PATH, or name this one: \`${again}\``
          : again;
        return [fail(`the hooks in ${path} cannot start: ${why}`, next)];
      }
      if (isSameProgram(program, own)) return [];
      return [warn(
        `the hooks in ${path} start another program than this one (${own.path}), perhaps of another version: ` +
          `${program.script ?? fileOf(program, searchPath)}`,
        isSearched(program)
          ? `if this one is right, let the PATH name its folder first`
          : `if this one is right: \`${again}\``,
      )];
    });
  });
}

/** What is missing is added where the hooks for most sessions are. */
function missingEvents(looks: readonly SettingsLook[]): Finding[] {
  const widest = looks.at(-1);
  if (widest === undefined) return [];
  const present = new Set(looks.flatMap(({ entries }) => entries.map(({ event }) => event)));
  const missing = NEEDED_EVENTS.filter((event) => !present.has(event));
  if (missing.length === 0) return [];
  return [
    warn(
      `no hook is installed for ${missing.join(", ")}`,
      installLine(widest.flags, widest.entries),
    ),
  ];
}

/** Equal commands run once over all files; different ones each record the event. A drain records none. */
function doubled(looks: readonly SettingsLook[]): Finding[] {
  const recording = looks.flatMap(({ entries }) => entries.filter(isOwnHook));
  const commands = Map.groupBy(recording, ({ event }) => event);
  const events = [...commands].filter(([, entries]) =>
    new Set(entries.map(({ command }) => command)).size > 1
  ).map(([event]) => event);
  const [first, second] = looks;
  if (events.length === 0 || first === undefined) return [];
  const next = second === undefined
    ? installLine(first.flags, first.entries)
    : `keep one: \`${commandLine("uninstall-hooks", first.flags)}\``;
  return [warn(
    `these events are recorded twice, by different programs: ${events.join(", ")}`,
    next,
  )];
}

/** An installation of an older program lets Claude Code end a hook before its commands are done. */
function tooShort(looks: readonly SettingsLook[]): Finding[] {
  return looks.flatMap(({ path, flags, entries }) => {
    const events = entries
      .filter(({ event, role, timeout }) => role === "event" && timeout < hookTimeoutSeconds(event))
      .map(({ event, timeout }) => `${event} (${timeout} s)`);
    return events.length === 0 ? [] : [warn(
      `${path} gives these hooks too little time for the commands of a configuration: ${
        events.join(", ")
      }`,
      installLine(flags, entries),
    )];
  });
}

/** They work as long as they can start; what they hide is that they cannot. */
function wrapped(looks: readonly SettingsLook[]): Finding[] {
  return looks.flatMap(({ path, flags, entries, wrapped }) => {
    // A drain judges nothing, so what is around it hides nothing.
    const judging = wrapped.filter(isOwnHook);
    const [first] = judging;
    if (first === undefined) return [];
    const events = judging.map(({ event }) => event).join(", ");
    return [warn(
      `the hooks for ${events} in ${path} do more than start conclaude (\`${first.command}\`), so nobody can say that ` +
        "they judge: a status that is swallowed hides a hook that cannot run",
      unwrap(first, path, [...flags, ...strictFlag(entries)]),
    )];
  });
}
