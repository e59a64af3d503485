/** What the settings files of Claude Code that count in a folder say of hooks, and the commands that mend them. */
import { isUserError } from "../../base/errors.ts";
import { isBareName } from "../../system/process/executable.ts";
import { findWrapped, ownershipHere, type WrappedHook } from "../../claude/settings/own_handler.ts";
import { readOwnEntries } from "../../claude/settings/edit.ts";
import { checkHooks } from "../../claude/settings/handler_schema.ts";
import { type HookProgram, readHookCommand } from "../../claude/settings/hook_program.ts";
import { commandLine, type HookEntry, quoteWord } from "../../claude/settings/hooks.ts";
import {
  placeFlags,
  readSettings,
  settingsPath,
  type SettingsPlace,
} from "../../claude/settings/settings_file.ts";
import { fail, type Finding, warn } from "../care/check.ts";
import type { DoctorPlace } from "./place.ts";

/** A settings file as far as hooks go. */
export interface SettingsLook {
  readonly path: string;
  /** The parsed file; `undefined` when it is missing or cannot be read. */
  readonly settings: unknown;
  /** The flags with which `install-hooks` writes to it: `["--scope", "local"]`. */
  readonly flags: readonly string[];
  readonly isReadable: boolean;
  readonly entries: readonly HookEntry[];
  /** Commands that start conclaude and do more. */
  readonly wrapped: readonly WrappedHook[];
  /** The value of `disableAllHooks`, if the file has one. */
  readonly disablesAll: boolean | undefined;
  readonly faults: readonly Finding[];
}

/** What a search for conclaude's hooks needs to know. */
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

/** The settings files that count here; the one that Claude Code obeys first comes first. */
export function lookAtSettings(place: HooksPlace): SettingsLook[] {
  const { locations, projectDir, claudeFolder, settings } = place;
  const around = { projectDir, home: locations.home ?? undefined, configDir: claudeFolder };
  const hasUser = around.home !== undefined || claudeFolder !== undefined;
  const places: SettingsPlace[] = [
    ...settings === undefined ? [] : [{ ...around, scope: "user" as const, settings }],
    { ...around, scope: "local" },
    { ...around, scope: "project" },
    ...hasUser ? [{ ...around, scope: "user" as const }] : [],
  ];
  const files = places.map((one) => ({ path: settingsPath(one), flags: placeFlags(one) }));
  // In the home folder itself the project's file is the user's.
  return files
    .filter(({ path }, index) => files.findLastIndex((other) => other.path === path) === index)
    .map((file) => lookInto(file, place));
}

function lookInto(file: Pick<SettingsLook, "path" | "flags">, place: HooksPlace): SettingsLook {
  const { path } = file;
  const nothing: SettingsLook = {
    ...file,
    settings: undefined,
    isReadable: true,
    entries: [],
    wrapped: [],
    disablesAll: undefined,
    faults: [],
  };
  const ownership = ownershipHere(place);
  try {
    const { text } = readSettings(path);
    if (text === undefined || text.trim() === "") return nothing;
    const attempt = { command: "install-hooks", path } as const;
    const entries = readOwnEntries(text, { ...ownership, attempt });
    const settings: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    const { disableAllHooks } = settings as { readonly disableAllHooks?: unknown };
    return {
      ...nothing,
      settings,
      entries,
      wrapped: findWrapped(settings, ownership),
      disablesAll: typeof disableAllHooks === "boolean" ? disableAllHooks : undefined,
      faults: discardingFaults(settings, path, entries.length > 0),
    };
  } catch (thrown) {
    if (!isUserError(thrown)) throw thrown;
    const again = place.settings === undefined ? [] : ["--settings", place.settings];
    const fault = fail(
      `${path}: ${thrown.why}; Claude Code may ignore the file, and every hook in it`,
      `correct ${quoteWord(path)}, then run \`${commandLine("doctor", again)}\` again`,
    );
    return { ...nothing, isReadable: false, faults: [fault] };
  }
}

/** Claude Code discards a whole file for one invalid handler, whoever wrote it. */
function discardingFaults(settings: unknown, path: string, holdsOurs: boolean): Finding[] {
  const fatal = checkHooks(settings).find(({ discardsFile }) => discardsFile);
  if (fatal === undefined) return [];
  const message =
    `${path}: \`${fatal.path}\` ${fatal.problem}, so Claude Code discards the whole file`;
  const next = `correct or remove \`${fatal.path}\` in ${quoteWord(path)}`;
  return [holdsOurs ? fail(`${message}, conclaude's hooks too`, next) : warn(message, next)];
}

type Installed = Pick<SettingsLook, "flags" | "entries">;

/** Whether a shell looks the program up on the `PATH` at each start. */
export function isSearched({ executable, script }: HookProgram): boolean {
  return script === null && isBareName(executable);
}

/** `--strict` where hooks that cannot run block. */
export function strictFlag({ entries }: Installed): string[] {
  return entries.some(({ onFailure }) => onFailure === "block") ? ["--strict"] : [];
}

/** The command that installs this program into the same file; strict stays strict. */
export function replaceLine(look: Installed): string {
  return commandLine("install-hooks", [...look.flags, ...strictFlag(look)]);
}

/** The same for the program that the hooks start now, where they look it up on the `PATH`. */
export function installLine(look: Installed): string {
  const searched = look.entries.map(({ command }) => readHookCommand(command)).find(isSearched);
  return commandLine("install-hooks", [
    ...look.flags,
    ...(searched === undefined ? [] : ["--command", searched.executable]),
    ...strictFlag(look),
  ]);
}
