/** The logs that git keeps of where its branches and `HEAD` stood, as texts. */
import { joinPath } from "../paths.ts";
import type { Repository } from "./repository.ts";

/** A log that is read, but for one that is longer than so many bytes; empty where there is none. */
export function readLog(path: string, maxBytes: number): string {
  try {
    return Deno.statSync(path).size > maxBytes ? "" : Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

/** Where the log of a branch lies. */
export function branchLogPath(
  { commonDir }: Pick<Repository, "commonDir">,
  branch: string,
): string {
  return joinPath(commonDir, `logs/refs/heads/${branch}`);
}
