/** Measures the search by a set of documents and questions, which go through capture and drain into a separate database. */
import type { DatabaseSync } from "node:sqlite";
import { redactText } from "../../secrets/redact.ts";
import { newId } from "../../base/ids.ts";
import { spokenTime } from "./spoken_time.ts";
import type { RankWeights } from "./rank.ts";
import { type HookRecord, saveRecords } from "../../db/captures.ts";
import { capturesByObservation, editedAfterPrompts, knownOfFiles } from "./memory_look_table.ts";
import { EVERYTHING, lastObservation, plainSearch } from "./memory_search_table.ts";
import { drainCaptures, type WithoutForgotten } from "../drain/capture_drain.ts";
import { rankMatches } from "./search.ts";
import { MAX_TIME_MS } from "../../base/time.ts";

const BATCH = 500;
/** The results of each question that are read. */
const DEPTH = 20;

/** The ids of the documents that an observation is made of. */
export type DocumentsByObservation = ReadonlyMap<number, readonly string[]>;

/** Saves documents in an empty database and drains them. @returns The documents of each observation. */
export function takeInDocuments(
  db: DatabaseSync,
  documents: readonly EvalDocument[],
  onProgress: (done: number) => void = () => {},
): DocumentsByObservation {
  const documentOf = new Map<string, string>();
  for (let from = 0; from < documents.length; from += BATCH) {
    const records = documents.slice(from, from + BATCH).map((document) => {
      const record = recordOf(document);
      documentOf.set(record.id, document.id);
      return record;
    });
    saveRecords(db, records);
    onProgress(from);
  }
  const withoutForgotten: WithoutForgotten = (_db, captures) => captures;
  drainCaptures(db, { now: Date.now, onProgress, summarizes: false, withoutForgotten });
  return new Map(
    [...capturesByObservation(db)].map(([observation, captures]) => [
      observation,
      captures.flatMap((capture) => documentOf.get(capture) ?? []),
    ]),
  );
}

export interface AskOptions {
  readonly documents: DocumentsByObservation;
  /** `plain` is what SQLite gives by itself: all words of the question, ordered by `bm25()`. */
  readonly ranking: "memory" | "plain";
  readonly nowMs: number;
  readonly weights?: RankWeights;
}

export function answerQuestion(
  db: DatabaseSync,
  question: EvalQuestion,
  { documents, ranking, nowMs, weights }: AskOptions,
): EvalAnswer {
  const { text, projectDir, asOfMs } = question;
  const filter = {
    ...EVERYTHING,
    project: projectDir,
    untilMs: asOfMs === null ? null : asOfMs + 1,
  };
  const start = performance.now();
  const ids = ranking === "plain"
    ? plainSearch(db, text, { filter, limit: DEPTH })
    : rankMatches(db, text, {
      filter,
      limit: DEPTH,
      nowMs: asOfMs ?? nowMs,
      time: spokenTime(text, asOfMs ?? nowMs),
      ...(weights === undefined ? {} : { weights }),
    }).found.map(({ hit }) => hit.id);
  const latencyMs = performance.now() - start;
  const found = ids.flatMap((id) => documents.get(id) ?? []);
  return { question, found: [...new Set(found)], latencyMs };
}

function recordOf(document: EvalDocument): HookRecord {
  const { sessionId, projectDir, role } = document;
  // Masked as by a hook.
  const text = redactText(document.text, { patterns: [] });
  const atMs = Math.max(0, Math.floor(document.createdAtMs));
  const isAnswer = role === "assistant";
  const event = isAnswer ? "Stop" : "UserPromptSubmit";
  const payload = isAnswer ? { last_assistant_message: text } : { prompt: text };
  return {
    id: newId(atMs),
    atMs,
    sessionId,
    session: {
      effect: "touch",
      source: null,
      title: null,
      projectDir,
      repository: null,
      branch: null,
      cwd: null,
      permissionMode: null,
      transcriptPath: null,
      claudePid: null,
      claudeProcess: null,
      endReason: null,
    },
    execution: {
      hookName: event,
      toolName: null,
      toolUseId: null,
      status: "success",
      durationMs: 0,
      errorMessage: null,
      errorStack: null,
      metadata: {},
    },
    capture: {
      toolName: event,
      toolUseId: null,
      outcome: "success",
      priority: "normal",
      filesTouched: [],
      payload: JSON.stringify({ ...payload, project_dir: projectDir }),
      cutBytes: 0,
    },
    counters: [],
  };
}

