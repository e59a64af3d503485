import { readConfigFiles, speakOfStops } from "../config/discover.ts";
import { lookUpwards } from "../git/repository.ts";
import { locate } from "../paths.ts";
import type { HookFlags } from "./handler.ts";
import { folderOf } from "./protocol.ts";
import { readEnvironment } from "./work.ts";

/**
 * Whether a Stop that continues a stopped one may have to be held back again: whether a configuration file that counts
 * speaks of stops or of requirements at all. Only files are looked at, and nothing is made.
 */
export function mayHoldStop(
  fields: Readonly<Record<string, unknown>>,
  flags: HookFlags,
): boolean {
  const environment = readEnvironment();
  const locations = locate(environment, { dbFlag: flags.db, namesIn });
  const projectDir = environment.CLAUDE_PROJECT_DIR ?? folderOf(fields);
  const looks = projectDir === null ? [] : lookUpwards(projectDir);
  return speakOfStops(readConfigFiles(looks, locations));
}

/** None where it cannot be looked into. */
function namesIn(folder: string): string[] {
  try {
    return Array.from(Deno.readDirSync(folder), ({ name }) => name);
  } catch {
    return [];
  }
}
