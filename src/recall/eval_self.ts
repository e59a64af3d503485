/** Questions from one's own history: a prompt, and what was known by then of the files that were edited after it. */
import type { DatabaseSync } from "node:sqlite";
import type { EvalQuestion } from "../memory/eval_set.ts";
import { lastObservation } from "../store/memory_search.ts";
import { editedAfterPrompts, knownOfFiles } from "../store/memory_history.ts";

/** Prompts that are looked at: the newest. */
const MAX_PROMPTS = 500;
/** Shorter prompts say nothing ("go on"). */
const MIN_CHARS = 12;

/**
 * Makes questions of past prompts. What a prompt should have found are the edits, fixes, commits and decisions of earlier
 * sessions that are about the files which were edited before the next prompt.
 */
export function selfQuestions(
  db: DatabaseSync,
): { readonly questions: readonly EvalQuestion[]; readonly observations: number } {
  const questions = editedAfterPrompts(db, MAX_PROMPTS).flatMap((prompt): EvalQuestion[] => {
    if (prompt.text.length < MIN_CHARS) return [];
    const known = knownOfFiles(db, prompt);
    return known.length === 0 ? [] : [{
      id: String(prompt.id),
      text: prompt.text,
      relevant: known.map(String),
      projectDir: prompt.project,
      asOfMs: prompt.atMs - 1,
    }];
  });
  return { questions, observations: lastObservation(db) };
}