const MAX_PROMPTS = 500;
/** A shorter prompt says nothing ("go on"). */
const MIN_CHARS = 12;

/**
 * Makes questions of past prompts. A prompt should find the edits, fixes, commits, decisions and notes of earlier sessions
 * about the files that were edited before the next prompt.
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

export interface EvalDocument {
  readonly id: string;
  readonly sessionId: string;
  readonly projectDir: string;
  readonly text: string;
  readonly createdAtMs: number;
  /** Who said it: `assistant` is Claude, any other and null a person. */
  readonly role: string | null;
}

/** A question, and the documents that answer it; none when nothing does. */
export interface EvalQuestion {
  readonly id: string;
  readonly text: string;
  readonly relevant: readonly string[];
  readonly projectDir: string | null;
  /** The moment of the question: only earlier documents count. */
  readonly asOfMs: number | null;
}

type EvalLine =
  | { readonly kind: "document"; readonly document: EvalDocument }
  | { readonly kind: "question"; readonly question: EvalQuestion };

interface EvalAnswer {
  readonly question: EvalQuestion;
  readonly found: readonly string[];
  readonly latencyMs: number;
}

class EvalLineError extends Error {
  override readonly name = "EvalLineError";
  constructor(readonly line: number, readonly why: string, cause?: unknown) {
    super(`line ${line}: ${why}`, { cause });
  }
}

/** The numbers of results for which recall is measured. */
export const EVAL_DEPTHS = [1, 5, 10, 20] as const;

/** Recall by depth: `"10": 0.9`. */
type RecallByDepth = Readonly<Record<`${typeof EVAL_DEPTHS[number]}`, number>>;

export interface EvalScores {
  /** `any`: the share of questions with a relevant result; `fraction`: the mean share of relevant documents found. */
  readonly recall: { readonly any: RecallByDepth; readonly fraction: RecallByDepth };
  /** Mean of 1 / rank of the first relevant document. */
  readonly mrr: number;
  readonly latencyMs: { readonly p50: number; readonly p99: number };
}

/** Reads a set. @throws {EvalLineError} At the first line that is not valid, or does not fit the others. */
export function readEvalSet(
  text: string,
): { readonly documents: readonly EvalDocument[]; readonly questions: readonly EvalQuestion[] } {
  const lines = text.replace(/^\uFEFF/, "").split("\n").map((one) => one.trim());
  const [documents, questions] = [new Map<string, EvalDocument>(), new Map<number, EvalQuestion>()];
  /** The line of each document and question. */
  const known = new Map<string, number>();
  for (const [at, one] of lines.entries()) {
    if (one === "") continue;
    const line = at + 1;
    const read = readNumbered(one, line);
    const id = read.kind === "question" ? read.question.id : read.document.id;
    const name = `the ${read.kind} "${id}"`;
    const other = known.get(name);
    // Parts of a set may share documents.
    if (other !== undefined && lines[other - 1] === one) continue;
    if (other !== undefined) throw new EvalLineError(line, `${name} is on line ${other} already`);
    known.set(name, line);
    if (read.kind === "question") questions.set(line, read.question);
    else documents.set(id, read.document);
  }
  for (const [line, { relevant }] of questions) {
    const unknown = relevant.find((id) => !documents.has(id));
    if (unknown !== undefined) {
      throw new EvalLineError(line, `\`relevant\` names "${unknown}", and no document has that id`);
    }
  }
  return { documents: [...documents.values()], questions: [...questions.values()] };
}

