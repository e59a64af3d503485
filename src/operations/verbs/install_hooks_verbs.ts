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
    "Adds hooks to a settings file of Claude Code, or brings them up to date. Other hooks and settings stay\n" +
    "as they are, to the byte. The file is backed up before the first change. With --strict a tool use or a\n" +
    "prompt is blocked when the hook that judges it cannot run; installing again without it takes that back.\n" +
    "With --mcp Claude asks conclaude itself, as the MCP server `conclaude`.",
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
    const facts = [
      changed
        ? `${dryRun ? "Would install" : "Installed"} hooks in ${settings}`
        : `The hooks in ${settings} are up to date`,
      ...line("program", report.command.replace(/ hook$/, "")),
      ...line("events", report.events.join(", ")),
      ...line("drain", report.drain && DRAIN),
      ...line(
        "strict",
        report.blocking.length > 0 &&
          `${report.blocking.join(", ")}: what a hook cannot judge does not happen`,
      ),
      ...line(
        "strict",
        report.loosened.length > 0 &&
          `no longer: ${report.loosened.join(", ")} go on when the hook cannot run; ` +
            `\`${commandLine("install-hooks", [...placeFlags(place), "--strict"])}\` changes that`,
      ),
      ...line("backup", report.backup),
      ...serverLines(server),
      ...line(
        "note",
        fromSource &&
          `it runs from source; the hooks need ${own.path} and this Deno where they are`,
      ),
      ...warnings.flatMap((warning) => line("warning", warning)),
      ...(dryRun ? shown(report.diff, server) : []),
      ...(changed && !dryRun ? [restartFor("the hooks to take effect")] : []),
      ...(!changed && server?.changed && !dryRun
        ? [restartFor("the MCP server to be started")]
        : []),
    ];
    return {
      json: { ...report, warnings, fromSource, mcp: server },
      text: facts.map(plain).join("\n"),
    };
  },
});

export const uninstallHooks = verb({
  person: "uninstall-hooks",
  flags: PLACE_FLAGS,
  about:
    "Removes conclaude's hooks from a settings file, and nothing else; and the MCP server `conclaude` from\n" +
    "the file of the same scope, where `--mcp` has put it. A settings file that nobody changed since the\n" +
    "installation becomes what it was, byte for byte. With --command also the hooks of a program that does\n" +
    "not say by name or mark that it is conclaude.",
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
    const facts = [
      report.changed ? `${dryRun ? "Would remove" : "Removed"} hooks from ${settings}` : none,
      ...line("events", report.removed.join(", ")),
      ...line("file", report.restored && !dryRun && file),
      ...line("backup", report.backup && `${report.backup} (kept: the file has changed since)`),
      ...serverLines(server),
      ...(dryRun ? shown(report.diff, server) : []),
    ];
    return { json: { ...report, mcp: server }, text: facts.map(plain).join("\n") };
  },
});

const DRAIN = "beside Stop, with nobody waiting: works what happened into memory after each turn";

/** A line below the headline of a report; none without a text. */
function line(name: string, text: string | null | false): string[] {
  return text ? [`  ${`${name}:`.padEnd(9)}${text}`] : [];
}

function restartFor(what: string): string {
  return `Restart Claude Code, or start a new session, for ${what}.`;
}

/** Anybody may add hooks. Hooks that are there may enforce a rule, so only a person removes or changes them. */
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
