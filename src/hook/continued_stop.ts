import { readConfigFiles } from "../config/discover.ts";
import { joinPath, readVariable } from "../paths.ts";
import { lookUpwards } from "../project/look.ts";
import { folderOf } from "./protocol.ts";

/**
 * Whether a Stop that continues a stopped one may have to be held back again: whether a configuration file that counts
 * speaks of stops at all. Only files are looked at, and nothing is made.
 */
export function mayHoldStop(fields: Readonly<Record<string, unknown>>): boolean {
  const home = readVariable("HOME") ?? readVariable("USERPROFILE") ?? null;
  const dataFolder = home === null ? "" : joinPath(home, ".conclaude");
  const folder = readVariable("CLAUDE_PROJECT_DIR") ?? folderOf(fields);
  const files = readConfigFiles(folder === null ? [] : lookUpwards(folder), {
    home,
    dataFolder,
    dataNames: dataFolder === "" ? [] : namesIn(dataFolder),
  });
  return files.some(({ text }) => text !== null && /\bstop\b/.test(text));
}

function namesIn(folder: string): string[] {
  try {
    return Array.from(Deno.readDirSync(folder), ({ name }) => name);
  } catch {
    return [];
  }
}
