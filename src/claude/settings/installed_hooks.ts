/** Reads conclaude's hooks from the settings files of Claude Code that count in a folder. */
import { isUserError } from "../../base/errors.ts";
import type { Locations } from "../../system/environment.ts";
import { isBareName } from "../../system/process/executable.ts";
import { type ModPlaces, pluginSettings, REMOVE_PLUGIN, UPDATE_PLUGIN } from "../plugins.ts";
import { entriesIn } from "./edit.ts";
import type { HookProblem } from "./handler_schema.ts";
import {
  fatalIn,
  type HookProgram,
  letsThrough,
  type ParsedSettings,
  readHookCommand,
} from "./armed.ts";
import { commandLine, type HookEntry, planHooks, type Program } from "./hooks.ts";
import { DEFAULT_EVENTS } from "./lanes.ts";
import type { HookTime } from "../../db/executions.ts";
import { findWrapped, type Ownership, type WrappedHook } from "./own_handler.ts";
import { HOOKS, openFile, readSettings } from "./settings_file.ts";
import { placeFlags, settingsPath, type SettingsPlace, settingsPlaces } from "./settings_place.ts";

/** A settings file with its hooks and its faults. */
export interface SettingsLook extends ParsedSettings {
  /** The flags with which `install-hooks` writes to it: `["--scope", "local"]`. */
  readonly flags: readonly string[];
  /** Why it cannot be read; null when it can. */
  readonly unreadable: string | null;
  /** The handler for which Claude Code discards the whole file. */
  readonly fatal: HookProblem | undefined;
  readonly entries: readonly HookEntry[];
  /** Commands that start conclaude and do more. */
  readonly wrapped: readonly WrappedHook[];
  /** Whether these are the hooks of conclaude's plugin, which no settings file holds. */
  readonly isPlugin: boolean;
}

/** The place in which conclaude's hooks are searched for. */
export interface HooksPlace extends ModPlaces {
  readonly locations: Locations;
  /** One more settings file that Claude Code is started with (`claude --settings FILE`), as an absolute path. */
  readonly settings?: string | undefined;
  /** The program that the hooks are meant to start. */
  readonly program: Program;
  /** The executable that this process is; null when it runs from source. */
  readonly executable: string | null;
  /** The variable `PATH`. */
  readonly searchPath: string | undefined;
}

/** Returns the settings files that count here. The first one outranks the others. */
export function lookAtSettings(place: HooksPlace): SettingsLook[] {
  const { locations, projectDir, clientFolder, settings } = place;
  const around = {
    projectDir,
    home: locations.home ?? undefined,
    configDir: clientFolder ?? undefined,
  };
  const named = settings === undefined ? [] : [{ ...around, scope: "user" as const, settings }];
  const places: SettingsPlace[] = [...named, ...settingsPlaces(around)];
  // In the home folder itself the project's file is the user's.
  const files = new Map(places.map((one) => [settingsPath(one), placeFlags(one)]));
  const looks = Array.from(files, ([path, flags]): SettingsLook => {
    const lookAs = (settings: unknown) => lookInto({ path, flags, settings }, place);
    try {
      return lookAs(openFile(readSettings(path).text ?? "", HOOKS).settings);
    } catch (thrown) {
      if (!isUserError(thrown)) throw thrown;
      return { ...lookAs(undefined), unreadable: thrown.why };
    }
  });
  const plugins = pluginSettings(place).map((plugin) =>
    lookInto({ ...plugin, flags: [], isPlugin: true }, place)
  );
  return [...looks, ...plugins];
}

function lookInto(
  file: Pick<SettingsLook, "path" | "flags" | "settings"> & { readonly isPlugin?: true },
  ownership: Ownership,
): SettingsLook {
  return {
    isPlugin: false,
    ...file,
    unreadable: null,
    fatal: fatalIn(file),
    entries: entriesIn(file.settings, ownership),
    wrapped: findWrapped(file.settings, ownership),
  };
}

/**
 * Adds up how often hooks ran in each lane and how long, in milliseconds, as the hooks are installed now. Where no
 * settings file holds hooks, the usual ones are assumed.
 */
export function timesByLane(
  times: readonly HookTime[],
  { looks, program }: { readonly looks: readonly SettingsLook[]; readonly program: Program },
) {
  const installed = looks.flatMap(({ entries }) => entries);
  const entries = installed.length > 0 ? installed : planHooks(program, DEFAULT_EVENTS);
  const isWaitedFor = ({ hookName, toolName }: HookTime) =>
    entries.some(({ event, role, matcher, async }) =>
      event === hookName && role === "event" && !async &&
      letsThrough(event, matcher, toolName ?? "")
    );
  const [waited, beside] = [{ runs: 0, ms: 0 }, { runs: 0, ms: 0 }];
  for (const one of times) {
    const lane = isWaitedFor(one) ? waited : beside;
    lane.runs += one.runs;
    lane.ms += one.ms;
  }
  return { waited, beside };
}

type Installed = Pick<SettingsLook, "flags" | "entries" | "isPlugin">;

/** Tells whether a shell looks the program up on the `PATH` at each start. */
export function isSearched({ executable, script }: HookProgram): boolean {
  return script === null && isBareName(executable);
}

/** Returns `--strict` when hooks that cannot run block the action. */
export function strictFlag({ entries }: Pick<Installed, "entries">): string[] {
  return entries.some(({ onFailure }) => onFailure === "block") ? ["--strict"] : [];
}

/** Returns the command that installs this program into the same file; strict stays strict. */
export function replaceLine(look: Installed): string {
  if (look.isPlugin) return UPDATE_PLUGIN;
  return commandLine("install-hooks", [...look.flags, ...strictFlag(look)]);
}

/** Returns the command that takes the hooks out. */
export function removeLine({ isPlugin, flags }: Installed): string {
  return isPlugin ? REMOVE_PLUGIN : commandLine("uninstall-hooks", flags);
}

/** Returns the command that installs the hooks again; a program that the hooks find on the `PATH` stays the same. */
export function installLine(look: Installed): string {
  if (look.isPlugin) return UPDATE_PLUGIN;
  const searched = look.entries.map(({ command }) => readHookCommand(command)).find(isSearched);
  const command = searched === undefined ? [] : ["--command", searched.executable];
  return commandLine("install-hooks", [...look.flags, ...command, ...strictFlag(look)]);
}
