/** Searches the memory of a project and of the project around it. */
import type { DatabaseSync } from "node:sqlite";
import { answerMemory, type SearchAnswer, type SearchOptions } from "../search/search.ts";
import { surroundingProject } from "./around.ts";
import type { ContextPlace } from "./told_rows.ts";

/** The most results from the surrounding project. They follow those of the project. */
const MAX_AROUND = 3;

/** Runs {@linkcode answerMemory} for a project, and adds the best results from around it. Throws the same errors. */
export function answerHere(
  db: DatabaseSync,
  text: string,
  options: SearchOptions,
  here: Pick<ContextPlace, "root" | "home">,
): SearchAnswer {
  const own = answerMemory(db, text, options);
  const { filter } = options;
  // In the surrounding project the file has another path.
  if (filter.project === null || filter.file !== null) return own;
  const around = surroundingProject(db, { ...here, project: filter.project });
  if (around === null) return own;
  const there = { ...options, limit: MAX_AROUND, filter: { ...filter, project: around.project } };
  const added = answerMemory(db, text, there);
  return added.quotedNowhere.length > 0
    ? own
    : { ...own, results: [...own.results, ...added.results] };
}
