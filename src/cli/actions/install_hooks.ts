import { UserError } from "../../errors.ts";
import { resolvePath } from "../../paths.ts";
import type { SettingsPlace, SettingsScope } from "../../settings/file.ts";
import { chooseEvents, type Program, quoteWord } from "../../settings/hooks.ts";
import { installHooks, uninstallHooks } from "../../settings/install.ts";
import { type CliContext, readEnvironment } from "../context.ts";
import { ownProgram } from "../program.ts";
import { plain } from "../table.ts";
import { USAGE } from "../usage.ts";
import type { View } from "../view.ts";

type PlaceFlags = {
  readonly scope: SettingsScope;
  readonly settings?: string;
  readonly command?: string;
  readonly dryRun: boolean;
};

const RESTART = "Restart Claude Code, or start a new session, for the hooks to take effect.";

/** `conclaude install-hooks` */
export function install(
  context: CliContext,
  flags: PlaceFlags & { readonly events?: readonly string[] },
): View {
  const events = chooseEvents((flags.events ?? []).map((name) => name.trim()).filter(Boolean));
  const own = ownProgram(context.cwd);
  const program = flags.command === undefined ? own.program : named(flags.command, context);
  const runsFromSource = flags.command === undefined && own.fromSource;
  const report = installHooks({
    ...placeOf(context, flags),
    program,
    events,
    dryRun: flags.dryRun,
  });
  const facts = [
    headline(report.changed, report.dryRun, {
      done: `Installed hooks in ${report.settings}`,
      planned: `Would install hooks in ${report.settings}`,
      nothing: `The hooks in ${report.settings} are up to date`,
    }),
    `  program: ${report.command.replace(/ hook$/, "")}`,
    `  events:  ${report.events.join(", ")}`,
    ...(report.backup === null ? [] : [`  backup:  ${report.backup}`]),
    ...(runsFromSource
      ? [`  note:    it runs from source; the hooks need ${own.path} and this Deno where they are`]
      : []),
    ...report.warnings.map((warning) => `  warning: ${warning}`),
    ...(report.dryRun ? ["", ...report.diff, "", "Nothing was changed."] : []),
    ...(report.changed && !report.dryRun ? [RESTART] : []),
  ];
  return { json: { ...report, fromSource: runsFromSource }, text: facts.map(plain).join("\n") };
}

/** `conclaude uninstall-hooks` */
export function uninstall(context: CliContext, flags: PlaceFlags): View {
  const program = flags.command === undefined
    ? ownProgram(context.cwd).program
    : named(flags.command, context);
  const report = uninstallHooks({ ...placeOf(context, flags), program, dryRun: flags.dryRun });
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
    ...(report.dryRun ? ["", ...report.diff, "", "Nothing was changed."] : []),
  ];
  return { json: report, text: facts.map(plain).join("\n") };
}

/** The settings file that flags name, seen from the project that Claude Code works in. */
function placeOf(
  { cwd, locations }: CliContext,
  flags: Pick<PlaceFlags, "scope" | "settings">,
): SettingsPlace {
  const { CLAUDE_PROJECT_DIR, CLAUDE_CONFIG_DIR } = readEnvironment();
  return {
    scope: flags.scope,
    settings: flags.settings,
    projectDir: CLAUDE_PROJECT_DIR ?? cwd,
    cwd,
    home: locations.home ?? undefined,
    configDir: CLAUDE_CONFIG_DIR,
  };
}

/** @throws {UserError} When there is no such file, or it cannot be run. */
function named(command: string, { cwd, locations }: CliContext): Program {
  const path = resolvePath(command, { folder: cwd, home: locations.home ?? undefined });
  const problem = problemOf(path);
  if (problem === null) return { kind: "path", path };
  throw new UserError(`Cannot let hooks start "${path}"`, {
    why: problem,
    next: problem.includes("executable")
      ? `chmod +x ${quoteWord(path)}`
      : "give --command the path of the conclaude executable; nothing was changed",
    exitCode: USAGE,
  });
}

function problemOf(path: string): string | null {
  try {
    const { isFile, mode } = Deno.statSync(path);
    if (!isFile) return "it is not a file";
    return mode !== null && (mode & 0o111) === 0 ? "the file is not executable" : null;
  } catch {
    return "there is no such file";
  }
}

function headline(
  changed: boolean,
  dryRun: boolean,
  texts: { readonly done: string; readonly planned: string; readonly nothing: string },
): string {
  if (!changed) return texts.nothing;
  return dryRun ? texts.planned : texts.done;
}
