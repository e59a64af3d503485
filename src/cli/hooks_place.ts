import type { HooksPlace } from "../maintenance/doctor/settings_look.ts";
import { type CliContext, typedPath } from "./context.ts";
import { ownProgram } from "./own_program.ts";

/**
 * Where hooks of this program are looked for from the current folder.
 * @param settings A settings file beside those that Claude Code always reads.
 */
export function hooksPlace(context: CliContext, settings?: string): HooksPlace {
  const { cwd, locations, environment } = context;
  const { variable } = environment;
  const { program, executable } = ownProgram(environment);
  return {
    environment,
    locations,
    settings: settings && typedPath(context, settings),
    projectDir: variable("CLAUDE_PROJECT_DIR") ?? cwd,
    claudeFolder: variable("CLAUDE_CONFIG_DIR"),
    program,
    executable,
    searchPath: variable("PATH"),
  };
}
