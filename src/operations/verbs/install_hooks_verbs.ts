import { acceptFiles } from "../config_target.ts";
import { placeFlags, type SettingsPlace } from "../../claude/settings/settings_place.ts";
import {
  chooseEvents,
  commandLine,
  planHooks,
  type Program,
  quoteWord,
} from "../../claude/settings/hooks.ts";
import { type HookEvent, rowsOf } from "../../claude/settings/lanes.ts";
import {
  installHooks as install,
  uninstallHooks as uninstall,
} from "../../claude/settings/install_settings.ts";
import {
  registerServer,
  type ServerReport,
  serversPlace,
  unregisterServer,
} from "../../claude/settings/mcp_servers.ts";
import { type CliContext, typedPath } from "../context.ts";
import { oneOfFlag, several, text, textFlag, toggle, type Values } from "../flags.ts";
import { hooksPlace, ownProgram } from "../own_program.ts";
import { titledFacts } from "../table.ts";
import { toolsOfAllRules } from "../look_as_hook.ts";
import { verb } from "../verb.ts";
import { lookAtSettings, removeLine } from "../../claude/settings/installed_hooks.ts";
import { findOnPath, isBareName, whyNotRun } from "../../system/process/executable.ts";
import { runTool } from "../../system/process/run_program.ts";
import { usageError } from "../usage.ts";

const PLACE_FLAGS = {
  scope: oneOfFlag(
    ["user", "project", "local"],
    "user (the default): ~/.claude; project: .claude of this folder; local: the same, not committed",
  ),
  managed: toggle("The policy of this machine, which outranks mods and other settings files"),
  settings: textFlag("A settings file, instead of one of a scope", "file"),
  command: textFlag(
    "The executable that hooks start, or a name to look up on the PATH; this one when not given",
    "path|name",
  ),
  dryRun: toggle("Say what would change, and change nothing"),
} as const;

export const installHooks = verb({
  flags: {
    ...PLACE_FLAGS,
    events: several(text("Only these events: A,B", "events"), ","),
    strict: toggle(
      "Let Claude Code block what a hook cannot judge, because it is gone, crashes or hangs",
    ),
    mcp: toggle("Register the MCP server `conclaude` as well, for the same scope"),
  },
  async run(context, flags) {
    const place = settingsPlace(context, flags, "install-hooks");
    const events = chooseEvents((flags.events ?? []).map((name) => name.trim()));
    const own = ownProgram(context.environment);
    const named = flags.command === undefined ? undefined : namedProgram(flags.command, context);
    if (named !== undefined) requireStartable(named, context);
    const fromSource = named === undefined && own.executable === null;
    const program = named ?? own.program;
    const otherFlags = [
      ...commandFlags(named),
      ...(flags.strict ? ["--strict"] : []),
      ...(flags.events === undefined ? [] : ["--events", events.join(",")]),
    ];
    const request = { place, program, dryRun: flags.dryRun, otherFlags };
    // A dry run first makes a refusal come before any change.
    if (flags.mcp) register({ ...request, dryRun: true });
    const tools = await toolsOfAllRules(context);
    const exec = await startsWithoutShell(place, context);
    const options = {
      ...place,
      program,
      tools,
      exec,
      executable: own.executable,
      events,
      strict: flags.strict,
      dryRun: flags.dryRun,
      otherFlags: flags.mcp ? ["--mcp", ...otherFlags] : otherFlags,
    };
    if (!flags.dryRun) {
      // Hooks may enforce a rule, so removing or changing some needs a person. Anybody may add hooks.
      const { removed, updated, loosened } = install({ ...options, dryRun: true });
      if (removed.length + updated.length + loosened.length > 0) {
        await (await import("../require_person.ts")).requirePerson(context, "install-hooks");
      }
    }
    const report = install(options);
    if (!flags.dryRun) await acceptFiles(context, [report.settings]);
    const server = flags.mcp ? register(request) : null;
    const installed = { path: report.settings, settings: flags.settings, program, events };
    const warnings = [...report.warnings, ...doubledHooks(context, installed)];
    const { settings, changed, dryRun } = report;
    const strict = report.blocking.join(", ") || null;
    const loose = report.loosened.join(", ") || null;
    const source = fromSource
      ? `it runs from source; the hooks need ${own.path} and this Deno where they are`
      : null;
    const again = commandLine("install-hooks", [...placeFlags(place), "--strict"]);
    const needs = changed
      ? "the hooks to take effect"
      : server?.changed
      ? "the MCP server to be started"
      : null;
    const lines = [
      changed
        ? `${dryRun ? "Would install" : "Installed"} hooks in ${settings}`
        : `The hooks in ${settings} are up to date`,
      ...titledFacts([
        ["program", report.command.replace(/ hook$/, "")],
        ["form", exec ? "started without a shell, as the Claude Code on the PATH can" : null],
        ["events", report.events.join(", ") || null],
        ["drain", drainText(events)],
        ["strict", strict && `${strict}: what a hook cannot judge does not happen`],
        [
          "strict",
          loose && `no longer: ${loose} go on when the hook cannot run; \`${again}\` changes that`,
        ],
        ["backup", report.backup],
        ["mods", place.scope === "managed" ? OTHER_MODS : null],
        ["note", source],
        ...warnings.map((warning) => ["warning", warning] as const),
      ], 9),
      ...serverLines(server),
      ...(dryRun ? dryRunLines(report.diff, server) : []),
      ...dryRun || needs === null
        ? []
        : [`Restart Claude Code, or start a new session, for ${needs}.`],
    ];
    return { json: { ...report, warnings, fromSource, mcp: server }, text: lines };
  },
});

