/** What the flags of `install-hooks` and `uninstall-hooks` mean. */
import { UserError } from "../base/errors.ts";
import { lookAtSettings } from "../upkeep/doctor/settings_look.ts";
import { baseName, parentOf, resolvePath } from "../base/paths.ts";
import { findOnPath, isBareName, whyNotRun } from "../system/process/executable.ts";
import {
  placeFlags,
  type SettingsPlace,
  type SettingsScope,
} from "../claude/settings/settings_file.ts";
import {
  commandLine,
  type HookEvent,
  planHooks,
  type Program,
  quoteWord,
} from "../claude/settings/hooks.ts";
import type { CliContext } from "./context.ts";
import { hooksPlace } from "./own_program.ts";
import { USAGE } from "./usage.ts";
import { findRepository, lookUpwards } from "../system/git/repository.ts";
import {
  registerServer,
  type ServerReport,
  serversPlace,
  unregisterServer,
} from "../claude/settings/mcp_servers.ts";
import { OS } from "../system/environment.ts";
import { realPathSync } from "../system/files.ts";

export type HooksFlags = {
  readonly scope?: SettingsScope;
  readonly settings?: string;
  readonly command?: string;
  readonly dryRun: boolean;
};

/**
 * The settings file that flags name, seen from Claude Code's project.
 * @throws {UserError} When two flags name one each.
 */
export function settingsPlace(
  { cwd, locations, environment }: CliContext,
  { scope, settings }: HooksFlags,
  verb: string,
): SettingsPlace {
  if (scope !== undefined && settings !== undefined) {
    throw new UserError("Cannot use --scope and --settings together", {
      why: "each of them names a settings file; nothing was changed",
      next: commandLine(verb, ["--settings", settings]),
      exitCode: USAGE,
    });
  }
  return {
    scope: scope ?? "user",
    settings,
    projectDir: environment.variable("CLAUDE_PROJECT_DIR") ?? cwd,
    cwd,
    home: locations.home ?? undefined,
    configDir: environment.variable("CLAUDE_CONFIG_DIR"),
  };
}

/** A program that `--command` can name. */
export type NamedProgram = Exclude<Program, { readonly kind: "line" }>;

/** What `--command` means: a name without a folder is looked up on the `PATH` when a hook runs, anything else is a path. */
export function namedProgram(command: string, { cwd, locations }: CliContext): NamedProgram {
  if (isBareName(command)) return { kind: "name", name: command };
  const home = locations.home ?? undefined;
  return { kind: "path", path: resolvePath(command, { folder: cwd, home }) };
}

/** `--command` as flags that mean the same in any folder; none when it was not given. */
export function commandFlags(program: NamedProgram | undefined): string[] {
  if (program === undefined) return [];
  return ["--command", program.kind === "name" ? program.name : program.path];
}

/** @throws {UserError} When hooks could not start it. */
export function requireStartable(program: NamedProgram, context: CliContext): void {
  const found = program.kind === "name"
    ? searchProblem(program.name, context)
    : fileProblem(program.path);
  if (found === null) return;
  const name = program.kind === "name" ? program.name : program.path;
  throw new UserError(`Cannot let hooks start "${name}"`, { ...found, exitCode: USAGE });
}

type Problem = { readonly why: string; readonly next: string };

const GIVE_PATH = "give --command the path of the conclaude executable; nothing was changed";

function searchProblem(name: string, { cwd, environment }: CliContext): Problem | null {
  if (findOnPath(name, environment.variable("PATH")).length > 0) return null;
  const isHere = whyNotRun(resolvePath(name, { folder: cwd })) === null;
  return {
    why: "no folder of the PATH has an executable of this name",
    next: isHere
      ? `for the file in this folder give \`--command ${quoteWord(`./${name}`)}\``
      : GIVE_PATH,
  };
}

function fileProblem(path: string): Problem | null {
  const why = whyNotRun(path);
  if (why === null) return null;
  return { why, next: why.endsWith("executable") ? `chmod +x ${quoteWord(path)}` : GIVE_PATH };
}

/**
 * A sentence for each other settings file whose hooks record the same events. Claude Code runs equal commands once
 * over all files, but different ones each.
 */
export function doubledHooks(
  context: CliContext,
  installed: {
    readonly path: string;
    readonly settings: string | undefined;
    readonly program: Program;
    readonly events: readonly HookEvent[];
  },
): string[] {
  const commands = new Map(
    planHooks(installed.program, installed.events)
      .filter(({ role }) => role === "event")
      .map(({ event, command }) => [event, command]),
  );
  return lookAtSettings(hooksPlace(context, installed.settings)).flatMap((look) => {
    const { path, flags, entries, wrapped } = look;
    const others = path === installed.path ? wrapped : [...entries, ...wrapped];
    // Drains do not count: they record nothing, and a second one finds nothing to do.
    const twice = others.filter(({ event, role, command }) =>
      role === "event" && commands.has(event) && commands.get(event) !== command
    );
    if (twice.length === 0) return [];
    const next = path === installed.path || entries.length === 0
      ? `take \`${twice[0]!.command}\` out of it`
      : `\`${commandLine("uninstall-hooks", flags)}\` takes them out`;
    return [
      `${path} has ${
        path === installed.path ? "other" : "more"
      } hooks of conclaude, so that each of these events is ` +
      `recorded twice, and one is enough: ${twice.map(({ event }) => event).join(", ")}; ${next}`,
    ];
  });
}

/** What is to be done about the server. */
interface ServerRequest {
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
  const slashed = OS === "windows" ? key.replaceAll("\\", "/") : key;
  return slashed.normalize("NFC");
}

function realPath(folder: string): string {
  try {
    return realPathSync(folder);
  } catch {
    return folder;
  }
}
