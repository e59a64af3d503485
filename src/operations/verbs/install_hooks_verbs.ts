import { plain } from "../../base/plain.ts";
import { placeFlags } from "../../claude/settings/settings_file.ts";
import { chooseEvents, commandLine } from "../../claude/settings/hooks.ts";
import {
  installHooks as install,
  type InstallOptions,
  uninstallHooks as uninstall,
} from "../../claude/settings/install_settings.ts";
import type { ServerReport } from "../../claude/settings/mcp_servers.ts";
import type { CliContext } from "../context.ts";
import {
  commandFlags,
  doubledHooks,
  namedProgram,
  register,
  requireStartable,
  serverFacts,
  settingsPlace,
  unregister,
} from "../hooks_flags.ts";
import { oneOf, optional, several, text, textFlag, toggle } from "../flags.ts";
import { ownProgram } from "../own_program.ts";
import { titledFacts } from "../table.ts";
import { verb } from "../verb.ts";

const PLACE_FLAGS = {
  scope: optional(
    oneOf(
      ["user", "project", "local"],
      "user (the default): ~/.claude; project: .claude of this folder; local: the same, not committed",
    ),
  ),
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
  about:
    "Adds hooks to a settings file of Claude Code, or updates them, and backs the file up before the first change. " +
    "Everything else in the file stays, to the byte. Installing again without --strict takes --strict back.",
  examples: [
    "conclaude install-hooks",
    "conclaude install-hooks --scope local --dry-run",
    "conclaude install-hooks --scope project --command conclaude",
    "conclaude install-hooks --strict",
    "conclaude install-hooks --mcp",
    "conclaude install-hooks --events SessionStart,PostToolUse,Stop",
  ],
  async run(context, flags) {
    const place = settingsPlace(context, flags, "install-hooks");
    const events = chooseEvents((flags.events ?? []).map((name) => name.trim()));
    const own = ownProgram(context.environment);
    const named = flags.command === undefined ? undefined : namedProgram(flags.command, context);
    if (named !== undefined) requireStartable(named, context);
    const fromSource = named === undefined && own.fromSource;
    const program = named ?? own.program;
    const otherFlags = [
      ...commandFlags(named),
      ...(flags.strict ? ["--strict"] : []),
      ...(flags.events === undefined ? [] : ["--events", events.join(",")]),
    ];
    const request = { place, program, dryRun: flags.dryRun, otherFlags };
    // Tried first, so that a refusal comes before any change.
    if (flags.mcp) register({ ...request, dryRun: true });
    const options = {
      ...place,
      program,
      executable: own.executable,
      events,
      strict: flags.strict,
      dryRun: flags.dryRun,
      otherFlags: flags.mcp ? ["--mcp", ...otherFlags] : otherFlags,
    };
    if (!flags.dryRun) await requirePersonToChange(context, options);
    const report = install(options);
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
    const lines = [
      changed
        ? `${dryRun ? "Would install" : "Installed"} hooks in ${settings}`
        : `The hooks in ${settings} are up to date`,
      ...titledFacts([
        ["program", report.command.replace(/ hook$/, "")],
        ["events", report.events.join(", ") || null],
        ["drain", report.drain ? DRAIN : null],
        ["strict", strict && `${strict}: what a hook cannot judge does not happen`],
        [
          "strict",
          loose && `no longer: ${loose} go on when the hook cannot run; \`${again}\` changes that`,
        ],
        ["backup", report.backup],
        ["note", source],
        ...warnings.map((warning) => ["warning", warning] as const),
      ], 9),
      ...serverLines(server),
      ...(dryRun ? shown(report.diff, server) : []),
      ...restartLines({ hooks: changed && !dryRun, server: server?.changed === true && !dryRun }),
    ];
    return {
      json: { ...report, warnings, fromSource, mcp: server },
      text: lines.map(plain).join("\n"),
    };
  },
});

export const uninstallHooks = verb({
  person: "uninstall-hooks",
  flags: PLACE_FLAGS,
  about:
    "Removes conclaude's hooks from a settings file, and its MCP server from the file of the same scope. A settings file " +
    "that nobody has changed since the installation becomes what it was, byte for byte. With --command it also removes " +
    "the hooks of a program that does not show that it is conclaude.",
  examples: ["conclaude uninstall-hooks", "conclaude uninstall-hooks --scope local --dry-run"],
  run(context, flags) {
    const place = settingsPlace(context, flags, "uninstall-hooks");
    const own = ownProgram(context.environment);
    // The program may be gone: its hooks are removed all the same.
    const named = flags.command === undefined ? undefined : namedProgram(flags.command, context);
    const request = { place, dryRun: flags.dryRun, otherFlags: commandFlags(named) };
    // Tried first, so that a refusal comes before any change.
    unregister({ ...request, dryRun: true });
    const report = uninstall({
      ...place,
      program: named ?? own.program,
      executable: own.executable,
      dryRun: flags.dryRun,
      otherFlags: commandFlags(named),
    });
    const server = unregister(request);
    const { settings, dryRun } = report;
    const none = report.missing
      ? `There is no ${settings}`
      : `There are no hooks of conclaude in ${settings}`;
    const file = report.deleted ? "removed, as it was made for them" : "as it was before them";
    const lines = [
      report.changed ? `${dryRun ? "Would remove" : "Removed"} hooks from ${settings}` : none,
      ...titledFacts([
        ["events", report.removed.join(", ") || null],
        ["file", report.restored && !dryRun ? file : null],
        ["backup", report.backup && `${report.backup} (kept: the file has changed since)`],
      ], 9),
      ...serverLines(server),
      ...(dryRun ? shown(report.diff, server) : []),
    ];
    return { json: { ...report, mcp: server }, text: lines.map(plain).join("\n") };
  },
});

const DRAIN = "beside Stop, with nobody waiting: works what happened into memory after each turn";

/** Says for what Claude Code has to start again. */
function restartLines(changed: { readonly hooks: boolean; readonly server: boolean }): string[] {
  if (!changed.hooks && !changed.server) return [];
  const what = changed.hooks ? "the hooks to take effect" : "the MCP server to be started";
  return [`Restart Claude Code, or start a new session, for ${what}.`];
}

/** Requires a person to remove or change hooks, since they may enforce a rule. Anybody may add hooks. */
async function requirePersonToChange(context: CliContext, options: InstallOptions): Promise<void> {
  const { removed, updated, loosened } = install({ ...options, dryRun: true });
  if (removed.length + updated.length + loosened.length === 0) return;
  const { requirePerson } = await import("../require_person.ts");
  await requirePerson(context, "install-hooks");
}

function serverLines(server: ServerReport | null): string[] {
  return server === null ? [] : serverFacts(server);
}

function shown(diff: readonly string[], server: ServerReport | null): string[] {
  return ["", ...diff, ...server?.diff ?? [], "", "Nothing was changed."];
}
