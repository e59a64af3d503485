/** Measures the search by a set of documents and questions, which go through capture and drain into a separate database. */
import * as z from "zod/mini";
import type { DatabaseSync } from "node:sqlite";
import { redactText } from "../../secrets/redact.ts";
import { messageOf } from "../../base/errors.ts";
import { newId, shortSessionId } from "../../base/ids.ts";
import { spokenTime } from "./spoken_time.ts";
import { insertCapture } from "../../db/captures.ts";
import { insertRow } from "../../db/statement.ts";
import { transaction } from "../../db/transaction.ts";
import { capturesByObservation, editedAfterPrompts, knownOfFiles } from "./memory_look_table.ts";
import { EVERYTHING, lastObservation, plainSearch } from "./memory_search_table.ts";
import { drainCaptures, type WithoutForgotten } from "../drain/capture_drain.ts";
import { rankMatches } from "./search.ts";
import { MAX_TIME_MS } from "../../base/time.ts";

const BATCH = 500;
/** How many results of each question are read. */
const DEPTH = 20;

/** The ids of the documents from which an observation was made. */
export type DocumentsByObservation = ReadonlyMap<number, readonly string[]>;

/** Saves documents in an empty database and drains them. @returns The documents of each observation. */
export function takeInDocuments(
  db: DatabaseSync,
  documents: readonly EvalDocument[],
  onProgress: (done: number) => void = () => {},
): DocumentsByObservation {
  const documentOf = new Map<string, string>();
  const sessions = new Set<string>();
  for (let from = 0; from < documents.length; from += BATCH) {
    transaction(db, () => {
      for (const document of documents.slice(from, from + BATCH)) {
        if (!sessions.has(document.sessionId)) saveSession(db, document);
        sessions.add(document.sessionId);
        documentOf.set(saveDocument(db, document), document.id);
      }
    });
    onProgress(from);
  }
  const withoutForgotten: WithoutForgotten = (_db, captures) => captures;
  drainCaptures(db, { now: Date.now, onProgress, summarizes: false, withoutForgotten });
  return new Map(
    Array.from(capturesByObservation(db), ([observation, captures]) => [
      observation,
      captures.flatMap((capture) => documentOf.get(capture) ?? []),
    ]),
  );
}

function saveSession(
  db: DatabaseSync,
  { sessionId, projectDir, createdAtMs }: EvalDocument,
): void {
  const shortId = shortSessionId(sessionId);
  const atMs = Math.max(0, Math.floor(createdAtMs));
  const times = { startedAtMs: atMs, updatedAtMs: atMs };
  insertRow(db, "sessions", { sessionId, shortId, status: "active", projectDir, ...times });
}

/** Saves a document as the capture of a prompt or a message. @returns The capture's id. */
function saveDocument(db: DatabaseSync, document: EvalDocument): string {
  const { sessionId, projectDir, role } = document;
  // A hook would mask the documents in the same way.
  const text = redactText(document.text, { patterns: [] });
  const atMs = Math.max(0, Math.floor(document.createdAtMs));
  const id = newId(atMs);
  const isAnswer = role === "assistant";
  const said = isAnswer ? { last_assistant_message: text } : { prompt: text };
  insertCapture(db, { id, sessionId, session: null, atMs }, {
    toolName: isAnswer ? "Stop" : "UserPromptSubmit",
    toolUseId: null,
    outcome: "success",
    priority: "normal",
    filesTouched: [],
    payload: JSON.stringify({ ...said, project_dir: projectDir }),
    cutBytes: 0,
  });
  return id;
}

export interface AskOptions {
  readonly documents: DocumentsByObservation;
  /** `plain` is SQLite's own ranking: any word of the question, ordered by `bm25()`. */
  readonly ranking: "memory" | "plain";
  readonly nowMs: number;
}

export function answerQuestion(
  db: DatabaseSync,
  question: EvalQuestion,
  { documents, ranking, nowMs }: AskOptions,
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
    }).found.map(({ hit }) => hit.id);
  const latencyMs = performance.now() - start;
  const found = ids.flatMap((id) => documents.get(id) ?? []);
  return { question, found: [...new Set(found)], latencyMs };
}

const MAX_PROMPTS = 500;
/** The shortest prompt that says something, unlike "go on". */
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

const NAME = z.pipe(z.union([z.string(), z.number()]), z.transform(String));
const TIME = z.number().check(z.gte(0), z.lte(MAX_TIME_MS));

const DOCUMENT = z.object({
  type: z.literal("document"),
  id: NAME,
  sessionId: NAME,
  projectDir: NAME,
  text: NAME,
  createdAtMs: TIME,
  /** The speaker: `assistant` is Claude; any other role, and null, is a person. */
  role: z._default(z.nullable(z.string()), null),
});

/** A question, and the documents that answer it; empty when nothing answers it. */
const QUESTION = z.object({
  type: z.literal("question"),
  id: NAME,
  text: NAME,
  relevant: z.readonly(z.array(NAME)),
  projectDir: z._default(z.nullable(z.string()), null),
  /** The moment of the question. Only earlier documents count. */
  asOfMs: z._default(z.nullable(TIME), null),
});

const LINE = z.discriminatedUnion("type", [DOCUMENT, QUESTION]);

export type EvalDocument = Readonly<Omit<z.infer<typeof DOCUMENT>, "type">>;
export type EvalQuestion = Readonly<Omit<z.infer<typeof QUESTION>, "type">>;

interface EvalAnswer {
  readonly question: EvalQuestion;
  readonly found: readonly string[];
  readonly latencyMs: number;
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

/** Reads a set. @throws {Error} With the number of the first line that is not valid, or contradicts the others. */
export function readEvalSet(
  text: string,
): { readonly documents: readonly EvalDocument[]; readonly questions: readonly EvalQuestion[] } {
  const lines = text.replace(/^\uFEFF/, "").split("\n").map((line) => line.trim());
  const fault = (at: number, why: string, cause?: unknown) =>
    new Error(`line ${at + 1}: ${why}`, { cause });
  const [documents, questions] = [new Map<string, EvalDocument>(), new Map<number, EvalQuestion>()];
  /** The line on which each document and question stands. */
  const known = new Map<string, number>();
  for (const [at, line] of lines.entries()) {
    if (line === "") continue;
    let read: z.infer<typeof LINE>;
    try {
      read = LINE.parse(JSON.parse(line));
    } catch (thrown) {
      const [issue] = thrown instanceof z.core.$ZodError ? thrown.issues : [];
      const named = issue?.path.join(".") || "type";
      throw fault(at, issue ? `its \`${named}\` is not right` : messageOf(thrown), thrown);
    }
    const name = `the ${read.type} "${read.id}"`;
    const other = known.get(name);
    // Parts of a set may share documents.
    if (other !== undefined && lines[other] === line) continue;
    if (other !== undefined) throw fault(at, `${name} is on line ${other + 1} already`);
    known.set(name, at);
    if (read.type === "question") questions.set(at, read);
    else documents.set(read.id, read);
  }
  for (const [at, { relevant }] of questions) {
    const unknown = relevant.find((id) => !documents.has(id));
    if (unknown === undefined) continue;
    throw fault(at, `\`relevant\` names "${unknown}", and no document has that id`);
  }
  return { documents: [...documents.values()], questions: [...questions.values()] };
}

/** Returns the measures over all questions that have an answer. */
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

/** Returns the place of the first relevant document, 1 and up; null when none was found. */
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
