/** Claude Code's own transcripts that hold what was forgotten: they are named, not touched. */
import type { DatabaseSync } from "node:sqlite";
import type { TextMatcher } from "../memory/forget_text.ts";
import { baseName, parentOf } from "../paths.ts";
import { findTranscripts } from "../recall/transcripts/find.ts";
import type { Chosen, ForgetFilter } from "../store/forget_choice.ts";
import { knownTranscripts, transcriptsOf } from "../store/forget_look.ts";
import { placesIn } from "./byte_scan.ts";
import { isTextAlone } from "./forget_files.ts";

/** The transcripts that may hold what is chosen: of a text all that lie where those of known sessions do. */
export function transcriptsThatMay(
  db: DatabaseSync,
  { filter, chosen }: { readonly filter: ForgetFilter; readonly chosen: Chosen },
): readonly string[] {
  return isTextAlone(filter) ? transcriptsAround(knownTranscripts(db)) : transcriptsOf(db, chosen);
}

/**
 * All that lies where Claude Code keeps the transcripts of some sessions: forks, sessions that were told of others, and
 * those of the summarizer may hold the same text.
 */
function transcriptsAround(known: readonly string[]): string[] {
  const roots = new Set(known.map((path) => {
    const around = parentOf(parentOf(path));
    // What lies elsewhere may lie among anything.
    return baseName(around) === "projects" ? around : path;
  }));
  return [...roots].flatMap(transcriptsBelow).sort();
}

/** Of some transcripts those that are there and, where a text alone is forgotten, hold it. */
export function transcriptsWith(paths: readonly string[], filter: ForgetFilter): string[] {
  return paths.filter((path) => isTextAlone(filter) ? holds(path, filter.text!) : isFile(path));
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
