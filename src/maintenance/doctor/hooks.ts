import { isUserError } from "../../errors.ts";
import { isBareName } from "../../process/executable.ts";
import { readOwnEntries } from "../../settings/edit.ts";
import { placeFlags, readSettings, settingsPath, type SettingsPlace } from "../../settings/file.ts";
import { checkHooks } from "../../settings/handler_schema.ts";
import { commandLine, type HookEntry, quoteWord } from "../../settings/hooks.ts";
import { findLookAlikes, takeOver } from "../../settings/look_alike.ts";
import { ownershipHere } from "../../settings/ownership.ts";
import { hookTimeoutSeconds } from "../../settings/timeouts.ts";
import { findWrapped, unwrap, type WrappedHook } from "../../settings/wrapped.ts";
import { fail, type Finding, ok, warn } from "../check.ts";
import {
  fileOf,
  type HookProgram,
  isSameProgram,
  readHookCommand,
  whyNotStarted,
} from "../../settings/hook_program.ts";
import type { DoctorPlace } from "./place.ts";

/** A settings file as far as hooks go. */
export interface SettingsLook {
  readonly path: string;
  /** What it says, parsed; `undefined` when it is not there, or cannot be read. */
  readonly settings: unknown;
  /** What leads `install-hooks` to it: `["--scope", "local"]`. */
  readonly flags: readonly string[];
  /** False when nobody can tell what is in the file. */
  readonly isReadable: boolean;
  readonly entries: readonly HookEntry[];
  /** Programs that may be conclaude under another name. */
  readonly lookAlikes: readonly string[];
  /** Hooks of ours within commands that do more. */
  readonly wrapped: readonly WrappedHook[];
  /** What the file says of `disableAllHooks`, if anything. */
  readonly disablesAll: boolean | undefined;
  readonly faults: readonly Finding[];
}

/** The settings file that has the last word first. */
const SCOPES = ["local", "project", "user"] as const;

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
    ...doubled(installed),
    ...tooShort(installed),
    ...(installed.length > 0 ? lookAlikes(looks) : []),
    ...wrapped(looks),
  ];
  const isAnywhere = looks.some(({ entries, wrapped }) => entries.length + wrapped.length > 0);
  if (!isAnywhere && looks.every(({ isReadable }) => isReadable)) {
    const scopes = looks.map(({ path }) => path).join(", ");
    return [...faults, warn(`no hooks are installed in ${scopes}: nothing is recorded`, INSTALL)];
  }
  const summary = installed.map(({ path, entries }) =>
    `${path} (${entries.map(({ event }) => event).join(", ")})`
  );
  return faults.length > 0 ? faults : [ok(`installed in ${summary.join("; ")}`)];
}

/** What a search for our hooks needs to know. */
export type HooksPlace = Pick<
  DoctorPlace,
  "locations" | "projectDir" | "claudeFolder" | "program" | "executable" | "searchPath" | "settings"
>;

/** The settings files that count here and hold hooks of ours, the one with the last word first. */
export function installedHooks(
  place: HooksPlace,
): { readonly path: string; readonly events: readonly string[] }[] {
  return lookAtSettings(place)
    .filter(({ entries }) => entries.length > 0)
    .map(({ path, entries }) => ({ path, events: entries.map(({ event }) => event) }));
}

/** The settings files that count here, the one with the last word first. */
export function lookAtSettings(place: HooksPlace): SettingsLook[] {
  return settingsFiles(place).map((file) => lookInto(file, place));
}

function settingsFiles(
  { locations, projectDir, claudeFolder, settings }: HooksPlace,
): Pick<SettingsLook, "path" | "flags">[] {
  const around = { projectDir, home: locations.home ?? undefined, configDir: claudeFolder };
  const places: SettingsPlace[] = SCOPES
    .filter((scope) => scope !== "user" || around.home !== undefined || claudeFolder !== undefined)
    .map((scope) => ({ ...around, scope }));
  if (settings !== undefined) places.unshift({ ...around, scope: "user", settings });
  const found = places.map((one) => ({ path: settingsPath(one), flags: placeFlags(one) }));
  // In the home folder itself the project's file is the user's.
  return found.filter(({ path }, index) =>
    found.findLastIndex((other) => other.path === path) === index
  );
}

