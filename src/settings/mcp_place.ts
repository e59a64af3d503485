/** Where Claude Code looks for MCP servers: which file, and what leads to them in it. */
import { UserError } from "../errors.ts";
import { joinPath, resolvePath } from "../paths.ts";
import type { SettingsPlace, SettingsScope } from "./file.ts";

/** One object of MCP servers by name. */
export interface ServersPlace {
  readonly scope: SettingsScope;
  readonly path: string;
  /** The keys that lead to the object; there need be nothing yet. */
  readonly keys: readonly string[];
  /** True for the file that Claude Code keeps for itself, and changes at any time. */
  readonly isClaudes: boolean;
}

/** A scope, without a file that was named outright: those hold settings, and no servers. */
export interface ServersScope extends Omit<SettingsPlace, "settings"> {
  /** The name by which Claude Code remembers the project, for the local scope. */
  readonly projectKey: string;
}

const SERVERS = "mcpServers";

/**
 * The user's own servers and those of one user in one project are in the file that Claude Code keeps for itself; those of
 * everybody who works in a project are in its `.mcp.json`. Seen in 2.1.329.
 *
 * @throws UserError When the user's file is asked for and there is neither a home nor a configuration folder.
 */
export function serversPlace(place: ServersScope): ServersPlace {
  const { scope, projectDir, projectKey, home, configDir } = place;
  if (scope === "project") {
    return { scope, path: joinPath(projectDir, ".mcp.json"), keys: [SERVERS], isClaudes: false };
  }
  const folder = configDir || home;
  if (!folder) {
    throw new UserError("Cannot find the file in which Claude Code keeps MCP servers", {
      why: "neither CLAUDE_CONFIG_DIR nor HOME is set; nothing was changed",
      next: "set HOME, or leave out `--mcp`",
    });
  }
  const cwd = place.cwd ?? projectDir;
  const path = joinPath(resolvePath(folder, { folder: cwd, home }), ".claude.json");
  const keys = scope === "local" ? ["projects", projectKey, SERVERS] : [SERVERS];
  return { scope, path, keys, isClaudes: true };
}
