/** What `install-hooks --mcp` and `uninstall-hooks` do about the MCP server, in words and flags. */
import { UserError } from "../errors.ts";
import { findRepository, lookUpwards } from "../git/repository.ts";
import { baseName, parentOf } from "../paths.ts";
import { placeFlags, type SettingsPlace } from "../settings/settings_file.ts";
import { commandLine, type Program } from "../settings/hooks.ts";
import {
  registerServer,
  type ServerReport,
  serversPlace,
  unregisterServer,
} from "../settings/mcp_servers.ts";
import { USAGE } from "./usage.ts";

/** What is to be done about the server. */
export interface ServerRequest {
  readonly place: SettingsPlace;
  readonly dryRun: boolean;
  /** What the command was told beside the place, to be repeated in a refusal. */
  readonly otherFlags: readonly string[];
}

/**
 * Registers the MCP server of a program.
 * @throws {UserError} As `registerServer()`; also when a settings file was named, since it holds no servers.
 */
export function register(request: ServerRequest & { readonly program: Program }): ServerReport {
  const { place, program, dryRun, otherFlags } = request;
  if (place.settings !== undefined) {
    throw new UserError("Cannot use --mcp and --settings together", {
      why: "MCP servers are kept in files of their own, which a scope names; nothing was changed",
      next: commandLine("install-hooks", ["--mcp", "--scope", "local"]),
      exitCode: USAGE,
    });
  }
  const flags = [...placeFlags(place), "--mcp", ...otherFlags];
  return registerServer({ place: placeOf(place), program, dryRun, flags });
}

/**
 * Takes the MCP server out again; null where a settings file was named, since it holds no servers.
 * @throws {UserError} As `unregisterServer()`.
 */
export function unregister(request: ServerRequest): ServerReport | null {
  const { place, dryRun, otherFlags } = request;
  if (place.settings !== undefined) return null;
  const flags = [...placeFlags(place), ...otherFlags];
  return unregisterServer({ place: placeOf(place), dryRun, flags });
}

/** One line of a report; none where there is nothing to say. */
export function serverFacts({ done, scope, file, dryRun, deleted }: ServerReport): string[] {
  const would = dryRun ? "would be " : "";
  switch (done) {
    case "added":
    case "updated": {
      const what = done === "added" ? "registered" : "brought up to date";
      const asks = scope === "project" ? "; Claude Code asks each person before it starts it" : "";
      return [`  mcp:     ${would}${what} in ${file}${asks}`];
    }
    case "removed":
      return [`  mcp:     ${would}taken out of ${file}${deleted ? ", and that removed" : ""}`];
    case "present":
      return [`  mcp:     registered in ${file} already`];
    case "foreign":
      return [`  mcp:     another server has the name conclaude in ${file}, and stays`];
    case "absent":
      return [];
  }
}

function placeOf(place: SettingsPlace): ReturnType<typeof serversPlace> {
  return serversPlace({ ...place, projectKey: projectKey(place.projectDir) });
}

/**
 * The name of a project in Claude Code 2.1.329: the top folder of the main checkout, for worktrees and subfolders
 * too; outside of a repository the folder itself, links resolved.
 */
function projectKey(projectDir: string): string {
  const folder = realPath(projectDir);
  const repository = findRepository(lookUpwards(folder));
  const key = repository === undefined
    ? folder
    : baseName(repository.commonDir) === ".git"
    ? parentOf(repository.commonDir)
    : repository.root;
  const slashed = Deno.build.os === "windows" ? key.replaceAll("\\", "/") : key;
  return slashed.normalize("NFC");
}

function realPath(folder: string): string {
  try {
    return Deno.realPathSync(folder);
  } catch {
    return folder;
  }
}
