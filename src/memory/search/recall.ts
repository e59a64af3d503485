/** Tells a session what memory has about a prompt, or about a file before an edit. Each observation is told once. */
import type { DatabaseSync } from "node:sqlite";
import { isReplaced, type ObservationKind } from "../observe/observation.ts";
import { pathInProject } from "../project_paths.ts";
import { timelineOfFile } from "./memory_look_table.ts";
import { outcomeWord } from "./observation_view.ts";
import { countMatches, EVERYTHING, lastObservation, withTerm } from "./memory_search_table.ts";
import { alreadyTold, noteClaimTold } from "../tell/memory_context_table.ts";
import { answerMemory, type SearchResult } from "./search.ts";
import { withStale } from "../tell/stale_files.ts";
import { headed, plain } from "../../base/plain.ts";
import { relativeTime } from "../../base/time.ts";
import { type Stale, staleText } from "../tell/context_text.ts";
import { shortened } from "../text.ts";
import { matchLimits } from "./candidates.ts";
import { readQuestion } from "./question.ts";
import { codeTerms } from "./terms.ts";
import WORDS from "./common_words.json" with { type: "json" };

export interface RecallPlace {
  readonly sessionId: string;
  /** The common git directory; the folder of a project without git. */
  readonly project: string;
  readonly branch: string | null;
  /** The folder to which paths are relative. */
  readonly root: string | null;
  readonly nowMs: number;
}

/** The most results that are read for a prompt, and for a file. The session's own are left out afterwards. */
const MAX_OF_PROMPT = 16;
const MAX_OF_FILE = 24;
/** Kinds that help at the start of work; commands, searches and fetches do not. */
const HELPFUL: readonly ObservationKind[] = [
  "fix",
  "decision",
  "note",
  "commit",
  "failure",
  "test",
];
const OF_PROMPTS: ReadonlySet<ObservationKind> = new Set([...HELPFUL, "summary", "edit"]);

/** Returns what memory holds about a prompt; empty when it holds nothing. @throws {Error} The error of SQLite. */
export function recallForPrompt(db: DatabaseSync, prompt: string, place: RecallPlace): string {
  const words = promptWords(db, prompt);
  if (words === null) return "";
  const { results: found } = answerMemory(db, prompt, {
    filter: { ...EVERYTHING, project: place.project },
    limit: MAX_OF_PROMPT,
    nowMs: place.nowMs,
    isSure: true,
  });
  const others = found.filter(({ sessionId }) => sessionId !== place.sessionId);
  const held = heldOf(db, words, others.map(({ id }) => id));
  const about = others.map((one, at) => ({ ...one, ...held[at]! })).filter((one) => one.isEnough);
  // Only the best message is told, so that there is room for what was done.
  const answer = about.find(({ kind }) => kind === "message");
  const helpful = about.filter((one) => one === answer || OF_PROMPTS.has(one.kind))
    .toSorted((one, other) => urgency(other) - urgency(one));
  return tell(db, "Remembered about this", helpful, place);
}

/** Returns a higher number for an observation with a name from the prompt, and for an open failure. */
function urgency(one: Held & Pick<Recalled, "outcome" | "resolvedBy">): number {
  return Number(one.isNamed) + Number(isOpen(one));
}

function isOpen({ outcome, resolvedBy }: Pick<Recalled, "outcome" | "resolvedBy">): boolean {
  return outcome === "failure" && resolvedBy === null;
}

/** Returns what memory holds about a file; empty when it holds nothing. @throws {Error} The error of SQLite. */
export function recallForFile(db: DatabaseSync, file: string, place: RecallPlace): string {
  const path = pathInProject(file, place.root);
  const options = { project: place.project, kinds: HELPFUL, limit: MAX_OF_FILE };
  const found = timelineOfFile(db, [path], options)
    .filter(({ sessionId }) => sessionId !== place.sessionId)
    .map((one) => ({ ...one, snippet: "" }));
  return tell(db, `Remembered about ${path}`, found, place);
}

/** An observation that may be told, before its files are checked. */
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
  const recalled = withStale(db, facts, { root, branch, project });
  const { text, told } = recallText(about, recalled, nowMs);
  noteClaimTold(db, sessionId, told, nowMs);
  return text;
}

/** The length of a recall in characters, about 250 tokens. */
const MAX_RECALL_CHARS = 870;
/** The most observations that are told. */
const MAX_RECALLED = 4;
const MAX_TITLE_CHARS = 150;
/** The least length of a snippet, in characters. A snippet also gets the room that the other lines leave. */
const MIN_SNIPPET_CHARS = 90;

interface Recalled
  extends Pick<SearchResult, "id" | "kind" | "title" | "outcome" | "resolvedBy" | "createdAtMs"> {
  /** The snippet; empty when the title says it all. */
  readonly snippet: string;
  /** Whether the observation's file changed or is gone; null when it did not change. */
  readonly stale: Stale | null;
}

