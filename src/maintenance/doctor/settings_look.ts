/** What the settings files of Claude Code that count in a folder say of hooks. */
import { isUserError } from "../../errors.ts";
import { readOwnEntries } from "../../settings/edit.ts";
import {
  placeFlags,
  readSettings,
  settingsPath,
  type SettingsPlace,
} from "../../settings/settings_file.ts";
import { checkHooks } from "../../settings/handler_schema.ts";
import { commandLine, type HookEntry, quoteWord } from "../../settings/hooks.ts";
import { findWrapped, ownershipHere, type WrappedHook } from "../../settings/own_handler.ts";
import { fail, type Finding, warn } from "../check.ts";
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
  /** Hooks of ours within commands that do more. */
  readonly wrapped: readonly WrappedHook[];
  /** What the file says of `disableAllHooks`, if anything. */
  readonly disablesAll: boolean | undefined;
  readonly faults: readonly Finding[];
}

/** The settings file that has the last word first. */
const SCOPES = ["local", "project", "user"] as const;

/** What a search for our hooks needs to know. */
export type HooksPlace = Pick<
  DoctorPlace,
  | "environment"
  | "locations"
  | "projectDir"
  | "claudeFolder"
  | "program"
  | "executable"
  | "searchPath"
  | "settings"
>;

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
