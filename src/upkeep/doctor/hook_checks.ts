/** Whether Claude Code starts this program at each event that has to be recorded. */
import {
  disablingFile,
  fileOf,
  type HookProgram,
  isSameProgram,
  readHookCommand,
  whyNotStarted,
} from "../../claude/settings/armed.ts";
import {
  commandLine,
  DRAIN_EVENT,
  type HookEntry,
  hookTimeoutSeconds,
  quoteWord,
} from "../../claude/settings/hooks.ts";
import {
  hasHook,
  type HooksPlace,
  installLine,
  isSearched,
  lookAtSettings,
  replaceLine,
  type SettingsLook,
  strictFlag,
} from "../../claude/settings/installed_hooks.ts";
import { unwrap } from "../../claude/settings/own_handler.ts";
import { fail, type Finding, ok, warn } from "../care/check.ts";
import type { DoctorPlace } from "./place.ts";

/** Without one of these nothing is captured, or no session begins or ends. */
const NEEDED_EVENTS = ["SessionStart", "PostToolUse", "SessionEnd"];

/** Looks into every settings file that counts here. */
export function lookAtHooks(place: DoctorPlace): Finding[] {
  const looks = lookAtSettings(place);
  const installed = looks.filter(({ entries }) => entries.length > 0);
  const disabling = disablingFile(looks);
  const faults = [
    ...looks.flatMap((look) => fileFaults(look, place)),
    ...disabling === null ? [] : [fail(
      `\`disableAllHooks\` is true in ${disabling}: Claude Code runs no hook at all`,
      `set it to false in ${quoteWord(disabling)}, or remove it`,
    )],
    ...installed.flatMap((look) => startFaults(look, place)),
    ...missingHooks(installed, looks),
    ...doubledEvents(installed),
    ...installed.flatMap(slownessFaults),
    ...looks.flatMap(wrappedHooks),
  ];
  const isAnywhere = looks.some(({ entries, wrapped }) => entries.length + wrapped.length > 0);
  if (!isAnywhere && looks.every(({ unreadable }) => unreadable === null)) {
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

/** Claude Code ignores a file that it cannot read, and discards a whole file for one invalid handler. */
function fileFaults(look: SettingsLook, { settings }: DoctorPlace): Finding[] {
  const { path, unreadable, fatal, entries } = look;
  if (unreadable !== null) {
    const again = commandLine("doctor", settings === undefined ? [] : ["--settings", settings]);
    return [fail(
      `${path}: ${unreadable}; Claude Code may ignore the file, and every hook in it`,
      `correct ${quoteWord(path)}, then run \`${again}\` again`,
    )];
  }
  if (fatal === undefined) return [];
  const message =
    `${path}: \`${fatal.path}\` ${fatal.problem}, so Claude Code discards the whole file`;
  const next = `correct or remove \`${fatal.path}\` in ${quoteWord(path)}`;
  return [
    entries.length > 0 ? fail(`${message}, conclaude's hooks too`, next) : warn(message, next),
  ];
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
    if (isThisProgram(program, place)) return [];
    return [warn(
      `the hooks in ${look.path} start another program than this one (${programPath}), perhaps of another version: ` +
        `${program.script ?? fileOf(program, searchPath)}`,
      isSearched(program)
        ? "if this one is right, let the PATH name its folder first"
        : `if this one is right: \`${again}\``,
    )];
  });
}

/** Whether a hook starts this very program. */
export function isThisProgram(started: HookProgram, place: DoctorPlace): boolean {
  const { program, programPath: path, searchPath } = place;
  return isSameProgram(started, { program, path, searchPath });
}

/** The command adds them to the installed settings file that counts for the most sessions. */
function missingHooks(installed: readonly SettingsLook[], looks: readonly SettingsLook[]) {
  const widest = installed.at(-1);
  if (widest === undefined) return [];
  const present = new Set(installed.flatMap(({ entries }) => eventsOf(entries)));
  const missing = NEEDED_EVENTS.filter((event) => !present.has(event));
  const lacksDrain = present.has(DRAIN_EVENT) && !looks.some((look) => hasHook(look, "drain"));
  return [
    ...missing.length === 0 ? [] : [`no hook is installed for ${missing.join(", ")}`],
    ...lacksDrain
      ? [
        `no drain is installed beside the hook for ${DRAIN_EVENT}: memory is then only worked in at ` +
        "the end of a session",
      ]
      : [],
  ].map((message) => warn(message, installLine(widest)));
}

/** Claude Code runs equal commands of all files once; different ones each record the event. A drain records none. */
function doubledEvents(installed: readonly SettingsLook[]): Finding[] {
  const recording = installed.flatMap(({ entries }) =>
    entries.filter(({ role }) => role === "event")
  );
  const events = [...Map.groupBy(recording, ({ event }) => event)].filter(([, entries]) =>
    new Set(entries.map(({ command }) => command)).size > 1
  ).map(([event]) => event);
  const [first, second] = installed;
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
    .map(({ event, timeout }) => `${event} (${timeout} s)`).join(", ");
  return [
    ...entries.some(({ role, async }) => role === "drain" && !async)
      ? [`the drain in ${path} is waited for at the end of each turn: it is not \`async\``]
      : [],
    ...short === ""
      ? []
      : [`${path} gives these hooks too little time for the commands of a configuration: ${short}`],
  ].map((message) => warn(message, installLine(look)));
}

/** A command around a hook may hide that the hook cannot run. A drain judges nothing, so nothing is hidden there. */
function wrappedHooks(look: SettingsLook): Finding[] {
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