/** Returns the lines that fit, the first ones first. @param about `Remembered about this`. */
export function recallText(
  about: string,
  recalled: readonly Recalled[],
  nowMs: number,
): { readonly text: string; readonly told: readonly number[] } {
  let text = `${headed(about)}:`;
  const told: number[] = [];
  const lines = recalled.slice(0, MAX_RECALLED);
  for (const [at, one] of lines.entries()) {
    const room = Math.floor((MAX_RECALL_CHARS - text.length) / (lines.length - at));
    const line = `\n- ${lineOf(one, { nowMs, maxChars: room - "\n- ".length })}`;
    if (text.length + line.length > MAX_RECALL_CHARS) continue;
    text += line;
    told.push(one.id);
  }
  return told.length === 0 ? { text: "", told } : { text, told };
}

function lineOf(
  one: Recalled,
  { nowMs, maxChars }: { readonly nowMs: number; readonly maxChars: number },
): string {
  const { id, kind, title, snippet, createdAtMs, stale } = one;
  const outcome = outcomeWord(one) || (isOpen(one) ? "open" : "");
  const state = `${staleText(stale)}${outcome === "" ? "" : ` (${outcome})`}`;
  const head = `#${id} ${relativeTime(createdAtMs, nowMs)}, ${kind}: ${
    shortened(title, MAX_TITLE_CHARS)
  }${state}`;
  const rest = restOf(snippet, title);
  const more = rest === ""
    ? ""
    : ` — ${shortened(rest, Math.max(MIN_SNIPPET_CHARS, maxChars - head.length - " — ".length))}`;
  return plain(head + more);
}

/** Returns the part of a snippet that the title does not repeat; may be empty. */
function restOf(snippet: string, title: string): string {
  const start = title.replace(/…$/, "");
  if (snippet.startsWith(start)) return snippet.slice(start.length).trim();
  return title.includes(snippet.slice(0, 40)) ? "" : snippet;
}

/** The least number of telling words. A prompt with fewer is about what was said just before ("yes, fix that"). */
const MIN_TELLING = 2;
const MAX_WORDS = 24;
/** Added to the number of observations, since in a small memory every word would seem common. */
const FEW = 10;
/** The least weight to hold: this part of the prompt's, or this many times its rarest word's if that is less. */
const ENOUGH = { part: 0.5, words: 2.5 };
/** Words that ask for work without saying on what. */
const OF_WORK: ReadonlySet<string> = new Set(
  WORDS.work.join(" ").split(" ").map((word) => `"${word}"`),
);
/** With a name of code, this part of the needed weight is enough. */
const BESIDE_NAME = 0.5;

interface Word {
  readonly match: string;
  /** The weight of the word: the fewer observations hold it, the higher. */
  readonly weight: number;
  /** Whether memory holds the word at all. */
  readonly isKnown: boolean;
}

/** Words of a prompt, names of code in the form of the index, and the weight that an observation must hold. */
type PromptWords = NonNullable<ReturnType<typeof promptWords>>;

/** Reads a prompt; null when it says too little, or memory has too few of its words. @throws {Error} SQLite's. */
function promptWords(db: DatabaseSync, prompt: string) {
  const asked = readQuestion(prompt).terms.filter(({ kind }) => kind === "word").slice(
    0,
    MAX_WORDS,
  );
  const names = codeTerms(prompt).exact.slice(0, MAX_WORDS).map((name) => `"${name}"`);
  const telling = asked.filter(({ match }) => !OF_WORK.has(match));
  if (telling.length + names.length < MIN_TELLING) return null;
  const observations = lastObservation(db);
  const { perTerm } = matchLimits(observations);
  const words = telling.map(({ match }): Word => {
    const count = countMatches(db, match, perTerm);
    const weight = Math.log((observations + FEW) / (count + 1));
    return { match, weight: count < perTerm ? Math.max(0, weight) : 0, isKnown: count > 0 };
  });
  const rarest = Math.max(0, ...words.map(({ weight }) => weight));
  const enough = Math.min(ENOUGH.part * sum(words), ENOUGH.words * rarest);
  const needed = names.length === 0 ? enough : BESIDE_NAME * enough;
  const known = sum(words.filter(({ isKnown }) => isKnown));
  return known === 0 && names.length === 0 || known < needed ? null : { words, names, enough };
}

interface Held {
  readonly isEnough: boolean;
  /** Whether the observation has a name of code from the prompt. */
  readonly isNamed: boolean;
}

/** Returns how much of a prompt each observation holds, in their order. @throws {Error} The error of SQLite. */
function heldOf(
  db: DatabaseSync,
  { words, names, enough }: PromptWords,
  ids: readonly number[],
): Held[] {
  const within = words.filter(({ isKnown, weight }) => isKnown && weight > 0)
    .map(({ match, weight }) => ({ weight, having: withTerm(db, match, ids) }));
  const named = names.length === 0 ? new Set() : withTerm(db, names.join(" OR "), ids);
  return ids.map((id) => {
    const isNamed = named.has(id);
    const held = sum(within.filter(({ having }) => having.has(id)));
    return {
      isEnough: (held > 0 || isNamed) && held >= (isNamed ? BESIDE_NAME : 1) * enough,
      isNamed,
    };
  });
}

function sum(words: readonly { readonly weight: number }[]): number {
  return words.reduce((all, { weight }) => all + weight, 0);
}