function readNumbered(text: string, line: number): EvalLine {
  try {
    return readEvalLine(text);
  } catch (thrown) {
    throw new EvalLineError(line, (thrown as Error).message, thrown);
  }
}

/** Reads one line of a set. @throws {SyntaxError} What is wrong with it. */
function readEvalLine(text: string): EvalLine {
  const line: unknown = JSON.parse(text);
  if (typeof line !== "object" || line === null) throw new SyntaxError("it is no object");
  const fields = line as Readonly<Record<string, unknown>>;
  const type = fields["type"];
  if (type === "document") {
    return {
      kind: "document",
      document: {
        id: textOf(fields, "id"),
        sessionId: textOf(fields, "sessionId"),
        projectDir: textOf(fields, "projectDir"),
        text: textOf(fields, "text"),
        createdAtMs: timeOf(fields, "createdAtMs") ?? missing("createdAtMs", "a number"),
        role: typeof fields["role"] === "string" ? fields["role"] : null,
      },
    };
  }
  if (type !== "question") {
    throw new SyntaxError('its `type` is neither "document" nor "question"');
  }
  const relevant = fields["relevant"];
  if (!Array.isArray(relevant)) missing("relevant", "a list of ids");
  return {
    kind: "question",
    question: {
      id: textOf(fields, "id"),
      text: textOf(fields, "text"),
      relevant: (relevant as unknown[]).map(String),
      projectDir: typeof fields["projectDir"] === "string" ? fields["projectDir"] : null,
      asOfMs: timeOf(fields, "asOfMs"),
    },
  };
}

/** The measures over all questions that have an answer. */
export function scoreAnswers(answers: readonly EvalAnswer[]): EvalScores {
  const asked = answers.filter(({ question }) => question.relevant.length > 0);
  const latencies = answers.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
  return {
    recall: {
      any: byDepth((depth) => mean(asked, (answer) => hits(answer, depth) > 0 ? 1 : 0)),
      fraction: byDepth((depth) =>
        mean(asked, (answer) => hits(answer, depth) / new Set(answer.question.relevant).size)
      ),
    },
    mrr: rounded(mean(asked, (answer) => {
      const rank = rankOf(answer);
      return rank === null ? 0 : 1 / rank;
    })),
    latencyMs: { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) },
  };
}

/** The place of the first relevant document, 1 and up; null when none was found. */
export function rankOf({ question, found }: EvalAnswer): number | null {
  const at = found.findIndex((id) => question.relevant.includes(id));
  return at < 0 ? null : at + 1;
}

function hits({ question, found }: EvalAnswer, depth: number): number {
  const top = new Set(found.slice(0, depth));
  return new Set(question.relevant.filter((id) => top.has(id))).size;
}

function byDepth(measure: (depth: number) => number): RecallByDepth {
  return Object.fromEntries(
    EVAL_DEPTHS.map((depth) => [depth, rounded(measure(depth))]),
  ) as unknown as RecallByDepth;
}

function mean(answers: readonly EvalAnswer[], value: (answer: EvalAnswer) => number): number {
  if (answers.length === 0) return 0;
  return answers.reduce((sum, answer) => sum + value(answer), 0) / answers.length;
}

function percentile(ascending: readonly number[], part: number): number {
  const at = Math.min(ascending.length - 1, Math.floor(ascending.length * part));
  return rounded(ascending[at] ?? 0);
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

function textOf(fields: Readonly<Record<string, unknown>>, name: string): string {
  const value = fields[name];
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value : missing(name, "a text");
}

/** Null where there is none. */
function timeOf(fields: Readonly<Record<string, unknown>>, name: string): number | null {
  const value = fields[name] ?? null;
  if (value === null) return null;
  if (typeof value !== "number") return missing(name, "a number");
  if (value >= 0 && value <= MAX_TIME_MS) return value;
  throw new SyntaxError(`\`${name}\` is no time in milliseconds since 1970: ${value}`);
}

function missing(name: string, what: string): never {
  throw new SyntaxError(`\`${name}\` is not ${what}`);
}
