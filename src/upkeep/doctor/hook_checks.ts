/** Checks whether Claude Code starts this program at each event that must be recorded. */
import {
  disablingFile,
  fileOf,
  type HookProgram,
  isThisProgram,
  readHookCommand,
  whyNotStarted,
} from "../../claude/settings/armed.ts";
import {
  commandLine,
  type HookEntry,
  hookTimeoutSeconds,
  quoteWord,
} from "../../claude/settings/hooks.ts";
import {
  installLine,
  isSearched,
  lookAtSettings,
  removeLine,
  replaceLine,
  type SettingsLook,
  strictFlag,
  timesByLane,
} from "../../claude/settings/installed_hooks.ts";
import { isManagedFile } from "../../claude/settings/settings_place.ts";
import { unwrap } from "../../claude/settings/own_handler.ts";
import { fail, type Finding, ok, warn } from "../care/check.ts";
import { askDatabase, type DoctorPlace } from "./place.ts";
import { count } from "../../base/counts.ts";
import { daysMs } from "../../base/time.ts";
import { hookTimes } from "../../db/executions.ts";

/** Events without which nothing is captured, or no session begins or ends. */
const NEEDED_EVENTS = ["SessionStart", "PostToolUse", "SessionEnd"];

/** Checks the hooks in every settings file that applies here. */
export function lookAtHooks(place: DoctorPlace): Finding[] {
  const looks = lookAtSettings(place);
  // In the order in which Claude Code obeys them.
  const installed = looks.filter(({ entries }) => entries.length > 0);
  const faults = [
    ...disabledBy(looks),
    ...looks.flatMap((look) => [...fileFaults(look, place)]),
    ...faultsAcross(installed, looks),
  ];
  const isAnywhere = looks.some(({ entries, wrapped }) => entries.length + wrapped.length > 0);
  if (!isAnywhere && looks.every(({ unreadable }) => unreadable === null)) {
    const scopes = looks.map(({ path }) => path).join(", ");
    const next = commandLine("install-hooks");
    return [...faults, warn(`no hooks are installed in ${scopes}: nothing is recorded`, next)];
  }
  const summary = installed.map(({ path, entries }) => `${path} (${eventsOf(entries).join(", ")})`);
  return faults.length > 0
    ? faults
    : [ok(`installed in ${summary.join("; ")}${waitedText(place, looks)}`)];
}

/** Tells how long a person waited for hooks in the last 24 hours; "" if no hook ran. */
function waitedText(place: DoctorPlace, looks: readonly SettingsLook[]): string {
  const { program, nowMs } = place;
  const times = askDatabase(place, (db) => hookTimes(db, nowMs - daysMs(1))) ?? [];
  if (times.length === 0) return "";
  const { waited, beside } = timesByLane(times, { looks, program });
  return `; in the last 24 hours Claude Code waited ${(waited.ms / 1000).toFixed(1)} s for ` +
    `${count(waited.runs, "hook")}, and did not wait for ${beside.runs}`;
}

function eventsOf(entries: readonly Pick<HookEntry, "event">[]): string[] {
  return [...new Set(entries.map(({ event }) => event))];
}

/** Reports a file that turns all hooks off. Only a managed file can turn off the hooks of managed settings. */
function disabledBy(looks: readonly SettingsLook[]): Finding[] {
  const file = disablingFile(looks);
  const managedHooksRun = file !== null && !isManagedFile(file) &&
    looks.some(({ path, entries }) => isManagedFile(path) && entries.length > 0);
  return file === null || managedHooksRun ? [] : [fail(
    `\`disableAllHooks\` is true in ${file}: Claude Code runs no hook at all`,
    `set it to false in ${quoteWord(file)}, or remove it`,
  )];
}

