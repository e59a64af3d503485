import { settingsPath, type SettingsPlace } from "./file.ts";
import { commandLine, type Program } from "./hooks.ts";

/**
 * What to know before a path of this machine goes into the settings that everybody who works in a project gets.
 *
 * @returns An empty list for any other file, and for a program that each one's `PATH` finds.
 */
export function sharedPathWarnings(
  place: SettingsPlace & { readonly program: Program },
): string[] {
  if (place.program.kind === "name" || !isShared(place)) return [];
  const out = commandLine("uninstall-hooks", ["--scope", "project"]);
  const local = commandLine("install-hooks", ["--scope", "local"]);
  const named = commandLine("install-hooks", ["--scope", "project", "--command", "conclaude"]);
  return [
    "everybody who works in this project gets this file, and its hooks name a path of this machine. " +
    `For yourself alone: \`${out} && ${local}\`. ` +
    `For everybody who has conclaude on the PATH: \`${named}\`. ` +
    "One of them is enough: two record each event twice",
  ];
}

/** The project's own file, however it was named; in the home folder itself it is the user's. */
function isShared(place: SettingsPlace): boolean {
  const { settings: _, ...unnamed } = place;
  const path = settingsPath(place);
  if (path !== settingsPath({ ...unnamed, scope: "project" })) return false;
  const isFindable = Boolean(place.configDir || place.home);
  return !isFindable || path !== settingsPath({ ...unnamed, scope: "user" });
}
