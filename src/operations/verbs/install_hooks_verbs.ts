import { acceptFiles } from "../config_target.ts";
import { placeFlags, type SettingsPlace } from "../../claude/settings/settings_place.ts";
import {
  chooseEvents,
  commandLine,
  type HookEntry,
  planHooks,
  type Program,
  quoteWord,
} from "../../claude/settings/hooks.ts";
import { rowsOf } from "../../claude/settings/lanes.ts";
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
import { type Facts, type Lines, titledFacts } from "../table.ts";
import { toolsOfAllRules } from "../look_as_hook.ts";
import { verb } from "../verb.ts";
import {
  lookAtSettings,
  removeLine,
  type SettingsLook,
} from "../../claude/settings/installed_hooks.ts";
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
    const { dryRun, strict } = flags;
    const place = settingsPlace(context, flags, "install-hooks");
    const events = chooseEvents((flags.events ?? []).map((name) => name.trim()));
    const own = ownProgram(context.environment);
    const named = namedProgram(flags.command, context);
    if (named !== undefined) requireStartable(named, context);
    const program = named ?? own.program;
    const fromSource = named === undefined && own.executable === null;
    const otherFlags = [
      ...commandFlags(named),
      ...strict ? ["--strict"] : [],
      ...flags.events === undefined ? [] : ["--events", events.join(",")],
    ];
    const request = { place, program, otherFlags };
    // A dry run first makes a refusal come before any change.
    if (flags.mcp) register({ ...request, dryRun: true });
    const exec = await startsWithoutShell(place, context);
    const options = {
      ...place,
      program,
      exec,
      events,
      strict,
      dryRun,
      executable: own.executable,
      tools: await toolsOfAllRules(context),
      otherFlags: flags.mcp ? ["--mcp", ...otherFlags] : otherFlags,
    };
    if (!dryRun) {
      // Hooks may enforce a rule, so removing or changing some needs a person. Anybody may add hooks.
      const { removed, updated, loosened } = install({ ...options, dryRun: true });
      if (removed.length + updated.length + loosened.length > 0) {
        await (await import("../require_person.ts")).requirePerson(context, "install-hooks");
      }
    }
    const report = install(options);
    const { settings, changed } = report;
    if (!dryRun) await acceptFiles(context, [settings]);
    const server = flags.mcp ? register({ ...request, dryRun }) : null;
    const looks = lookAtSettings(hooksPlace(context, flags.settings));
    const warnings = [
      ...report.warnings,
      ...doubledHooks(looks, settings, planHooks(program, events)),
    ];
    const strictEvents = report.blocking.join(", ");
    const loose = report.loosened.join(", ");
    const drains = events.filter((event) => rowsOf(event).some(({ role }) => role === "drain"))
      .join(" and ");
    const again = commandLine("install-hooks", [...placeFlags(place), "--strict"]);
    const first = changed
      ? `${dryRun ? "Would install" : "Installed"} hooks in ${settings}`
      : `The hooks in ${settings} are up to date`;
    const lines = changeLines(first, report, server, [
      ["program", report.command.replace(/ hook$/, "")],
      ["form", exec && "started without a shell, as the Claude Code on the PATH can"],
      ["events", report.events.join(", ")],
      [
        "drain",
        drains && `beside ${drains}: works what happened into memory, and nobody waits for it`,
      ],
      ["strict", strictEvents && `${strictEvents}: what a hook cannot judge does not happen`],
      [
        "strict",
        loose && `no longer: ${loose} go on when the hook cannot run; \`${again}\` changes that`,
      ],
      ["backup", report.backup],
      ["mods", place.scope === "managed" && OTHER_MODS],
      [
        "note",
        fromSource &&
        `it runs from source; the hooks need ${own.path} and this Deno where they are`,
      ],
      ...warnings.map((warning) => ["warning", warning] as const),
    ]);
    const needs = changed ? "the hooks to take effect" : "the MCP server to be started";
    const restart = !dryRun && (changed || server?.changed) &&
      `Restart Claude Code, or start a new session, for ${needs}.`;
    return { json: { ...report, warnings, fromSource, mcp: server }, text: [lines, restart] };
  },
});

/** Hooks run before any mod. A person who wants no mods has a setting for that. */
const OTHER_MODS = "with `allowManagedModsOnly: true` in the policy, Claude Code loads no others";

