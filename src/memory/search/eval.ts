/** Measures memory by a set of documents and questions, in a database of its own, on the way that real memory goes. */
import type { DatabaseSync } from "node:sqlite";
import { redactText } from "../../secrets/redact.ts";
import { newId } from "../../base/ids.ts";
import type { EvalAnswer, EvalDocument, EvalQuestion } from "./eval_set.ts";
import { spokenTime } from "./spoken_time.ts";
import type { RankWeights } from "./rank.ts";
import { type HookRecord, saveRecords } from "../../db/captures.ts";
import { capturesByObservation, editedAfterPrompts, knownOfFiles } from "./memory_look_table.ts";
import { EVERYTHING, lastObservation, plainSearch } from "./memory_search_table.ts";
import { drainCaptures, type WithoutForgotten } from "../drain/capture_drain.ts";
import { rankMatches } from "./search.ts";

/** Documents that go in with one transaction. */
const BATCH = 500;
/** Results that are looked at; observations that are the same text in one session are one. */
const DEPTH = 20;

/** The ids of the documents that an observation is made of. */
export type DocumentsByObservation = ReadonlyMap<number, readonly string[]>;

/**
 * Puts documents into an empty database, as prompts and messages of their sessions, and has them worked into memory.
 *
 * @returns Which documents each observation is made of.
 */
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

/** What is asked, and in which way. */
export interface AskOptions {
  readonly documents: DocumentsByObservation;
  /** `plain` is what SQLite gives by itself: all words of the question, ordered by `bm25()`. */
  readonly ranking: "memory" | "plain";
  readonly nowMs: number;
  readonly weights?: RankWeights;
}

/** Asks one question. */
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
    }).map(({ hit }) => hit.id);
  const latencyMs = performance.now() - start;
  const found = ids.flatMap((id) => documents.get(id) ?? []);
  return { question, found: [...new Set(found)], latencyMs };
}

function recordOf(document: EvalDocument): HookRecord {
  const { sessionId, projectDir, role } = document;
  // As a hook keeps it.
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

/** Prompts that are looked at: the newest. */
const MAX_PROMPTS = 500;
/** A shorter prompt says nothing ("go on"). */
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
