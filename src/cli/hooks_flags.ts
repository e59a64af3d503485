/** What the flags of `install-hooks` and `uninstall-hooks` mean. */
import { UserError } from "../errors.ts";
import { lookAtSettings } from "../maintenance/doctor/settings_look.ts";
import { resolvePath } from "../paths.ts";
import { findOnPath, isBareName, whyNotRun } from "../process/executable.ts";
import type { SettingsPlace, SettingsScope } from "../settings/settings_file.ts";
import {
  commandLine,
  type HookEvent,
  planHooks,
  type Program,
  quoteWord,
} from "../settings/hooks.ts";
import type { CliContext } from "./context.ts";
import { hooksPlace } from "./own_program.ts";
import { USAGE } from "./usage.ts";

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