function lookInto(file: Pick<SettingsLook, "path" | "flags">, place: HooksPlace): SettingsLook {
  const { path } = file;
  const nothing = {
    ...file,
    settings: undefined,
    entries: [],
    lookAlikes: [],
    wrapped: [],
    disablesAll: undefined,
  };
  const ownership = ownershipHere(place);
  const again = place.settings === undefined ? [] : ["--settings", place.settings];
  try {
    const { text } = readSettings(path);
    if (text === undefined || text.trim() === "") {
      return { ...nothing, isReadable: true, faults: [] };
    }
    const entries = readOwnEntries(text, {
      ...ownership,
      attempt: { command: "install-hooks", path },
    });
    const settings: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    const { disableAllHooks } = settings as { readonly disableAllHooks?: unknown };
    return {
      ...file,
      settings,
      isReadable: true,
      entries,
      lookAlikes: findLookAlikes(settings, ownership),
      wrapped: findWrapped(settings, ownership),
      disablesAll: typeof disableAllHooks === "boolean" ? disableAllHooks : undefined,
      faults: discardingFaults(settings, path, entries.length > 0),
    };
  } catch (thrown) {
    if (!isUserError(thrown)) throw thrown;
    return {
      ...nothing,
      isReadable: false,
      faults: [fail(
        `${path}: ${thrown.why}; Claude Code may ignore the file, and every hook in it`,
        `correct ${quoteWord(path)}, then run \`${commandLine("doctor", again)}\` again`,
      )],
    };
  }
}

/** One invalid handler of anybody's makes Claude Code discard the whole file. */
function discardingFaults(settings: unknown, path: string, holdsOurs: boolean): Finding[] {
  const fatal = checkHooks(settings).find(({ discardsFile }) => discardsFile);
  if (fatal === undefined) return [];
  const message =
    `${path}: \`${fatal.path}\` ${fatal.problem}, so Claude Code discards the whole file`;
  const next = `correct or remove \`${fatal.path}\` in ${quoteWord(path)}`;
  return [holdsOurs ? fail(`${message}, conclaude's hooks too`, next) : warn(message, next)];
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

/** True when each start looks the program up on the `PATH`. */
function isSearched({ executable, script }: HookProgram): boolean {
  return script === null && isBareName(executable);
}

function strictFlag(entries: readonly HookEntry[]): string[] {
  return entries.some(({ onFailure }) => onFailure === "block") ? ["--strict"] : [];
}

/** Installs into the same file, with this program; strict stays strict. */
export function replaceLine(flags: readonly string[], entries: readonly HookEntry[]): string {
  return commandLine("install-hooks", [...flags, ...strictFlag(entries)]);
}

/** Installs into the same file; a command that its hooks look up on the `PATH` stays one, and strict stays strict. */
export function installLine(flags: readonly string[], entries: readonly HookEntry[]): string {
  const searched = entries.map(({ command }) => readHookCommand(command)).find(isSearched);
  return commandLine("install-hooks", [
    ...flags,
    ...(searched === undefined ? [] : ["--command", searched.executable]),
    ...strictFlag(entries),
  ]);
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

/** Equal commands run once over all files; different ones each record the event. */
function doubled(looks: readonly SettingsLook[]): Finding[] {
  const commands = Map.groupBy(looks.flatMap(({ entries }) => entries), ({ event }) => event);
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
      .filter(({ event, timeout }) => timeout < hookTimeoutSeconds(event))
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
    const [first] = wrapped;
    if (first === undefined) return [];
    const events = wrapped.map(({ event }) => event).join(", ");
    return [warn(
      `the hooks for ${events} in ${path} do more than start conclaude (\`${first.command}\`), so nobody can say that ` +
        "they judge: a status that is swallowed hides a hook that cannot run",
      unwrap(first, path, [...flags, ...strictFlag(entries)]),
    )];
  });
}

/** They were left alone by the installer, so each event may be recorded twice. */
function lookAlikes(looks: readonly SettingsLook[]): Finding[] {
  return looks.flatMap(({ path, flags, lookAlikes }) =>
    lookAlikes.map((program) =>
      warn(
        `the hooks of ${program} in ${path} look like conclaude's under another name; if they are, events are ` +
          "recorded twice",
        `if they are: \`${takeOver(program, flags)}\``,
      )
    )
  );
}
