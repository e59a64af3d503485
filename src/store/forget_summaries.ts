/** The summaries that tell of what is forgotten. */
import type { DatabaseSync } from "node:sqlite";
import { normalizeForgotten } from "../memory/forget_text.ts";

/** A shorter title says too little to be known again in a summary. */
const MIN_TOLD_CHARS = 12;

/** Summaries by number. */
export interface SummariesAbout {
  /** Those that are made here: they go, and are written anew of what is left. */
  readonly own: readonly number[];
  /** Those that came from elsewhere and hold a title or a text of what is forgotten: nobody can write them anew. */
  readonly imported: readonly number[];
}

/** The summaries of the sessions that observations belong to, as far as they go with these. */
export function summariesAbout(
  db: DatabaseSync,
  observations: ReadonlySet<number>,
): SummariesAbout {
  const ids = JSON.stringify([...observations]);
  const summaries = db.prepare(
    `SELECT id, session_id AS sessionId, title, text, uid = 'summary/' || session_id AS isOwn
       FROM observations
      WHERE kind = 'summary'
        AND session_id IN (SELECT session_id FROM observations WHERE id IN (SELECT value FROM json_each(?)))`,
  ).all(ids);
  const imported = summaries.filter(({ isOwn }) => !isOwn);
  const forgotten = imported.length === 0 ? [] : db.prepare(
    `SELECT session_id AS sessionId, title, text
       FROM observations
      WHERE id IN (SELECT value FROM json_each(?1))
        AND session_id IN (SELECT value FROM json_each(?2))`,
  ).all(ids, JSON.stringify(imported.map(({ sessionId }) => sessionId)));
  return {
    own: summaries.filter(({ isOwn }) => isOwn).map(({ id }) => Number(id)),
    imported: imported.filter((summary) =>
      forgotten.some((row) => row["sessionId"] === summary["sessionId"] && tellsOf(summary, row))
    ).map(({ id }) => Number(id)),
  };
}

type Row = Readonly<Record<string, unknown>>;

function tellsOf(summary: Row, { title, text }: Row): boolean {
  const told = normalizeForgotten(`${summary["title"]}\n${summary["text"]}`);
  return [title, text].map((part) => normalizeForgotten(String(part).replace(/…$/, "")))
    .some((part) => part.length >= MIN_TOLD_CHARS && told.includes(part));
}
