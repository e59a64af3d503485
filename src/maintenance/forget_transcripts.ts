/** Claude Code's own transcripts that hold what was forgotten: they are named, not touched. */
import type { TextMatcher } from "../memory/forget_text.ts";
import { baseName, parentOf } from "../paths.ts";
import { findTranscripts } from "../recall/transcripts/find.ts";
import { placesIn } from "./byte_scan.ts";

/**
 * All that lies where Claude Code keeps the transcripts of some sessions: forks, sessions that were told of others, and
 * those of the summarizer may hold the same text.
 */
export function transcriptsAround(known: readonly string[]): string[] {
  const roots = new Set(known.map((path) => {
    const around = parentOf(parentOf(path));
    // What lies elsewhere may lie among anything.
    return baseName(around) === "projects" ? around : path;
  }));
  return [...roots].flatMap(transcriptsBelow).sort();
}

/** Of some transcripts those that are there, and hold a text where one is given. */
export function transcriptsWith(paths: readonly string[], text: TextMatcher | null): string[] {
  return paths.filter((path) => text === null ? isFile(path) : holds(path, text));
}

function holds(path: string, text: TextMatcher): boolean {
  try {
    return placesIn(path, text, { limit: 1 }).length > 0;
  } catch {
    return false;
  }
}

/** None where there is nothing any more. */
function transcriptsBelow(root: string): string[] {
  try {
    return findTranscripts(root).files.map(({ path }) => path);
  } catch {
    return [];
  }
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
