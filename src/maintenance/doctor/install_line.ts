/** The command that mends the hooks of a settings file. */
import { isBareName } from "../../process/executable.ts";
import { type HookProgram, readHookCommand } from "../../settings/hook_program.ts";
import { commandLine, type HookEntry } from "../../settings/hooks.ts";

/** True when each start looks the program up on the `PATH`. */
export function isSearched({ executable, script }: HookProgram): boolean {
  return script === null && isBareName(executable);
}

/** `--strict` where hooks that cannot run block. */
export function strictFlag(entries: readonly HookEntry[]): string[] {
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
