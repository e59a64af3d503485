import { plain } from "../../capture/plain.ts";
import { placeFlags } from "../../settings/settings_file.ts";
import { chooseEvents, commandLine } from "../../settings/hooks.ts";
import {
  installHooks,
  type InstallOptions,
  uninstallHooks,
} from "../../settings/install_settings.ts";
import type { ServerReport } from "../../settings/mcp_servers.ts";
import type { CliContext } from "../context.ts";
import { doubledHooks } from "../doubled_hooks.ts";
import {
  commandFlags,
  type HooksFlags,
  namedProgram,
  requireStartable,
  settingsPlace,
} from "../hooks_flags.ts";
import { register, serverFacts, unregister } from "../mcp_server.ts";
import { ownProgram } from "../program.ts";
import type { View } from "../view.ts";

const DRAIN_LINE =
  "  drain:   beside Stop, with nobody waiting: works what happened into memory after each turn";
const NEW_SESSION =
  "Restart Claude Code, or start a new session, for the MCP server to be started.";
const RESTART = "Restart Claude Code, or start a new session, for the hooks to take effect.";

/** `conclaude install-hooks` */
export async function install(
  context: CliContext,
  flags: HooksFlags & {
    readonly events?: readonly string[];
    readonly strict: boolean;
    readonly mcp: boolean;
  },
): Promise<View> {
  const place = settingsPlace(context, flags, "install-hooks");
  const events = chooseEvents((flags.events ?? []).map((name) => name.trim()));
  const own = ownProgram(context.environment);
  const named = flags.command === undefined ? undefined : namedProgram(flags.command, context);
  if (named !== undefined) requireStartable(named, context);
  const runsFromSource = named === undefined && own.fromSource;
  const program = named ?? own.program;
  const otherFlags = [
    ...commandFlags(named),
    ...(flags.strict ? ["--strict"] : []),
    ...(flags.events === undefined ? [] : ["--events", events.join(",")]),
  ];
  const request = { place, program, dryRun: flags.dryRun, otherFlags };
  // Looked at first, so that a refusal comes before anything is changed.
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
  const report = installHooks(options);
  const server = flags.mcp ? register(request) : null;
  const warnings = [
    ...report.warnings,
    ...doubledHooks(context, {
      path: report.settings,
      settings: flags.settings,
      program,
      events,
    }),
  ];
  const facts = [
    headline(report.changed, report.dryRun, {
      done: `Installed hooks in ${report.settings}`,
      planned: `Would install hooks in ${report.settings}`,
      nothing: `The hooks in ${report.settings} are up to date`,
    }),
    `  program: ${report.command.replace(/ hook$/, "")}`,
    `  events:  ${report.events.join(", ")}`,
    ...(report.drain ? [DRAIN_LINE] : []),
    ...(report.blocking.length === 0
      ? []
      : [`  strict:  ${report.blocking.join(", ")}: what a hook cannot judge does not happen`]),
    ...(report.loosened.length === 0 ? [] : [
      `  strict:  no longer: ${report.loosened.join(", ")} go on when the hook cannot run; ` +
      `\`${commandLine("install-hooks", [...placeFlags(place), "--strict"])}\` changes that`,
    ]),
    ...(report.backup === null ? [] : [`  backup:  ${report.backup}`]),
    ...serverLines(server),
    ...(runsFromSource
      ? [`  note:    it runs from source; the hooks need ${own.path} and this Deno where they are`]
      : []),
    ...warnings.map((warning) => `  warning: ${warning}`),
    ...(report.dryRun ? shown(report.diff, server) : []),
    ...(report.changed && !report.dryRun ? [RESTART] : []),
    ...(!report.changed && server?.changed && !report.dryRun ? [NEW_SESSION] : []),
  ];
  return {
    json: { ...report, warnings, fromSource: runsFromSource, mcp: server },
    text: facts.map(plain).join("\n"),
  };
}

/** Anybody may add hooks. Hooks that are there may ask for a rule: only a person takes one away or changes it. */
async function requirePersonToChange(context: CliContext, options: InstallOptions): Promise<void> {
  const { removed, updated, loosened } = installHooks({ ...options, dryRun: true });
  if (removed.length + updated.length + loosened.length === 0) return;
  const { requirePerson } = await import("../person.ts");
  await requirePerson(context, "install-hooks");
}

/** `conclaude uninstall-hooks` */
export function uninstall(context: CliContext, flags: HooksFlags): View {
  const place = settingsPlace(context, flags, "uninstall-hooks");
  const own = ownProgram(context.environment);
  // It may be gone by now: its hooks are to be removed all the same.
  const named = flags.command === undefined ? undefined : namedProgram(flags.command, context);
  const request = { place, dryRun: flags.dryRun, otherFlags: commandFlags(named) };
  // Looked at first, so that a refusal comes before anything is changed.
  unregister({ ...request, dryRun: true });
  const report = uninstallHooks({
    ...place,
    program: named ?? own.program,
    executable: own.executable,
    dryRun: flags.dryRun,
    otherFlags: commandFlags(named),
  });
  const server = unregister(request);
  const facts = [
    headline(report.changed, report.dryRun, {
      done: `Removed hooks from ${report.settings}`,
      planned: `Would remove hooks from ${report.settings}`,
      nothing: report.missing
        ? `There is no ${report.settings}`
        : `There are no hooks of conclaude in ${report.settings}`,
    }),
    ...(report.removed.length === 0 ? [] : [`  events:  ${report.removed.join(", ")}`]),
    ...(report.restored && !report.dryRun
      ? [
        `  file:    ${
          report.deleted ? "removed, as it was made for them" : "as it was before them"
        }`,
      ]
      : []),
    ...(report.backup === null
      ? []
      : [`  backup:  ${report.backup} (kept: the file has changed since)`]),
    ...serverLines(server),
    ...(report.dryRun ? shown(report.diff, server) : []),
  ];
  return { json: { ...report, mcp: server }, text: facts.map(plain).join("\n") };
}

function serverLines(server: ServerReport | null): string[] {
  return server === null ? [] : serverFacts(server);
}

function shown(diff: readonly string[], server: ServerReport | null): string[] {
  return ["", ...diff, ...server?.diff ?? [], "", "Nothing was changed."];
}

function headline(
  changed: boolean,
  dryRun: boolean,
  texts: { readonly done: string; readonly planned: string; readonly nothing: string },
): string {
  if (!changed) return texts.nothing;
  return dryRun ? texts.planned : texts.done;
}
