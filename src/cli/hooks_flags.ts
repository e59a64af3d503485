/** What the flags of `install-hooks` and `uninstall-hooks` mean. */
import { UserError } from "../errors.ts";
import { resolvePath } from "../paths.ts";
import { findOnPath, isBareName, whyNotRun } from "../process/executable.ts";
import type { SettingsPlace, SettingsScope } from "../settings/settings_file.ts";
import { commandLine, type Program, quoteWord } from "../settings/hooks.ts";
import type { CliContext } from "./context.ts";
import { USAGE } from "./usage.ts";

/** The flags that both verbs take. */
export type HooksFlags = {
  readonly scope?: SettingsScope;
  readonly settings?: string;
  readonly command?: string;
  readonly dryRun: boolean;
};

/**
 * The settings file that flags name, seen from the project that Claude Code works in.
 *
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

/** What is wrong, and what to do. */
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
