/** What has a question as it was typed: its marks, or all of it, for it was asked before. */
import type { DatabaseSync } from "node:sqlite";
import { bareWords, type MemoryQuestion } from "../memory/question.ts";
import { type IndexHit, withText } from "../store/memory_search.ts";

/** Best candidates that are read for what was typed with its marks. */
const READ_FOR_MARKS = 60;
/** A question asked before has so many words at least, and by its marks is so much longer at most. */
const MIN_ECHO_WORDS = 3;
const MAX_MARKS = 12;

/** Which of the best have all pieces of the question with their marks, as they were typed. */
export function literalIn(
  db: DatabaseSync,
  { literals }: MemoryQuestion,
  scored: readonly IndexHit[],
): ReadonlySet<number> {
  if (literals.length === 0) return new Set();
  let ids = scored.toSorted((one, other) => other.textScore - one.textScore)
    .slice(0, READ_FOR_MARKS).map(({ id }) => id);
  for (const text of literals) ids = [...withText(db, text, ids)];
  return new Set(ids);
}

/** The prompts that are the question itself, asked before; of two words or fewer none is. */
export function echoesOf({ said }: MemoryQuestion, hits: readonly IndexHit[]): ReadonlySet<number> {
  const echoes = new Set<number>();
  if (said.split(" ", MIN_ECHO_WORDS).length < MIN_ECHO_WORDS) return echoes;
  for (const { id, kind, title } of hits) {
    const isAbout = kind === "prompt" && Math.abs(title.length - said.length) <= MAX_MARKS;
    if (isAbout && bareWords(title) === said) echoes.add(id);
  }
  return echoes;
}
