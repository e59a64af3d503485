/** What the flags of `install-hooks` and `uninstall-hooks` mean. */
import { UserError } from "../errors.ts";
import { resolvePath } from "../paths.ts";
import { whyNotRun } from "../process/executable.ts";
import type { SettingsPlace, SettingsScope } from "../settings/file.ts";
import { type Program, quoteWord } from "../settings/hooks.ts";
import { type CliContext, readEnvironment } from "./context.ts";
import { USAGE } from "./usage.ts";

/** The flags that both verbs take. */
export type HooksFlags = {
  readonly scope: SettingsScope;
  readonly settings?: string;
  readonly command?: string;
  readonly dryRun: boolean;
};

/** The settings file that flags name, seen from the project that Claude Code works in. */
export function settingsPlace(
  { cwd, locations }: CliContext,
  { scope, settings }: HooksFlags,
): SettingsPlace {
  const { CLAUDE_PROJECT_DIR, CLAUDE_CONFIG_DIR } = readEnvironment();
  return {
    scope,
    settings,
    projectDir: CLAUDE_PROJECT_DIR ?? cwd,
    cwd,
    home: locations.home ?? undefined,
    configDir: CLAUDE_CONFIG_DIR,
  };
}

/** A program that `--command` can name. */
export type NamedProgram = Extract<Program, { readonly kind: "path" }>;

/** What `--command` means. */
export function namedProgram(command: string, { cwd, locations }: CliContext): NamedProgram {
  const home = locations.home ?? undefined;
  return { kind: "path", path: resolvePath(command, { folder: cwd, home }) };
}

/** `--command` as flags that mean the same in any folder; none when it was not given. */
export function commandFlags(program: NamedProgram | undefined): string[] {
  if (program === undefined) return [];
  return ["--command", program.path];
}

/** @throws {UserError} When hooks could not start it. */
export function requireStartable({ path }: NamedProgram): void {
  const why = whyNotRun(path);
  if (why === null) return;
  throw new UserError(`Cannot let hooks start "${path}"`, {
    why,
    next: why.endsWith("executable")
      ? `chmod +x ${quoteWord(path)}`
      : "give --command the path of the conclaude executable; nothing was changed",
    exitCode: USAGE,
  });
}