/** Hooks run before any mod. A person who wants no mods has a setting for that. */
const OTHER_MODS = "with `allowManagedModsOnly: true` in the policy, Claude Code loads no others";

export const uninstallHooks = verb({
  person: "uninstall-hooks",
  flags: PLACE_FLAGS,
  run(context, flags) {
    const place = settingsPlace(context, flags, "uninstall-hooks");
    const own = ownProgram(context.environment);
    // Even if the program is gone, its hooks must be removable.
    const named = flags.command === undefined ? undefined : namedProgram(flags.command, context);
    const request = { place, dryRun: flags.dryRun, otherFlags: commandFlags(named) };
    // A dry run first makes a refusal come before any change.
    unregister({ ...request, dryRun: true });
    const report = uninstall({
      ...place,
      program: named ?? own.program,
      executable: own.executable,
      dryRun: flags.dryRun,
      otherFlags: commandFlags(named),
    });
    const server = unregister(request);
    const plugin = lookAtSettings(hooksPlace(context)).find(({ isPlugin }) => isPlugin);
    const { settings, dryRun } = report;
    const none = report.missing
      ? `There is no ${settings}`
      : `There are no hooks of conclaude in ${settings}`;
    const { dataFolder, database } = context.locations;
    const kept = [dataFolder, ...database.startsWith(`${dataFolder}/`) ? [] : [database]];
    const file = report.deleted ? "removed, as it was made for them" : "as it was before them";
    const lines = [
      report.changed ? `${dryRun ? "Would remove" : "Removed"} hooks from ${settings}` : none,
      ...titledFacts([
        ["events", report.removed.join(", ") || null],
        ["file", report.restored && !dryRun ? file : null],
        ["backup", report.backup && `${report.backup} (kept: the file has changed since)`],
        ["plugin", plugin && `stays: \`${removeLine(plugin)}\` takes it out`],
        [
          "records",
          `stay in ${kept.join(" and ")}: \`rm -r ${kept.map(quoteWord).join(" ")}\` deletes them`,
        ],
      ], 9),
      ...serverLines(server),
      ...(dryRun ? dryRunLines(report.diff, server) : []),
    ];
    return { json: { ...report, mcp: server }, text: lines };
  },
});

/** The first known version of Claude Code that starts hooks without a shell. */
const WITHOUT_SHELL_SINCE = "2.1.329";

/**
 * Tells whether the Claude Code on the `PATH` starts hooks without a shell. An older version would drop the arguments,
 * so settings files that other people share keep the form that every version reads.
 */
async function startsWithoutShell(
  { scope, settings }: SettingsPlace,
  { cwd: folder, environment }: CliContext,
): Promise<boolean> {
  const [claude] = findOnPath("claude", environment.variable("PATH"));
  if (
    claude === undefined || settings !== undefined || scope === "managed" || scope === "project"
  ) {
    return false;
  }
  const answer = await runTool([claude, "--version"], { folder, environment, timeoutMs: 10_000 });
  const version = /^\d+\.\d+\.\d+/.exec(answer?.stdout ?? "")?.[0] ?? "";
  return version.localeCompare(WITHOUT_SHELL_SINCE, "en", { numeric: true }) >= 0;
}

/** Names the events with a drain; null if there is none. */
function drainText(events: readonly HookEvent[]): string | null {
  const beside = events.filter((event) => rowsOf(event).some(({ role }) => role === "drain"));
  return beside.length === 0
    ? null
    : `beside ${beside.join(" and ")}: works what happened into memory, and nobody waits for it`;
}

