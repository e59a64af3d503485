/** Writes summaries of sessions without a model: what was asked, done, decided, changed and left open. */
import type { DatabaseSync } from "node:sqlite";
import { digestOf } from "../../base/fnv.ts";
import { endInWords, whyCutOff, withEnd, withoutEnd } from "../tell/ended_session.ts";
import { type Observation, replaceObservation, summaryUid } from "./observations_table.ts";
import { indexedTerms } from "../search/terms.ts";
import { indexTogether } from "../search/memory_index_table.ts";
import { observationsToSummarize, usedTools } from "../observe/session_observations_table.ts";
import { forgetSummaryRequest, sessionsToSummarize } from "../../db/queue_work.ts";
import { sessionEnd, sessionTitle } from "../../db/sessions.ts";
import { rewriteSummary, summaryOf } from "./summarizer_runs_table.ts";
import { count } from "../../base/counts.ts";
import { isReplaced, type ObservedFacts } from "../observe/observation.ts";
import { storyOf, type SummarizedPart } from "../tell/session_story.ts";
import { shortened, titleLine } from "../text.ts";

/** The most observations that a summary is made of, the newest. */
const MAX_PARTS = 400;
const BATCH = 100;
/** About how long one transaction writes summaries, in milliseconds: hooks wait for it. */
const TRANSACTION_MS = 5;

export interface SummariesReport {
  readonly summaries: number;
  /** False when the time ran out first. */
  readonly complete: boolean;
}

/** Writes the summaries of changed sessions again. Each step is a transaction with a few of them. */
export function* summarySteps(
  db: DatabaseSync,
  { untilMs }: { readonly untilMs: number },
): Generator<number, SummariesReport> {
  let summaries = 0;
  for (;;) {
    const sessions = sessionsToSummarize(db, BATCH);
    if (sessions.length === 0) return { summaries, complete: true };
    for (let at = 0; at < sessions.length;) {
      const [from, startMs] = [at, performance.now()];
      if (startMs >= untilMs) return { summaries, complete: false };
      indexTogether(db, () => {
        do writeSummary(db, sessions[at++]!); while (
          at < sessions.length && performance.now() < startMs + TRANSACTION_MS
        );
      });
      summaries += at - from;
      yield 0;
    }
  }
}

/**
 * Digest of a summary that was made without a model, and of the observations that it is made of. The end of the session
 * does not count: it is not a reason to ask a model again.
 */
export function digestOfSummary(
  db: DatabaseSync,
  { sessionId, title, text, facts, files }: Observation,
): string {
  const parts = observationsToSummarize(db, sessionId, MAX_PARTS);
  return digestOfParts({ title, text, files, facts }, parts);
}

function digestOfParts(
  { title, text, files, facts }: Pick<Observation, "title" | "text" | "files" | "facts">,
  parts: readonly Pick<Observation, "title">[],
): string {
  const titles = parts.map(({ title }) => title);
  return digestOf(JSON.stringify([title, withoutEnd(text), facts.open ?? [], files, titles]));
}

/** Writes the summary of a session again after one of its decisions was replaced. An imported one stays. */
export function writeSummaryAgain(db: DatabaseSync, sessionId: string): void {
  if (summaryOf(db, sessionId) !== undefined) writeSummary(db, sessionId);
}

function writeSummary(db: DatabaseSync, sessionId: string): void {
  const parts = observationsToSummarize(db, sessionId, MAX_PARTS);
  const last = parts.at(-1);
  const summary = summarizeSession(parts, sessionTitle(db, sessionId));
  const end = sessionEnd(db, sessionId);
  const ended = end === null ? "" : endInWords(end);
  const stored = summaryOf(db, sessionId);
  const rewrittenFrom = stored?.facts.rewrittenFrom;
  // A model's version of the same summary stays.
  const isRewritten = summary !== null && rewrittenFrom !== undefined &&
    rewrittenFrom === digestOfParts(summary, parts);
  if (isRewritten) writeEnd(db, stored!, ended);
  else if (last !== undefined && summary !== null) {
    const { title, files, facts } = summary;
    const text = withEnd(summary.text, ended);
    const { project, branch } = last;
    const isTrivial = isSmallTalk(parts) && !usedTools(db, sessionId) &&
      (end === null || whyCutOff(end) === null);
    replaceObservation(db, {
      uid: summaryUid(sessionId),
      sessionId,
      project,
      branch,
      kind: "summary",
      outcome: null,
      title,
      text,
      terms: indexedTerms([title, text, ...files].join("\n"), project),
      files: files.map((path) => ({ path, digest: null })),
      facts: {
        ...facts,
        ...ended === "" ? {} : { end: ended },
        ...isTrivial ? { trivial: true } : isWordWithoutWork(parts) ? { brief: true } : {},
      },
      sameAs: digestOf("summary"),
      atMs: last.updatedAtMs,
    });
  }
  forgetSummaryRequest(db, sessionId);
}

/** Adds the end of the session to a summary that a model has written. */
function writeEnd(db: DatabaseSync, stored: Observation, ended: string): void {
  const { id, title, files, project, facts } = stored;
  // The summary says it already.
  if ((facts.end ?? "") === ended) return;
  const text = withEnd(stored.text, ended);
  const terms = indexedTerms([title, text, ...files].join("\n"), project);
  rewriteSummary(db, id, { text, terms, rewrittenFrom: facts.rewrittenFrom ?? "", end: ended });
}

