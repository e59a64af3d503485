import type { CommandContext, StricliProcess } from "@stricli/core";
import { isThere } from "../maintenance/whole_file.ts";
import { joinPath, locate, type Locations, parentOf, readVariable, resolvePath } from "../paths.ts";

/** Flags that every verb understands, wherever they stand on the command line. */
export interface Globals {
  readonly db: string | undefined;
  readonly noDb: boolean;
  readonly json: boolean;
  /** False with `--no-color`, with `NO_COLOR` set, and where stdout is no terminal. */
  readonly color: boolean;
}

/** What a command is given beside its own flags. */
export interface CliContext extends CommandContext {
  readonly process: StricliProcess;
  readonly globals: Globals;
  readonly locations: Locations;
  readonly cwd: string;
}

/** Names and values of the environment that the command line looks at. */
export function readEnvironment() {
  return {
    HOME: readVariable("HOME"),
    USERPROFILE: readVariable("USERPROFILE"),
    TEMP: readVariable("TEMP"),
    CONCLAUDE_DB_PATH: readVariable("CONCLAUDE_DB_PATH"),
    CLAUDE_PROJECT_DIR: readVariable("CLAUDE_PROJECT_DIR"),
    CLAUDE_CONFIG_DIR: readVariable("CLAUDE_CONFIG_DIR"),
    NO_COLOR: readVariable("NO_COLOR"),
    PATH: readVariable("PATH"),
  };
}

/** The context of this process. */
export function contextOf(globals: Globals): CliContext {
  const cwd = Deno.cwd();
  return {
    process: { stdout: writer(Deno.stdout), stderr: writer(Deno.stderr) },
    globals,
    locations: locateWithoutTrace({ dbFlag: globals.db, cwd }),
    cwd,
  };
}

/**
 * {@linkcode locate} makes the data folder, for a hook is about to write there, and no other look is as sure. A command
 * may only want to read, so what was made is taken away again; what writes makes it anew.
 */
function locateWithoutTrace(
  options: { readonly dbFlag: string | undefined; readonly cwd: string },
) {
  const environment = readEnvironment();
  const home = environment.HOME ?? environment.USERPROFILE;
  const missing: string[] = [];
  if (home !== undefined) {
    let folder = joinPath(resolvePath(home, { folder: options.cwd }), ".conclaude");
    for (; !isThere(folder) && parentOf(folder) !== folder; folder = parentOf(folder)) {
      missing.push(folder);
    }
  }
  const locations = locate(environment, options);
  try {
    // Only empty folders go; another process may have begun to use them.
    for (const folder of missing) Deno.removeSync(folder);
  } catch {
    // Never made, or in use.
  }
  return locations;
}

function writer(stream: typeof Deno.stdout | typeof Deno.stderr): { write(text: string): void } {
  const encoder = new TextEncoder();
  return {
    write(text) {
      const bytes = encoder.encode(text);
      try {
        for (let written = 0; written < bytes.length;) {
          written += stream.writeSync(bytes.subarray(written));
        }
      } catch (thrown) {
        // `conclaude … | head`: the reader has seen enough.
        if (thrown instanceof Deno.errors.BrokenPipe) Deno.exit(0);
        throw thrown;
      }
    },
  };
}