export const uninstallHooks = verb({
  person: "uninstall-hooks",
  flags: PLACE_FLAGS,
  run(context, flags) {
    const { dryRun } = flags;
    const place = settingsPlace(context, flags, "uninstall-hooks");
    const own = ownProgram(context.environment);
    // Even if the program is gone, its hooks must be removable.
    const named = namedProgram(flags.command, context);
    const otherFlags = commandFlags(named);
    const request = { place, otherFlags };
    // A dry run first makes a refusal come before any change.
    unregister({ ...request, dryRun: true });
    const program = named ?? own.program;
    const { executable } = own;
    const report = uninstall({ ...place, program, executable, dryRun, otherFlags });
    const server = unregister({ ...request, dryRun });
    const plugin = lookAtSettings(hooksPlace(context)).find(({ isPlugin }) => isPlugin);
    const { settings, backup, restored, deleted } = report;
    const none = report.missing
      ? `There is no ${settings}`
      : `There are no hooks of conclaude in ${settings}`;
    const { dataFolder, database } = context.locations;
    const kept = [dataFolder, ...database.startsWith(`${dataFolder}/`) ? [] : [database]];
    const file = deleted ? "removed, as it was made for them" : "as it was before them";
    const first = report.changed
      ? `${dryRun ? "Would remove" : "Removed"} hooks from ${settings}`
      : none;
    const text = changeLines(first, report, server, [
      ["events", report.removed.join(", ")],
      ["file", restored && !dryRun && file],
      ["backup", backup && `${backup} (kept: the file has changed since)`],
      ["plugin", plugin && `stays: \`${removeLine(plugin)}\` takes it out`],
      [
        "records",
        `stay in ${kept.join(" and ")}: \`rm -r ${kept.map(quoteWord).join(" ")}\` deletes them`,
      ],
    ]);
    return { json: { ...report, mcp: server }, text };
  },
});

/** Tells what a verb has done to the settings and to the MCP server, or what it would do. */
function changeLines(
  first: string,
  { dryRun, diff }: { readonly dryRun: boolean; readonly diff: readonly string[] },
  server: ServerReport | null,
  facts: Facts,
): Lines[] {
  const shown = facts.filter(([, value]) => value !== "");
  const changes = ["", ...diff, ...server?.diff ?? [], "", "Nothing was changed."];
  return [first, titledFacts(shown, 9), serverLine(server), dryRun && changes];
}

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
  const isShared = scope === "managed" || scope === "project";
  if (claude === undefined || settings !== undefined || isShared) return false;
  const answer = await runTool([claude, "--version"], { folder, environment, timeoutMs: 10_000 });
  const version = /^\d+\.\d+\.\d+/.exec(answer?.stdout ?? "")?.[0] ?? "";
  return version.localeCompare(WITHOUT_SHELL_SINCE, "en", { numeric: true }) >= 0;
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

type NamedProgram = Exclude<Program, { readonly kind: "line" }>;

/** Reads `--command`: a bare name is searched on the `PATH` when a hook runs, anything else is a path. */
function namedProgram(command: string | undefined, context: CliContext): NamedProgram | undefined {
  if (command === undefined) return undefined;
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

/** Words a sentence for each settings file that records the events of `planned` with other commands as well. */
function doubledHooks(
  looks: readonly SettingsLook[],
  installed: string,
  planned: readonly HookEntry[],
): string[] {
  // Drains do not count: they record no events, and a second one finds nothing to do.
  const commands = new Map(
    planned.flatMap(({ event, role, command }) => role === "event" ? [[event, command]] : []),
  );
  return looks.flatMap((look) => {
    const { path, entries, wrapped, isPlugin } = look;
    const isSame = path === installed;
    const twice = [...isSame ? [] : entries, ...wrapped].filter(({ event, role, command }) =>
      role === "event" && commands.has(event) && (isPlugin || commands.get(event) !== command)
    );
    if (twice.length === 0) return [];
    const out = removeLine(look);
    if (isPlugin) {
      return `The plugin of conclaude is there, too (${path}): each hook runs twice; keep one: \`${out}\``;
    }
    const next = isSame || entries.length === 0
      ? `take \`${twice[0]!.command}\` out of it`
      : `\`${out}\` takes them out`;
    return `${path} has ${isSame ? "other" : "more"} hooks of conclaude, so that each of these ` +
      `events is recorded twice: ${twice.map(({ event }) => event).join(", ")}; ${next}`;
  });
}

interface ServerRequest {
  readonly place: SettingsPlace;
  readonly dryRun: boolean;
  /** The other flags of the command, which a refusal repeats. */
  readonly otherFlags: readonly string[];
}

/** Registers the MCP server. @throws {UserError} Also if a settings file is named, since it cannot hold servers. */
function register(
  { place, otherFlags, ...rest }: ServerRequest & { readonly program: Program },
): ServerReport {
  if (!mayHoldServers(place)) {
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
  const flags = [...placeFlags(place), ...otherFlags];
  return mayHoldServers(place)
    ? unregisterServer({ place: serversPlace(place), dryRun, flags })
    : null;
}

function mayHoldServers({ settings, scope }: SettingsPlace): boolean {
  return settings === undefined && scope !== "managed";
}

function serverLine(server: ServerReport | null): string | null {
  if (server === null || server.done === "absent") return null;
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
  return `  mcp:     ${texts[done]}`;
}
