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

/** The most observations that a summary uses; it uses the newest. */
const MAX_PARTS = 400;
const BATCH = 100;
/** About how long one transaction writes summaries, in milliseconds. Hooks wait for it. */
const TRANSACTION_MS = 5;

export interface SummariesReport {
  readonly summaries: number;
  /** False when the steps stopped because the time ran out. */
  readonly complete: boolean;
}

/** Writes the summaries of changed sessions again. Each step is a transaction that writes a few of them. */
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

function partsOf(db: DatabaseSync, sessionId: string): Observation[] {
  return observationsToSummarize(db, sessionId, MAX_PARTS);
}

/**
 * Returns the digest of a summary that rules made, and of the observations in it. The end of the session does not
 * count, since it is no reason to ask a model again.
 */
export function digestOfSummary(
  db: DatabaseSync,
  sessionId: string,
  { title, text, files, facts }: Pick<Observation, "title" | "text" | "files" | "facts">,
  parts = partsOf(db, sessionId),
): string {
  const titles = parts.map(({ title }) => title);
  return digestOf(JSON.stringify([title, withoutEnd(text), facts.open ?? [], files, titles]));
}

/** Writes the summary of a session again after one of its decisions was replaced. Imported summaries stay. */
export function writeSummaryAgain(db: DatabaseSync, sessionId: string): void {
  if (summaryOf(db, sessionId) !== undefined) writeSummary(db, sessionId);
}

function writeSummary(db: DatabaseSync, sessionId: string): void {
  const parts = partsOf(db, sessionId);
  const last = parts.at(-1);
  const summary = summarizeSession(parts, sessionTitle(db, sessionId));
  forgetSummaryRequest(db, sessionId);
  if (last === undefined || summary === null) return;
  const end = sessionEnd(db, sessionId);
  const ended = end === null ? "" : endInWords(end);
  const stored = summaryOf(db, sessionId);
  const rewrittenFrom = stored?.facts.rewrittenFrom;
  // A version that a model wrote of the same summary stays.
  if (stored && rewrittenFrom && rewrittenFrom === digestOfSummary(db, sessionId, summary, parts)) {
    writeEnd(db, stored, ended);
    return;
  }
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
    title,
    text,
    kind: "summary",
    outcome: null,
    terms: indexedTerms([title, text, ...files].join("\n"), project),
    files: files.map((path) => ({ path, digest: null })),
    facts: {
      ...facts,
      ...ended === "" ? {} : { end: ended },
      ...isTrivial ? { trivial: true } : isBrief(parts) ? { brief: true } : {},
    },
    sameAs: digestOf("summary"),
    atMs: last.updatedAtMs,
  });
}

/** Adds the end of the session to a summary that a model has written, unless the summary names this end already. */
function writeEnd(db: DatabaseSync, stored: Observation, ended: string): void {
  const { id, title, files, project, facts } = stored;
  if ((facts.end ?? "") === ended) return;
  const text = withEnd(stored.text, ended);
  const terms = indexedTerms([title, text, ...files].join("\n"), project);
  rewriteSummary(db, id, { text, terms, rewrittenFrom: facts.rewrittenFrom ?? "", end: ended });
}

interface SessionSummary {
  /** The subject, and what was done. Open work is left out, since a later session may do it. */
  readonly title: string;
  readonly text: string;
  readonly files: readonly string[];
  /** The session's lists of tasks, the tasks and failures that it left open, and its branches. */
  readonly facts: ObservedFacts & { readonly open: readonly string[] };
}

const MAX_ASKED = 4;
const MAX_LISTED = 8;
const MAX_FILES = 20;
const MAX_HEADING_CHARS = 110;
const MAX_MESSAGE_CHARS = 600;
/** The shortest prompt, in characters, that can name a session. `continue` and `ok, go on!` say too little. */
const TELLING_CHARS = 11;
const IS_ASCII = /^[\x20-\x7e]*$/;
/** The longest prompt that may be small talk, in characters. */
const SHORT_PROMPT = 80;

/** Summarizes a session; null without observations. @param ownTitle The session's title, if no prompt is known. */
export function summarizeSession(
  parts: readonly SummarizedPart[],
  ownTitle: string | null = null,
): SessionSummary | null {
  if (parts.length === 0) return null;
  const { asked, commits, fixes, decided, files, todos, open, last: lastMessage } = storyOf(parts);
  const done = [...commits, ...fixes].map(({ title }) => title);
  const paths = files.map(({ path }) => path);
  const last = shortened(lastMessage, MAX_MESSAGE_CHARS);
  const branches = [...new Set(parts.map(({ branch }) => branch))];
  const replaced = parts.filter(isReplaced).map(({ text }) => text);
  const questions = asked.flatMap((prompt) => stillAsked(prompt, replaced));
  // The prompts of the session may still wait in the queue.
  const prompts = asked.length > 0 || ownTitle === null ? questions : [ownTitle];
  const about = done[0] ?? (files.length === 0 ? "" : last.replace(/\s+/g, " "));
  const heading = prompts.find(saysWhat) ??
    ([prompts[0] ?? "", about].filter((one) => one !== "").join(": ") ||
      (parts.find((one) => one.kind !== "prompt" && !isReplaced(one))?.title ??
        "what is replaced"));
  const counts = [
    ...commits.length === 0 ? [] : [count(commits.length, "commit")],
    ...fixes.length === 0 ? [] : [count(fixes.length, "fix", "fixes")],
    ...files.length === 0 ? [] : [count(files.length, "file")],
  ].join(", ");
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

/** Returns what a prompt asks, without decisions in it that were replaced since; empty when little else is left. */
function stillAsked(
  { title, text }: Pick<SummarizedPart, "title" | "text">,
  replaced: readonly string[],
): string[] {
  const left = replaced.reduce((rest, decision) => rest.replace(decision, () => ""), text).trim();
  if (left === text.trim()) return [title];
  return left.length < TELLING_CHARS ? [] : [titleLine(left)];
}

/** Tells whether a session holds only a few short messages. */
function isSmallTalk(parts: readonly SummarizedPart[]): boolean {
  return parts.every(({ kind, text, facts }) =>
    kind === "prompt" ? text.length <= SHORT_PROMPT : kind === "message" && facts.tool === undefined
  );
}

/** Kinds of observations in a session without work: it changed nothing, and decided nothing. */
const WITHOUT_WORK: readonly string[] = ["prompt", "message", "search", "fetch", "command"];

/** Tells whether a session had only prompts like `continue`, and did nothing that a later session must know. */
function isBrief(parts: readonly SummarizedPart[]): boolean {
  return parts.every(({ kind, title, outcome }) =>
    WITHOUT_WORK.includes(kind) && outcome !== "failure" && (kind !== "prompt" || !saysWhat(title))
  );
}

/** Tells whether a prompt is long enough to name a session. In scripts without spaces a few characters suffice. */
function saysWhat(prompt: string): boolean {
  return prompt.length >= TELLING_CHARS || !IS_ASCII.test(prompt) && prompt.length > 3;
}

function section(name: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${name}:`, ...lines.map((line) => `- ${line}`)];
}

/** Returns the first line, which tells the subject, and the last lines, which tell the outcome. */
function firstAndLast(lines: readonly string[], limit: number): readonly string[] {
  return lines.length <= limit ? lines : [lines[0]!, ...lines.slice(1 - limit)];
}
