import { unwrap } from "../../claude/settings/own_handler.ts";
import {
  fileOf,
  isSameProgram,
  readHookCommand,
  whyNotStarted,
} from "../../claude/settings/hook_program.ts";
import {
  commandLine,
  DRAIN_EVENT,
  type HookEntry,
  hookTimeoutSeconds,
  quoteWord,
} from "../../claude/settings/hooks.ts";
import { fail, type Finding, ok, warn } from "../care/check.ts";
import type { DoctorPlace } from "./place.ts";
import {
  type HooksPlace,
  installLine,
  isSearched,
  lookAtSettings,
  replaceLine,
  type SettingsLook,
  strictFlag,
} from "./settings_look.ts";

/** Without one of these nothing is captured, or no session begins or ends. */
const NEEDED_EVENTS = ["SessionStart", "PostToolUse", "SessionEnd"];

/** Whether Claude Code starts this program, in every settings file that counts here. */
export function lookAtHooks(place: DoctorPlace): Finding[] {
  const looks = lookAtSettings(place);
  const installed = looks.filter(({ entries }) => entries.length > 0);
  const faults = [
    ...looks.flatMap((look) => look.faults),
    ...disabled(looks),
    ...installed.flatMap((look) => startFaults(look, place)),
    ...missingEvents(installed),
    ...missingDrain(looks),
    ...doubled(installed),
    ...installed.flatMap(slownessFaults),
    ...looks.flatMap(wrapped),
  ];
  const isAnywhere = looks.some(({ entries, wrapped }) => entries.length + wrapped.length > 0);
  if (!isAnywhere && looks.every(({ isReadable }) => isReadable)) {
    const scopes = looks.map(({ path }) => path).join(", ");
    const next = commandLine("install-hooks");
    return [...faults, warn(`no hooks are installed in ${scopes}: nothing is recorded`, next)];
  }
  const summary = installed.map(({ path, entries }) => `${path} (${eventsOf(entries).join(", ")})`);
  return faults.length > 0 ? faults : [ok(`installed in ${summary.join("; ")}`)];
}

/** The settings files that hold conclaude's hooks; the one that Claude Code obeys first comes first. */
export function installedHooks(
  place: HooksPlace,
): { readonly path: string; readonly events: readonly string[] }[] {
  return lookAtSettings(place)
    .filter(({ entries }) => entries.length > 0)
    .map(({ path, entries }) => ({ path, events: eventsOf(entries) }));
}

function eventsOf(entries: readonly HookEntry[]): string[] {
  return [...new Set(entries.map(({ event }) => event))];
}

function disabled(looks: readonly SettingsLook[]): Finding[] {
  const decides = looks.find(({ disablesAll }) => disablesAll !== undefined);
  if (decides?.disablesAll !== true) return [];
  return [fail(
    `\`disableAllHooks\` is true in ${decides.path}: Claude Code runs no hook at all`,
    `set it to false in ${quoteWord(decides.path)}, or remove it`,
  )];
}

/** Programs of a file's hooks that cannot start, and those that are not this one. */
function startFaults(look: SettingsLook, place: DoctorPlace): Finding[] {
  const { searchPath, programPath } = place;
  const again = replaceLine(look);
  const programs = look.entries.map(({ command }) => readHookCommand(command));
  return [...new Map(programs.map((one) => [one.line, one])).values()].flatMap((program) => {
    const why = whyNotStarted(program, searchPath);
    if (why !== null) {
      return [fail(
        `the hooks in ${look.path} cannot start: ${why}`,
        isSearched(program) ? `have it on the PATH, or name this one: \`${again}\`` : again,
      )];
    }
    if (isSameProgram(program, { program: place.program, path: programPath, searchPath })) {
      return [];
    }
    return [warn(
      `the hooks in ${look.path} start another program than this one (${programPath}), perhaps of another version: ` +
        `${program.script ?? fileOf(program, searchPath)}`,
      isSearched(program)
        ? `if this one is right, let the PATH name its folder first`
        : `if this one is right: \`${again}\``,
    )];
  });
}

/** Events without a hook. The command adds it to the installed settings file that counts for the most sessions. */
function missingEvents(looks: readonly SettingsLook[]): Finding[] {
  const widest = looks.at(-1);
  if (widest === undefined) return [];
  const present = new Set(looks.flatMap(({ entries }) => eventsOf(entries)));
  const missing = NEEDED_EVENTS.filter((event) => !present.has(event));
  if (missing.length === 0) return [];
  return [warn(`no hook is installed for ${missing.join(", ")}`, installLine(widest))];
}

/** An older installation has no drain beside Stop. One in any of the files is enough. */
function missingDrain(looks: readonly SettingsLook[]): Finding[] {
  const widest = looks.findLast(({ entries }) =>
    entries.some(({ event, role }) => event === DRAIN_EVENT && role === "event")
  );
  const hasDrain = looks.some(({ entries, wrapped }) =>
    [...entries, ...wrapped].some(({ event, role }) => event === DRAIN_EVENT && role === "drain")
  );
  if (widest === undefined || hasDrain) return [];
  return [warn(
    `${widest.path} has no drain beside the hook for ${DRAIN_EVENT}: ` +
      "memory is then only worked in at the end of a session",
    installLine(widest),
  )];
}

/** Claude Code runs equal commands of all files once; different ones each record the event. A drain records none. */
function doubled(looks: readonly SettingsLook[]): Finding[] {
  const recording = looks.flatMap(({ entries }) => entries.filter(({ role }) => role === "event"));
  const events = [...Map.groupBy(recording, ({ event }) => event)].filter(([, entries]) =>
    new Set(entries.map(({ command }) => command)).size > 1
  ).map(([event]) => event);
  const [first, second] = looks;
  if (events.length === 0 || first === undefined) return [];
  return [warn(
    `these events are recorded twice, by different programs: ${events.join(", ")}`,
    second === undefined
      ? installLine(first)
      : `keep one: \`${commandLine("uninstall-hooks", first.flags)}\``,
  )];
}

/** A drain that Claude Code waits for, and hooks whose time limit is too short for their commands. */
function slownessFaults(look: SettingsLook): Finding[] {
  const { path, entries } = look;
  const short = entries
    .filter(({ event, role, timeout }) => role === "event" && timeout < hookTimeoutSeconds(event))
    .map(({ event, timeout }) => `${event} (${timeout} s)`);
  const messages = [
    ...entries.some(({ role, async }) => role === "drain" && !async)
      ? [`the drain in ${path} is waited for at the end of each turn: it is not \`async\``]
      : [],
    ...short.length === 0 ? [] : [
      `${path} gives these hooks too little time for the commands of a configuration: ${
        short.join(", ")
      }`,
    ],
  ];
  return messages.map((message) => warn(message, installLine(look)));
}

/** A command around a hook may hide that the hook cannot run. A drain judges nothing, so nothing is hidden there. */
function wrapped(look: SettingsLook): Finding[] {
  const { path, flags } = look;
  const judging = look.wrapped.filter(({ role }) => role === "event");
  const [first] = judging;
  if (first === undefined) return [];
  const events = judging.map(({ event }) => event).join(", ");
  return [warn(
    `the hooks for ${events} in ${path} do more than start conclaude (\`${first.command}\`), so nobody can say that ` +
      "they judge: a status that is swallowed hides a hook that cannot run",
    unwrap(first, path, [...flags, ...strictFlag(look)]),
  )];
}
