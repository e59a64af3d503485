import type { CommandContext, StricliProcess } from "@stricli/core";
import { type ConfigFile, readConfigFiles, trustBy } from "../config/discover.ts";
import type { ParsedConfig } from "../config/parse.ts";
import { loadSections } from "../config/sections.ts";
import { type Environment, locate, type Locations } from "../system/environment.ts";
import { allNamesIn, isThere } from "../system/on_disk.ts";
import { joinPath, parentOf, resolvePath } from "../base/paths.ts";
import { lookUpwards } from "../system/git/repository.ts";
import type { Config } from "./config_sections.ts";
import { mkdirSync, removeSync, statSync } from "../system/files.ts";

/** The flags that every verb accepts, anywhere on the command line. */
export interface Globals {
  readonly db: string | undefined;
  readonly noDb: boolean;
  readonly json: boolean;
  /** Whether people get no output but errors. */
  readonly quiet: boolean;
  /** False with `--no-color`, with `NO_COLOR`, and if stdout is not a terminal. */
  readonly color: boolean;
  /** The width of lines for people, in columns: `COLUMNS`, or the terminal's, or 80. */
  readonly columns: number;
}

/** The surroundings of a command: streams, global flags, environment, places. */
export interface CliContext extends CommandContext {
  readonly process: StricliProcess;
  readonly globals: Globals;
  readonly environment: Environment;
  readonly locations: Locations;
  readonly cwd: string;
  /** Receives the progress of long work; without it, a terminal shows a line. */
  readonly onProgress?: ((doing: string, progress?: Progress) => void) | undefined;
}

export interface Progress {
  readonly done: number;
  /** The amount of all work; absent if it is unknown. */
  readonly of?: number;
  readonly inBytes?: true;
}

export function typedPath(
  { cwd, locations }: Pick<CliContext, "cwd" | "locations">,
  path: string,
): string {
  return resolvePath(path, { folder: cwd, home: locations.home ?? undefined });
}

export function filesHere({ cwd, locations }: Pick<CliContext, "cwd" | "locations">): ConfigFile[] {
  return readConfigFiles(lookUpwards(cwd), locations);
}

/** Parses the configuration files of a folder, with the problems in them. */
export async function configHere(
  context: Pick<CliContext, "cwd" | "locations">,
): Promise<ParsedConfig<Config>> {
  await loadSections();
  const { parseConfig } = await import("../config/parse.ts");
  return parseConfig<Config>(filesHere(context));
}

/** Makes the context of a command that prints to these streams. */
export function contextOf(
  globals: Globals,
  environment: Environment,
  process: StricliProcess,
): CliContext {
  const cwd = environment.cwd();
  const locations = locateToLook(environment, globals.db);
  trustBy(locations);
  if (locations.databaseFrom === "fallback") {
    process.stderr.write(
      `HOME is unset, or no folder can be made there: without a \`database.path\` the database is ${locations.database}.\n`,
    );
  }
  return { process, globals, environment, locations, cwd };
}

/** Makes the context of a command that prints nothing. @param options `placed` finds its places on demand. */
export function silentContext(
  environment: Environment,
  { placed, ...globals }: Partial<Globals> & { readonly placed: () => Locations },
): CliContext {
  const silent = { write: () => {} };
  const usual = { noDb: false, json: false, quiet: true, color: false };
  return {
    process: { stdout: silent, stderr: silent },
    globals: { db: undefined, ...usual, columns: 80, ...globals },
    environment,
    cwd: environment.cwd(),
    get locations() {
      return placed();
    },
  };
}

/** Finds the places without creating their folders, so that no other process can write into one. */
export function locateToLook(environment: Environment, dbFlag: string | undefined): Locations {
  const namesIn = (folder: string) =>
    namesOrRoom(resolvePath(folder, { folder: environment.cwd() }));
  return locate(environment, { dbFlag, namesIn });
}

/** Returns the names in a folder: none if it could be created, null if it could not. @param wanted An absolute path. */
function namesOrRoom(wanted: string): string[] | null {
  let above = wanted;
  while (!isThere(above) && parentOf(above) !== above) above = parentOf(above);
  try {
    if (above === wanted) return statSync(wanted).isDirectory ? allNamesIn(wanted) : null;
    const tried = joinPath(above, `.conclaude-${crypto.randomUUID()}`);
    mkdirSync(tried, { mode: 0o700 });
    removeSync(tried);
    return [];
  } catch {
    return null;
  }
}
