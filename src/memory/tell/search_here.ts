/** Searches memory for a project and what surrounds it. */
import type { DatabaseSync } from "node:sqlite";
import { answerMemory, type SearchAnswer, type SearchOptions } from "../search/search.ts";
import { surroundingProject } from "./around.ts";
import type { ContextPlace } from "./told_rows.ts";

/** How many results of the surroundings follow those of the project. */
const MAX_AROUND = 3;

/** {@linkcode answerMemory} for one project, and the best of what surrounds it. @throws {Error} As that. */
export function answerHere(
  db: DatabaseSync,
  text: string,
  options: SearchOptions,
  here: Pick<ContextPlace, "root" | "home">,
): SearchAnswer {
  const own = answerMemory(db, text, options);
  const { filter } = options;
  // The path of a file is another one there.
  if (filter.project === null || filter.file !== null) return own;
  const around = surroundingProject(db, { ...here, project: filter.project });
  if (around === null) return own;
  const there = { ...options, limit: MAX_AROUND, filter: { ...filter, project: around.project } };
  const more = answerMemory(db, text, there);
  return more.quotedNowhere.length > 0
    ? own
    : { ...own, results: [...own.results, ...more.results] };
}
