import type { CommandContext, StricliProcess } from "@stricli/core";
import { readConfigFiles, trustBy } from "../config/discover.ts";
import type { ParsedConfig } from "../config/parse.ts";
import { loadSections } from "../config/sections.ts";
import {
  type Environment,
  locate,
  type LocateOptions,
  type Locations,
} from "../system/environment.ts";
import { allNamesIn, isThere } from "../system/on_disk.ts";
import { joinPath, parentOf, resolvePath } from "../base/paths.ts";
import { lookUpwards } from "../system/git/repository.ts";
import type { Config } from "./config_sections.ts";
import { mkdirSync, removeSync, statSync } from "../system/files.ts";

/** Flags that every verb understands, wherever they stand on the command line. */
export interface Globals {
  readonly db: string | undefined;
  readonly noDb: boolean;
  readonly json: boolean;
  /** Prints nothing for people but errors. */
  readonly quiet: boolean;
  /** False with `--no-color`, with `NO_COLOR` set, and where stdout is not a terminal. */
  readonly color: boolean;
  /** How wide lines for people may be: `COLUMNS`, else the terminal, else 80. */
  readonly columns: number;
}

/** What a command is given beside its own flags. */
export interface CliContext extends CommandContext {
  readonly process: StricliProcess;
  readonly globals: Globals;
  readonly environment: Environment;
  readonly locations: Locations;
  readonly cwd: string;
  /** Is told how far long work is, in the place of a line on a terminal. */
  readonly onProgress?: ((doing: string, far?: Progress) => void) | undefined;
}

/** How far work is. */
export interface Progress {
  readonly done: number;
  /** How much there is; absent where nobody knows. */
  readonly of?: number;
  readonly inBytes?: true;
}

/** A path as a person types it, made absolute. */
export function typedPath(
  { cwd, locations }: Pick<CliContext, "cwd" | "locations">,
  path: string,
): string {
  return resolvePath(path, { folder: cwd, home: locations.home ?? undefined });
}

/** The configuration of a folder as its files say it, and what is wrong with them. */
export async function configHere(
  { cwd, locations }: Pick<CliContext, "cwd" | "locations">,
): Promise<ParsedConfig<Config>> {
  await loadSections();
  const { parseConfig } = await import("../config/parse.ts");
  return parseConfig<Config>(readConfigFiles(lookUpwards(cwd), locations));
}

/** The context of a command, which prints to these streams. */
export function contextOf(
  globals: Globals,
  environment: Environment,
  process: StricliProcess,
): CliContext {
  const cwd = environment.cwd();
  const locations = locateToLook(environment, { dbFlag: globals.db });
  trustBy(locations);
  if (locations.databaseFrom === "fallback") {
    process.stderr.write(
      `HOME is unset or takes no folder: without a \`database.path\` the database is ${locations.database}.\n`,
    );
  }
  return { process, globals, environment, locations, cwd };
}

/** The context of a command that prints nothing. @param options `placed`: finds its places when somebody asks. */
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

/** The places of a command that may only read: it makes no folder that another process could write into. */
export function locateToLook(
  environment: Environment,
  options: Omit<LocateOptions, "namesIn"> = {},
): Locations {
  const namesIn = (folder: string) =>
    namesOrRoom(resolvePath(folder, { folder: environment.cwd() }));
  return locate(environment, { ...options, namesIn });
}

/** The names in a folder; none in one that could be made, null where it could not. @param wanted Absolute. */
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