interface SessionSummary {
  /** The subject and what was done; not what is open, since a later session may do it. */
  readonly title: string;
  readonly text: string;
  readonly files: readonly string[];
  /** Its lists of tasks, the tasks and failures that it left open, and its branches. */
  readonly facts: ObservedFacts & { readonly open: readonly string[] };
}

const MAX_ASKED = 4;
const MAX_LISTED = 8;
const MAX_FILES = 20;
const MAX_HEADING_CHARS = 110;
const MAX_MESSAGE_CHARS = 600;
/** A shorter prompt, in characters, says too little to name a session by it: `continue`, `ok, go on!`. */
const TELLING_CHARS = 11;
const IS_ASCII = /^[\x20-\x7e]*$/;
/** The longest prompt that may be small talk, in characters. */
const SHORT_PROMPT = 80;

/** Summarizes a session; null when there is nothing to tell. @param called Its title, for lack of a prompt. */
export function summarizeSession(
  parts: readonly SummarizedPart[],
  called: string | null = null,
): SessionSummary | null {
  if (parts.length === 0) return null;
  const { asked, commits, fixes, decided, files, todos, open, last: said } = storyOf(parts);
  const done = [...commits, ...fixes].map(({ title }) => title);
  const paths = files.map(({ path }) => path);
  const last = shortened(said, MAX_MESSAGE_CHARS);
  const branches = [...new Set(parts.map(({ branch }) => branch))];
  const replaced = parts.filter(isReplaced).map(({ text }) => text);
  const questions = asked.flatMap((prompt) => stillAsked(prompt, replaced));
  // Its prompts may still wait in the queue.
  const prompts = asked.length > 0 || called === null ? questions : [called];
  const about = done[0] ?? (files.length === 0 ? "" : last.replace(/\s+/g, " "));
  const heading = prompts.find(saysWhat) ??
    ([prompts[0] ?? "", about].filter((one) => one !== "").join(": ") ||
      (parts.find((one) => one.kind !== "prompt" && !isReplaced(one))?.title ??
        "what is replaced"));
  const counts = [
    counted(commits.length, "commit"),
    counted(fixes.length, "fix", "fixes"),
    counted(files.length, "file"),
  ].filter((part) => part !== null).join(", ");
  return {
    title: titleLine(
      `Session: ${shortened(heading, MAX_HEADING_CHARS)}${counts === "" ? "" : ` (${counts})`}`,
    ),
    text: [
      ...section("Asked", firstAndLast(questions, MAX_ASKED)),
      ...section("Done", done.slice(-MAX_LISTED)),
      ...section("Decided", decided.map(({ title }) => title).slice(-MAX_LISTED)),
      ...section("Changed", paths.slice(0, MAX_LISTED)),
      ...section("Open", open.slice(0, MAX_LISTED)),
      ...section("Passed over", todos?.passedOver?.slice(0, MAX_LISTED) ?? []),
      ...last === "" ? [] : [`Last: ${last}`],
    ].join("\n"),
    files: paths.slice(0, MAX_FILES),
    facts: {
      open,
      ...todos === null ? {} : { todos },
      ...branches.length === 1 ? {} : { branches },
    },
  };
}

/** What a prompt asks, without decisions in it that were replaced since; none where little else is left. */
function stillAsked(
  { title, text }: Pick<SummarizedPart, "title" | "text">,
  replaced: readonly string[],
): string[] {
  const left = replaced.reduce((rest, decision) => rest.replace(decision, () => ""), text).trim();
  if (left === text.trim()) return [title];
  return left.length < TELLING_CHARS ? [] : [titleLine(left)];
}

/** Whether a session holds nothing but a few short messages. */
function isSmallTalk(parts: readonly SummarizedPart[]): boolean {
  return parts.every(({ kind, text, facts }) =>
    kind === "prompt" ? text.length <= SHORT_PROMPT : kind === "message" && facts.tool === undefined
  );
}

/** What a session of a word may hold: it changed, decided and failed at nothing. */
const WITHOUT_WORK: ReadonlySet<string> = new Set([
  "prompt",
  "message",
  "search",
  "fetch",
  "command",
]);

/** Whether a session was asked in a word each time (`continue`), and did nothing that a later one has to know. */
function isWordWithoutWork(parts: readonly SummarizedPart[]): boolean {
  return parts.every(({ kind, title, outcome }) =>
    WITHOUT_WORK.has(kind) && outcome !== "failure" && (kind !== "prompt" || !saysWhat(title))
  );
}

/** Whether a prompt is long enough to name a session. In scripts without spaces a few characters are enough. */
function saysWhat(prompt: string): boolean {
  return prompt.length >= TELLING_CHARS || !IS_ASCII.test(prompt) && prompt.length > 3;
}

function section(name: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${name}:`, ...lines.map((line) => `- ${line}`)];
}

/** The first line, which says what it is about, and the last ones, which say where it went. */
function firstAndLast(lines: readonly string[], limit: number): readonly string[] {
  return lines.length <= limit ? lines : [lines[0]!, ...lines.slice(1 - limit)];
}

function counted(n: number, one: string, many?: string): string | null {
  return n === 0 ? null : count(n, one, many);
}