function dryRunLines(diff: readonly string[], server: ServerReport | null): string[] {
  return ["", ...diff, ...server?.diff ?? [], "", "Nothing was changed."];
}

/** Returns the settings file that flags name. @throws {UserError} If two flags name one each. */
function settingsPlace(
  { cwd, locations, environment }: CliContext,
  { scope, settings, managed }: Values<typeof PLACE_FLAGS>,
  verb: string,
): SettingsPlace {
  const named = [
    ...managed ? ["--managed"] : [],
    ...scope === undefined ? [] : ["--scope"],
    ...settings === undefined ? [] : ["--settings"],
  ];
  if (named.length > 1) {
    throw usageError(`Cannot use ${named.join(" and ")} together`, {
      why: "each of them names a settings file; nothing was changed",
      next: commandLine(verb, managed ? ["--managed"] : ["--settings", settings!]),
    });
  }
  return {
    scope: managed ? "managed" : scope ?? "user",
    settings,
    projectDir: environment.variable("CLAUDE_PROJECT_DIR") ?? cwd,
    cwd,
    home: locations.home ?? undefined,
    configDir: environment.variable("CLAUDE_CONFIG_DIR"),
  };
}

/** A program that `--command` can name. */
type NamedProgram = Exclude<Program, { readonly kind: "line" }>;

/** Reads `--command`: a bare name is searched on the `PATH` when a hook runs, anything else is a path. */
function namedProgram(command: string, context: CliContext): NamedProgram {
  if (isBareName(command)) return { kind: "name", name: command };
  return { kind: "path", path: typedPath(context, command) };
}

/** Writes `--command` as flags that mean the same in any folder; none without `--command`. */
function commandFlags(program: NamedProgram | undefined): string[] {
  if (program === undefined) return [];
  return ["--command", program.kind === "name" ? program.name : program.path];
}

/** @throws {UserError} If hooks could not start the program. */
function requireStartable(program: NamedProgram, { environment }: CliContext): void {
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
  throw refuse(name, "no folder of the PATH has an executable of this name", givePath);
}

/** Words a sentence for each other settings file that records the same events with other commands. */
function doubledHooks(
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
    const { path, entries, wrapped, isPlugin } = look;
    const others = path === installed.path ? wrapped : [...entries, ...wrapped];
    // Drains do not count: they record no events, and a second one finds nothing to do.
    const twice = others.filter(({ event, role, command }) =>
      role === "event" && commands.has(event) && (isPlugin || commands.get(event) !== command)
    );
    if (twice.length === 0) return [];
    if (isPlugin) {
      return [
        `The plugin of conclaude is there, too (${path}): each hook runs twice; keep one: \`${
          removeLine(look)
        }\``,
      ];
    }
    const isSame = path === installed.path;
    const next = isSame || entries.length === 0
      ? `take \`${twice[0]!.command}\` out of it`
      : `\`${removeLine(look)}\` takes them out`;
    return [
      `${path} has ${isSame ? "other" : "more"} hooks of conclaude, so that each of these ` +
      `events is recorded twice: ${twice.map(({ event }) => event).join(", ")}; ${next}`,
    ];
  });
}

interface ServerRequest {
  readonly place: SettingsPlace;
  readonly dryRun: boolean;
  /** The other flags of the command, which a refusal repeats. */
  readonly otherFlags: readonly string[];
}

/** Registers the MCP server. @throws {UserError} Also if a settings file is named, since it cannot hold servers. */
function register(request: ServerRequest & { readonly program: Program }): ServerReport {
  const { place, otherFlags, ...rest } = request;
  if (place.settings !== undefined || place.scope === "managed") {
    const flag = place.scope === "managed" ? "--managed" : "--settings";
    throw usageError(`Cannot use --mcp and ${flag} together`, {
      why: "MCP servers are kept in files of their own, which a scope names; nothing was changed",
      next: commandLine("install-hooks", ["--mcp", "--scope", "local"]),
    });
  }
  const flags = [...placeFlags(place), "--mcp", ...otherFlags];
  return registerServer({ ...rest, place: serversPlace(place), flags });
}

/** Removes the MCP server; returns null if a settings file is named, since it cannot hold servers. */
function unregister({ place, dryRun, otherFlags }: ServerRequest): ServerReport | null {
  if (place.settings !== undefined || place.scope === "managed") return null;
  const flags = [...placeFlags(place), ...otherFlags];
  return unregisterServer({ place: serversPlace(place), dryRun, flags });
}

/** Reports on the MCP server in one line, or in none if nothing was done. */
function serverLines(server: ServerReport | null): string[] {
  if (server === null || server.done === "absent") return [];
  const { done, scope, file, dryRun, deleted } = server;
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