function* fileFaults(look: SettingsLook, place: DoctorPlace): Iterable<Finding> {
  const { path, flags, unreadable, fatal, entries, wrapped } = look;
  if (unreadable !== null) {
    return yield fail(
      `${path}: ${unreadable}; Claude Code may ignore the file, and every hook in it`,
      `correct ${quoteWord(path)}, then run \`conclaude doctor\` again`,
    );
  }
  if (fatal !== undefined) {
    const [make, also] = entries.length > 0 ? [fail, ", conclaude's hooks too"] : [warn, ""];
    yield make(
      `${path}: \`${fatal.path}\` ${fatal.problem}, so Claude Code discards the whole file${also}`,
      `correct or remove \`${fatal.path}\` in ${quoteWord(path)}`,
    );
  }
  const programs = entries.map(({ command }) => readHookCommand(command));
  for (const program of new Map(programs.map((one) => [one.line, one])).values()) {
    yield* programFaults(program, look, place);
  }
  const short = entries
    .filter(({ event, role, timeout }) => role === "event" && timeout < hookTimeoutSeconds(event))
    .map(({ event, timeout }) => `${event} (${timeout} s)`).join(", ");
  if (short !== "") {
    yield warn(
      `${path} gives these hooks too little time for the commands of a configuration: ${short}`,
      installLine(look),
    );
  }
  if (entries.some(({ role, async }) => role === "drain" && !async)) {
    yield warn(
      `the drain in ${path} is waited for at the end of each turn: it is not \`async\``,
      installLine(look),
    );
  }
  // A command around a drain hides no decision, since a drain decides nothing.
  const judging = wrapped.filter(({ role }) => role === "event");
  const [first] = judging;
  if (first !== undefined) {
    const events = eventsOf(judging).join(", ");
    yield warn(
      `the hooks for ${events} in ${path} do more than start conclaude (\`${first.command}\`), ` +
        "so nobody can say that they judge: a status that is swallowed hides a hook that cannot run",
      unwrap(first, path, [...flags, ...strictFlag(look)]),
    );
  }
}

/** Reports a program in hooks that cannot start, or that is not this one. */
function programFaults(program: HookProgram, look: SettingsLook, place: DoctorPlace): Finding[] {
  const { searchPath, programPath } = place;
  const replace = replaceLine(look);
  const why = whyNotStarted(program, searchPath);
  if (why !== null) {
    return [fail(
      `the hooks in ${look.path} cannot start: ${why}`,
      isSearched(program) ? `have it on the PATH, or name this one: \`${replace}\`` : replace,
    )];
  }
  return isThisProgram(program, place) ? [] : [warn(
    `the hooks in ${look.path} start another program than this one (${programPath}), perhaps of another version: ` +
      `${program.script ?? fileOf(program, searchPath)}`,
    isSearched(program)
      ? "if this one is right, let the PATH name its folder first"
      : `if this one is right: \`${replace}\``,
  )];
}

/** Returns the faults of the hooks of all files together: missing hooks, and events that are recorded twice. */
function* faultsAcross(
  installed: readonly SettingsLook[],
  looks: readonly SettingsLook[],
): Iterable<Finding> {
  // This installed file applies to the most sessions.
  const widest = installed.findLast(({ isPlugin }) => !isPlugin) ?? installed.at(-1);
  if (widest === undefined) return;
  const entries = installed.flatMap(({ entries }) => entries);
  const present = eventsOf(entries);
  const missing = NEEDED_EVENTS.filter((event) => !present.includes(event));
  if (missing.length > 0) {
    yield warn(`no hook is installed for ${missing.join(", ")}`, installLine(widest));
  }
  const all = looks.flatMap(({ entries, wrapped }) => [...entries, ...wrapped]);
  const hasDrain = all.some(({ event, role }) => event === "Stop" && role === "drain");
  if (present.includes("Stop") && !hasDrain) {
    yield warn(
      "no drain is installed beside the hook for Stop: captures become memory only at the end of a session",
      installLine(widest),
    );
  }
  // Claude Code runs equal commands of several files once; different commands each record the event.
  const recording = Map.groupBy(entries.filter(({ role }) => role === "event"), (one) => one.event);
  const doubled = [...recording].flatMap(([event, hooks]) =>
    new Set(hooks.map(({ command }) => command)).size > 1 ? [event] : []
  );
  if (doubled.length > 0) {
    yield warn(
      `these events are recorded twice, by different programs: ${doubled.join(", ")}`,
      installed.length === 1 ? installLine(widest) : `keep one: \`${removeLine(installed[0]!)}\``,
    );
  }
  const plugin = installed.find(({ isPlugin }) => isPlugin);
  // Two plugins are no fault: they may be the source and the installed copy of one.
  if (plugin !== undefined && !widest.isPlugin) {
    yield warn(
      `the hooks are installed twice, in ${widest.path} and as a plugin (${plugin.path}): each one runs twice`,
      `keep one: \`${removeLine(plugin)}\` or \`${removeLine(widest)}\``,
    );
  }
}
