/** What is remembered about a prompt, or about a file that is to be edited, and was not told this session yet. */
import type { DatabaseSync } from "node:sqlite";
import { isReplaced, type ObservationKind } from "../memory/observation.ts";
import { pathInProject } from "../memory/paths.ts";
import { HELPFUL_KINDS, MAX_RECALLED, type Recalled, recallText } from "../memory/recall_text.ts";
import { timelineOfFile } from "../store/memory_look.ts";
import { EVERYTHING } from "../store/memory_search.ts";
import { alreadyTold, noteTold } from "../store/told_observations.ts";
import { answerMemory, type SearchResult } from "./search.ts";
import { staleAmong } from "./stale_files.ts";
import { heldOf, promptWords } from "./told_words.ts";

/** Who is told. */
export interface RecallPlace {
  readonly sessionId: string;
  /** Common git directory, or project directory where there is none. */
  readonly project: string;
  readonly branch: string | null;
  /** The folder that paths are told from. */
  readonly root: string | null;
  readonly nowMs: number;
}

/** Results that are looked at; those of the session itself it knows. */
const LOOKED_AT = 16;
const OF_FILE = 24;
/** Kinds that tell what Claude said. */
const SAYING: ReadonlySet<ObservationKind> = new Set(["message", "summary"]);
/** Kinds that tell what was done. */
const DEEDS: ReadonlySet<ObservationKind> = new Set(["commit", "fix", "edit"]);
/** What is told of a file: that it was edited says nothing. */
const OF_FILES = [...HELPFUL_KINDS].filter((kind) => kind !== "edit" && kind !== "summary");

/** What a prompt calls to mind; the empty text when nothing does. @throws {Error} What SQLite says. */
export function recallForPrompt(db: DatabaseSync, prompt: string, place: RecallPlace): string {
  const words = promptWords(db, prompt);
  if (words === null) return "";
  const { results: found } = answerMemory(db, prompt, {
    filter: { ...EVERYTHING, project: place.project },
    limit: LOOKED_AT,
    nowMs: place.nowMs,
    isSure: true,
  });
  const others = found.filter(({ sessionId }) => sessionId !== place.sessionId);
  const held = heldOf(db, words, others.map(({ id }) => id));
  const about = others.map((one, at) => ({ ...one, ...held[at]! })).filter((one) => one.isEnough);
  // What Claude answered may hold what nothing else does; of more answers, only the best leaves room for what was done.
  const answer = about.find(({ kind }) => kind === "message");
  const helpful = about.filter((one) => one === answer || HELPFUL_KINDS.has(one.kind))
    .map((one) => ({ ...one, doneSince: doneSince(one, about) }))
    .toSorted((one, other) => urgency(other) - urgency(one));
  return tell(db, "Remembered about this", helpful, place);
}

/** The last that was done about what a message or a summary says, later than that; null where nothing was. */
function doneSince(said: SearchResult, about: readonly SearchResult[]): number | null {
  if (!SAYING.has(said.kind)) return null;
  // A summary tells of what its own session did.
  const done = about.filter(({ kind, sessionId, createdAtMs }) =>
    DEEDS.has(kind) && createdAtMs > said.createdAtMs &&
    (said.kind === "message" || sessionId !== said.sessionId)
  );
  return done.toSorted((one, other) => other.createdAtMs - one.createdAtMs)[0]?.id ?? null;
}

/** What names the same thing comes first, and what is broken still. */
function urgency(
  { isNamed, outcome, resolvedBy }: Pick<Recalled, "outcome" | "resolvedBy"> & {
    readonly isNamed: boolean;
  },
): number {
  return Number(isNamed) + Number(outcome === "failure" && resolvedBy === null);
}

/** What is known of a file; the empty text when nothing is. @throws {Error} What SQLite says. */
export function recallForFile(db: DatabaseSync, file: string, place: RecallPlace): string {
  const path = pathInProject(file, place.root);
  const found = timelineOfFile(db, path, {
    project: place.project,
    kinds: OF_FILES,
    limit: OF_FILE,
  })
    .filter(({ sessionId }) => sessionId !== place.sessionId)
    .map((one) => ({ ...one, snippet: "", doneSince: null }));
  return tell(db, `Remembered about ${path}`, found, place);
}

/** Something that may be told, before anybody has looked at its files. */
type Known = Omit<Recalled, "stale"> & {
  readonly branch: string | null;
  readonly files: readonly string[];
};

function tell(
  db: DatabaseSync,
  about: string,
  helpful: readonly Known[],
  { sessionId, project, branch, root, nowMs }: RecallPlace,
): string {
  if (helpful.length === 0) return "";
  const known = alreadyTold(db, sessionId);
  const news = helpful.filter((one) => !known.has(one.id) && !isReplaced(one))
    .slice(0, MAX_RECALLED);
  const facts = news.map((one) => ({ ...one, updatedAtMs: one.createdAtMs }));
  const stale = staleAmong(db, facts, { root, branch, project });
  const recalled = news.map((one) => ({ ...one, stale: stale.get(one.id) ?? null }));
  const { text, told } = recallText(about, recalled, nowMs);
  noteTold(db, sessionId, told, nowMs);
  return text;
}
