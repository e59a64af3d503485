import type { HooksPlace } from "../maintenance/doctor/settings_look.ts";
import { resolvePath } from "../paths.ts";
import { type CliContext, readEnvironment } from "./context.ts";
import { ownProgram } from "./program.ts";

/**
 * Where hooks of this program are looked for, from the folder that a command is run in.
 *
 * @param settings One more settings file, beside those that Claude Code always reads.
 */
export function hooksPlace({ cwd, locations }: CliContext, settings?: string): HooksPlace {
  const { CLAUDE_CONFIG_DIR, CLAUDE_PROJECT_DIR, PATH } = readEnvironment();
  const { program, executable } = ownProgram(cwd);
  return {
    locations,
    settings: settings && resolvePath(settings, { folder: cwd, home: locations.home ?? undefined }),
    projectDir: CLAUDE_PROJECT_DIR ?? cwd,
    claudeFolder: CLAUDE_CONFIG_DIR,
    program,
    executable,
    searchPath: PATH,
  };
}
