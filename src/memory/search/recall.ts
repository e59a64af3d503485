/** Tells a session what is remembered about a prompt, or about a file before an edit, each observation once. */
import type { DatabaseSync } from "node:sqlite";
import { isReplaced, isSuperseded, type ObservationKind } from "../observe/observation.ts";
import { pathInProject } from "../project_paths.ts";
import { timelineOfFile } from "./memory_look_table.ts";
import { countMatches, EVERYTHING, lastObservation, withTerm } from "./memory_search_table.ts";
import { alreadyTold, noteTold } from "../tell/memory_context_table.ts";
import { answerMemory, type SearchResult } from "./search.ts";
import { staleAmong } from "../tell/stale_files.ts";
import { headed, plain } from "../../base/plain.ts";
import { relativeTime } from "../../base/time.ts";
import { type Stale, staleText } from "../tell/context_text.ts";
import { shortened } from "../text.ts";
import { matchLimits } from "./candidates.ts";
import { readQuestion } from "./question.ts";
import { codeTerms } from "./terms.ts";

export interface RecallPlace {
  readonly sessionId: string;
  /** Common git directory, or project directory where there is none. */
  readonly project: string;
  readonly branch: string | null;
  /** The folder that paths are told from. */
  readonly root: string | null;
  readonly nowMs: number;
}

/** Results that are looked at. Those of the session itself are left out: it knows them. */
const LOOKED_AT = 16;
const OF_FILE = 24;
const SAYING: ReadonlySet<ObservationKind> = new Set(["message", "summary"]);
const DEEDS: ReadonlySet<ObservationKind> = new Set(["commit", "fix", "edit"]);
/** Kinds that help whoever begins something; what was merely run or looked at does not. */
const HELPFUL_KINDS: ReadonlySet<ObservationKind> = new Set([
  "fix",
  "decision",
  "note",
  "commit",
  "failure",
  "test",
  "summary",
  "edit",
]);
/** The kinds that are told of a file; that somebody edited it says nothing. */
const OF_FILES = [...HELPFUL_KINDS].filter((kind) => kind !== "edit" && kind !== "summary");

/** What is remembered about a prompt; empty for nothing. @throws {Error} What SQLite says. */
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

/** Puts first what names the same thing, and what is still broken. */
function urgency(
  { isNamed, outcome, resolvedBy }: Pick<Recalled, "outcome" | "resolvedBy"> & {
    readonly isNamed: boolean;
  },
): number {
  return Number(isNamed) + Number(outcome === "failure" && resolvedBy === null);
}

/** What is remembered about a file; empty for nothing. @throws {Error} What SQLite says. */
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

/** About 250 tokens. */
const MAX_RECALL_CHARS = 870;
/** So many are told at most. */
const MAX_RECALLED = 4;
const MAX_TITLE_CHARS = 150;
/** The least room of a snippet. It takes the room that the other lines leave. */
const MIN_SNIPPET_CHARS = 90;

interface Recalled {
  readonly id: number;
  readonly kind: ObservationKind;
  readonly title: string;
  /** Empty where the title says it all. */
  readonly snippet: string;
  readonly outcome: "success" | "failure" | null;
  readonly resolvedBy: number | null;
  readonly createdAtMs: number;
  /** The number of later work on the same, for what somebody said; null where there is none. */
  readonly doneSince: number | null;
  /** Whether its file changed or is gone; null where it did not change. */
  readonly stale: Stale | null;
}

/** The lines that fit, the first ones first. @param about `Remembered about this`. */
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
  { id, kind, title, snippet, outcome, resolvedBy, createdAtMs, doneSince, stale }: Recalled,
  { nowMs, maxChars }: { readonly nowMs: number; readonly maxChars: number },
): string {
  const state = isSuperseded({ kind, resolvedBy })
    ? " (superseded)"
    : doneSince !== null
    ? ` (worked on since: #${doneSince})`
    : outcome !== "failure"
    ? ""
    : resolvedBy === null
    ? " (open)"
    : resolvedBy === 0
    ? " (mended)"
    : ` (mended: #${resolvedBy})`;
  const head = `#${id} ${relativeTime(createdAtMs, nowMs)}, ${kind}: ${
    shortened(title, MAX_TITLE_CHARS)
  }${staleText(stale)}${state}`;
  const rest = restOf(snippet, title);
  const more = rest === ""
    ? ""
    : ` — ${shortened(rest, Math.max(MIN_SNIPPET_CHARS, maxChars - head.length - " — ".length))}`;
  return plain(head + more);
}

/** The part of a snippet that the title does not say already; may be empty. */
function restOf(snippet: string, title: string): string {
  const start = title.replace(/…$/, "");
  if (snippet.startsWith(start)) return snippet.slice(start.length).trim();
  return title.includes(snippet.slice(0, 40)) ? "" : snippet;
}

/** Prompts that tell less are about what was said just before ("yes, fix that"). */
const MIN_TELLING = 2;
const MAX_WORDS = 24;
/** A memory of a few observations is counted as if it had so many more, or each of its words would be everywhere. */
const FEW = 10;
/** The part of a prompt's weight, or the weight of so many of its rarest words, that must be held. */
const ENOUGH = { part: 0.5, words: 2.5 };
/** Words that ask for work, whatever it is about. */
const OF_WORK: ReadonlySet<string> = new Set(
  ("add build change check clean commit commits create delete do edit error errors fail failing fails file files fix implement " +
    "look merge move open pr project pull push refactor remove rename repo repository review run show start test tests update work write")
    .split(" ").map((word) => `"${word}"`),
);
/** Beside a name of code, this part of the needed weight is enough. */
const BESIDE_NAME = 0.5;

interface Word {
  readonly match: string;
  /** How much it tells: the more, the fewer observations have it. */
  readonly weight: number;
  /** Whether memory has it at all. */
  readonly isKnown: boolean;
}

interface PromptWords {
  readonly words: readonly Word[];
  /** Names of code, as the index takes them. */
  readonly names: readonly string[];
  /** How much has to be held. */
  readonly enough: number;
}

/** Reads a prompt; null where it says too little, or memory cannot have enough of it. @throws {Error} What SQLite says. */
function promptWords(db: DatabaseSync, prompt: string): PromptWords | null {
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
  /** Whether it has a name of code in the prompt. */
  readonly isNamed: boolean;
}

/** How each observation answers a prompt, in their order. @throws {Error} What SQLite says. */
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
