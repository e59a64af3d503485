import type { HooksPlace } from "../maintenance/doctor/hooks.ts";
import { type CliContext, readEnvironment } from "./context.ts";
import { ownProgram } from "./program.ts";

/** Where hooks of this program are looked for, from the folder that a command is run in. */
export function hooksPlace({ cwd, locations }: CliContext): HooksPlace {
  const { CLAUDE_CONFIG_DIR, CLAUDE_PROJECT_DIR } = readEnvironment();
  return {
    locations,
    projectDir: CLAUDE_PROJECT_DIR ?? cwd,
    claudeFolder: CLAUDE_CONFIG_DIR,
    program: ownProgram(cwd).program,
  };
}
