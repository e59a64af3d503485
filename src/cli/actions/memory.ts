import { plain, plainLines } from "../../capture/plain.ts";
import type { DatabaseSync } from "node:sqlite";
import { shortSessionId } from "../../ids.ts";
import { estimateTokens } from "../../memory/tokens.ts";
import { observationFacts, observationLine } from "../../recall/view.ts";
import {
  capturesOfObservation,
  countMemory,
  filesOfObservation,
  timelineAround,
  timelineOfFile,
} from "../../store/memory_look.ts";
import { dayStartMs, type SummarizerSettings } from "../../recall/summarizer.ts";
import { readSummarizer } from "../../recall/summarizer_settings.ts";
import {
  lastRuns,
  type SummarizerRun,
  type SummarizerUse,
  summarizerUse,
  usedUp,
} from "../../store/summarizer_runs.ts";
import { relativeTime } from "../../time.ts";
import type { CliContext } from "../context.ts";
import { observationNamed } from "../observation_lookup.ts";
import { projectFilterOf } from "../project_filter.ts";
import { openStore } from "../store.ts";
import type { View } from "../view.ts";

/** `conclaude memory show ID` */
export async function showObservation(
  context: CliContext,
  _flags: Readonly<Record<never, never>>,
  id: string,
): Promise<View> {
  const { db } = await openStore(context, "read");
  const observation = observationNamed(db, id);
  const files = filesOfObservation(db, observation.id);
  const captures = capturesOfObservation(db, observation);
  const tokens = estimateTokens(`${observation.title}\n${observation.text}`);
  return {
    json: { ...observation, files, captures: captures.map(({ id }) => id), tokens },
    text: [
      plain(observation.title),
      "",
      ...observationFacts(observation, Date.now())
        .map(([name, value]) => `${name.padEnd(14)}${value}`),
      ...files.map(({ path }) => `file          ${plain(path)}`),
      ...captures.map(({ id, isPruned }) =>
        `capture       ${id}  (${
          isPruned ? "its payload was pruned" : `conclaude queue show ${id}`
        })`
      ),
      "",
      plainLines(observation.text),
    ].join("\n"),
  };
}

/** `conclaude memory timeline ID|FILE` */
export async function showTimeline(
  context: CliContext,
  flags: { readonly project?: string; readonly here: boolean; readonly limit: number },
  target: string,
): Promise<View> {
  const { db } = await openStore(context, "read");
  const now = Date.now();
  // A file may be called like a number; one that is meant so is written with a path: `./12`.
  const isId = /^#?\d+$/.test(target.trim()) || /^[\da-f]{8}-[\da-f]{4}-/.test(target.trim());
  const around = isId ? observationNamed(db, target) : null;
  const observations = around === null
    ? timelineOfFile(db, target, { project: projectFilterOf(context, flags), limit: flags.limit })
    : timelineAround(db, around, Math.ceil(flags.limit / 2));
  return {
    json: { observations },
    text: observations.length === 0
      ? `Nothing is remembered of "${plain(target)}".`
      : observations.map((one) =>
        `${one.id === around?.id ? "> " : around === null ? "" : "  "}${observationLine(one, now)}`
      ).join("\n"),
  };
}

/** How many runs of the summarizer are listed. */
const LISTED_RUNS = 5;

/** `conclaude memory stats` */
export async function showStats(context: CliContext): Promise<View> {
  const { db } = await openStore(context, "read");
  const counts = countMemory(db);
  const now = Date.now();
  const summarizer = summarizerStats(db, {
    nowMs: now,
    budget: readSummarizer(context.locations)?.settings ?? null,
  });
  const lines: readonly (readonly [name: string, value: string | number])[] = [
    ["observations", counts.observations],
    ["repeats", counts.repeats],
    ["sessions", counts.sessions],
    ["projects", counts.projects],
    ["open failures", counts.openFailures],
    ["waiting", counts.waiting],
    ["given up", counts.givenUp],
    ...counts.oldestAtMs === null
      ? []
      : [["oldest", relativeTime(counts.oldestAtMs, now)] as const],
  ];
  return {
    json: { ...counts, summarizer },
    text: [
      ...lines.map(([name, value]) => `${name.padEnd(15)}${value}`),
      ...counts.byKind.map(({ kind, count }) => `  ${kind.padEnd(13)}${count}`),
      ...summarizerLines(summarizer, now),
    ].join("\n"),
  };
}

interface SummarizerStats {
  readonly command: string | null;
  readonly today: SummarizerUse;
  readonly ever: SummarizerUse;
  readonly maxRunsPerDay: number | null;
  readonly maxTokensPerDay: number | null;
  /** The part of today's budget that is used up. */
  readonly usedUp: "runs" | "tokens" | null;
  readonly lastRuns: readonly SummarizerRun[];
}

function summarizerStats(
  db: DatabaseSync,
  { nowMs, budget }: { readonly nowMs: number; readonly budget: SummarizerSettings | null },
): SummarizerStats {
  const today = summarizerUse(db, dayStartMs(nowMs));
  const { command = null, maxRunsPerDay = null, maxTokensPerDay = null } = budget ?? {};
  return {
    command,
    today,
    ever: summarizerUse(db, 0),
    maxRunsPerDay,
    maxTokensPerDay,
    usedUp: budget === null
      ? null
      : usedUp(today, { maxRuns: budget.maxRunsPerDay, maxTokens: budget.maxTokensPerDay }, 1),
    lastRuns: lastRuns(db, nowMs, LISTED_RUNS),
  };
}

/** The ledger; nothing where there is no summarizer and never was. */
function summarizerLines(stats: SummarizerStats, nowMs: number): string[] {
  const { command, today, ever, maxRunsPerDay, maxTokensPerDay } = stats;
  if (command === null && ever.runs === 0) return [];
  const of = (limit: number | null) => limit === null ? "" : ` of ${limit}`;
  return [
    "",
    `summarizer     ${command === null ? "not configured" : plain(command)}`,
    `  today        ${today.runs}${of(maxRunsPerDay)} runs, ${today.tokens}${
      of(maxTokensPerDay)
    } tokens, ${today.failed} failed${
      stats.usedUp === null ? "" : `; the ${stats.usedUp} of today are used up`
    }`,
    `  90 days      ${ever.runs} runs, ${ever.tokens} tokens, ${ever.failed} failed`,
    ...stats.lastRuns.map(({ startedAtMs, sessionId, status, reason, inputTokens, outputTokens }) =>
      plain(
        `  ${relativeTime(startedAtMs, nowMs).padEnd(11)}  ${
          shortSessionId(sessionId)
        }  ${status}, ${inputTokens} + ${outputTokens} tokens${
          reason === null ? "" : `: ${reason}`
        }`,
      )
    ),
  ];
}
