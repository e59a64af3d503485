/** Finds where Claude Code's settings lie. It reads nothing, so that a hook loads little for it. */
import { UserError } from "../../base/errors.ts";
import { joinPath, resolvePath } from "../../base/paths.ts";
import { OS } from "../../system/environment.ts";

/** The user's own file, the project's shared one, the project's private one, or the policy of the machine. */
export type SettingsScope = "user" | "project" | "local" | "managed";

/** Our part of the machine's policy, by operating system. Claude Code asks these hooks before any mod. */
const MANAGED: Readonly<Partial<Record<typeof OS, string>>> = {
  darwin: "/Library/Application Support/ClaudeCode/managed-settings.d/50-conclaude.json",
  windows: "C:/Program Files/ClaudeCode/managed-settings.d/50-conclaude.json",
};

const MANAGED_ELSEWHERE = "/etc/claude-code/managed-settings.d/50-conclaude.json";

export interface SettingsPlace {
  readonly scope: SettingsScope;
  /** A file that a person has named; `scope` then does not count. A relative path starts at `cwd`. */
  readonly settings?: string | undefined;
  readonly projectDir: string;
  /** The working directory; the project directory when it is not given. */
  readonly cwd?: string | undefined;
  readonly home: string | undefined;
  /** `CLAUDE_CONFIG_DIR`, which replaces `~/.claude`. */
  readonly configDir?: string | undefined;
}

/** Returns the path of a settings file. @throws UserError For user settings without a home or configuration folder. */
export function settingsPath(place: SettingsPlace): string {
  const { scope, projectDir, home, configDir } = place;
  const cwd = place.cwd ?? projectDir;
  if (place.settings) return resolvePath(place.settings, { folder: cwd, home });
  if (scope === "managed") return MANAGED[OS] ?? MANAGED_ELSEWHERE;
  if (scope === "project") return joinPath(joinPath(projectDir, ".claude"), "settings.json");
  if (scope === "local") return joinPath(joinPath(projectDir, ".claude"), "settings.local.json");
  const folder = configDir || (home && joinPath(home, ".claude"));
  if (!folder) {
    throw new UserError("Cannot find the user's settings file", {
      why: "neither CLAUDE_CONFIG_DIR nor HOME is set",
      next: "Use `--settings FILE` to name the file",
    });
  }
  return joinPath(resolvePath(folder, { folder: cwd, home }), "settings.json");
}

/** Tells whether a file is our part of the machine's policy. */
export function isManagedFile(path: string): boolean {
  return path === (MANAGED[OS] ?? MANAGED_ELSEWHERE);
}

type Around = Pick<SettingsPlace, "projectDir" | "home" | "configDir">;

/** Returns the places of Claude Code's settings for a project. The first one outranks the others. */
export function settingsPlaces(around: Around): SettingsPlace[] {
  const isUserKnown = Boolean(around.home || around.configDir);
  const scopes = ["managed", "local", "project", ...isUserKnown ? ["user"] as const : []] as const;
  return scopes.map((scope) => ({ ...around, scope }));
}

/** Returns the paths of a project's settings files, each once. */
export function settingsPaths(around: Around): string[] {
  return [...new Set(settingsPlaces(around).map(settingsPath))];
}

/** Returns the flags with which a command finds the same file again; none for the user's own settings. */
export function placeFlags(place: SettingsPlace): string[] {
  if (place.settings) return ["--settings", settingsPath(place)];
  if (place.scope === "managed") return ["--managed"];
  return place.scope === "user" ? [] : ["--scope", place.scope];
}
