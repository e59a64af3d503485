import type { HooksPlace } from "../maintenance/doctor/settings_look.ts";
import { type CliContext, readEnvironment, typedPath } from "./context.ts";
import { ownProgram } from "./program.ts";

/**
 * Where hooks of this program are looked for, from the folder that a command is run in.
 *
 * @param settings One more settings file, beside those that Claude Code always reads.
 */
export function hooksPlace(context: CliContext, settings?: string): HooksPlace {
  const { cwd, locations } = context;
  const { CLAUDE_CONFIG_DIR, CLAUDE_PROJECT_DIR, PATH } = readEnvironment();
  const { program, executable } = ownProgram(cwd);
  return {
    locations,
    settings: settings && typedPath(context, settings),
    projectDir: CLAUDE_PROJECT_DIR ?? cwd,
    claudeFolder: CLAUDE_CONFIG_DIR,
    program,
    executable,
    searchPath: PATH,
  };
}
