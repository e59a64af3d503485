/** What the flags of `install-hooks` and `uninstall-hooks` mean. */
import { quietly } from "../base/errors.ts";
import { lookAtSettings } from "../claude/settings/installed_hooks.ts";
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
import { usageError } from "./usage.ts";
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

/** The settings file that flags name. @throws {UserError} When two flags name one each. */
export function settingsPlace(
  { cwd, locations, environment }: CliContext,
  { scope, settings }: HooksFlags,
  verb: string,
): SettingsPlace {
  if (scope !== undefined && settings !== undefined) {
    throw usageError("Cannot use --scope and --settings together", {
      why: "each of them names a settings file; nothing was changed",
      next: commandLine(verb, ["--settings", settings]),
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
export function requireStartable(
  program: NamedProgram,
  { cwd, environment }: CliContext,
): void {
  const givePath = "give --command the path of the conclaude executable; nothing was changed";
  const refuse = (name: string, why: string, next: string) =>
    usageError(`Cannot let hooks start "${name}"`, { why, next });
  if (program.kind === "path") {
    const { path } = program;
    const why = whyNotRun(path);
    if (why === null) return;
    throw refuse(path, why, why.endsWith("executable") ? `chmod +x ${quoteWord(path)}` : givePath);
  }
  const { name } = program;
  if (findOnPath(name, environment.variable("PATH")).length > 0) return;
  const isHere = whyNotRun(resolvePath(name, { folder: cwd })) === null;
  const why = "no folder of the PATH has an executable of this name";
  const here = `for the file in this folder give \`--command ${quoteWord(`./${name}`)}\``;
  throw refuse(name, why, isHere ? here : givePath);
}

/** A sentence for each other settings file with different commands for the same events. */
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
    const isSame = path === installed.path;
    const next = isSame || entries.length === 0
      ? `take \`${twice[0]!.command}\` out of it`
      : `\`${commandLine("uninstall-hooks", flags)}\` takes them out`;
    return [
      `${path} has ${isSame ? "other" : "more"} hooks of conclaude, so that each of these ` +
      `events is recorded twice: ${twice.map(({ event }) => event).join(", ")}; ${next}`,
    ];
  });
}

interface ServerRequest {
  readonly place: SettingsPlace;
  readonly dryRun: boolean;
  /** What the command was told beside the place, to be repeated in a refusal. */
  readonly otherFlags: readonly string[];
}

/** Registers the MCP server. @throws {UserError} Also when a settings file was named: it holds no servers. */
export function register(request: ServerRequest & { readonly program: Program }): ServerReport {
  const { place, otherFlags, ...rest } = request;
  if (place.settings !== undefined) {
    throw usageError("Cannot use --mcp and --settings together", {
      why: "MCP servers are kept in files of their own, which a scope names; nothing was changed",
      next: commandLine("install-hooks", ["--mcp", "--scope", "local"]),
    });
  }
  const flags = [...placeFlags(place), "--mcp", ...otherFlags];
  return registerServer({ ...rest, place: placeOf(place), flags });
}

/** Takes the MCP server out; null where a settings file was named, which holds no servers. */
export function unregister({ place, dryRun, otherFlags }: ServerRequest): ServerReport | null {
  if (place.settings !== undefined) return null;
  const flags = [...placeFlags(place), ...otherFlags];
  return unregisterServer({ place: placeOf(place), dryRun, flags });
}

/** One line of a report; none where there is nothing to say. */
export function serverFacts({ done, scope, file, dryRun, deleted }: ServerReport): string[] {
  if (done === "absent") return [];
  const would = dryRun ? "would be " : "";
  const asks = scope === "project" ? "; Claude Code asks each person before it starts it" : "";
  const texts: Readonly<Record<typeof done, string>> = {
    added: `${would}registered in ${file}${asks}`,
    updated: `${would}brought up to date in ${file}${asks}`,
    removed: `${would}taken out of ${file}${deleted ? ", and that removed" : ""}`,
    present: `registered in ${file} already`,
    foreign: `another server has the name conclaude in ${file}, and stays`,
  };
  return [`  mcp:     ${texts[done]}`];
}

function placeOf(place: SettingsPlace): ReturnType<typeof serversPlace> {
  return serversPlace({ ...place, projectKey: projectKey(place.projectDir) });
}

/** How Claude Code 2.1.329 names a project: the top folder of its main checkout, links resolved. */
function projectKey(projectDir: string): string {
  const folder = quietly(() => realPathSync(projectDir)) ?? projectDir;
  const repository = findRepository(lookUpwards(folder));
  const key = repository === undefined
    ? folder
    : baseName(repository.commonDir) === ".git"
    ? parentOf(repository.commonDir)
    : repository.root;
  const slashed = OS === "windows" ? key.replaceAll("\\", "/") : key;
  return slashed.normalize("NFC");
}
