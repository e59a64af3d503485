import { count } from "../../counts.ts";
import { plain } from "../../capture/plain.ts";
import type { DatabaseSync } from "node:sqlite";
import { shortSessionId } from "../../ids.ts";
import { openFailureIds } from "../../recall/open_count.ts";
import { dayStartMs } from "../../recall/summarizer.ts";
import {
  forbiddingLimit,
  type FoundSummarizer,
  readSummarizer,
} from "../../recall/summarizer_settings.ts";
import { countMemory } from "../../store/memory_look.ts";
import {
  lastRuns,
  type SummarizerRun,
  type SummarizerUse,
  summarizerUse,
  usedUp,
} from "../../store/summarizer_runs.ts";
import { relativeTime } from "../../time.ts";
import { openStore } from "../store.ts";
import { verb } from "../verb.ts";

/** How many runs of the summarizer are listed. */
const LISTED_RUNS = 5;

export const stats = verb({
  about:
    "Counts observations by kind, sessions, projects, failures that are open, and captures that wait.",
  examples: ["conclaude memory stats", "conclaude memory stats --json"],
  async run(context) {
    const { db } = await openStore(context, "read");
    const counts = { ...countMemory(db), openFailures: openFailureIds(db, null).length };
    const now = Date.now();
    const summarizer = summarizerStats(db, {
      nowMs: now,
      found: await readSummarizer(context.locations),
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
  },
});

interface SummarizerStats {
  readonly command: string | null;
  readonly today: SummarizerUse;
  readonly ever: SummarizerUse;
  readonly maxRunsPerDay: number | null;
  readonly maxTokensPerDay: number | null;
  /** The mistake by which it is off, with its place; null without one. */
  readonly fault: string | null;
  /** The key by which nothing may be spent at all. */
  readonly forbiddenBy: string | null;
  /** The part of today's budget that is used up. */
  readonly usedUp: "runs" | "tokens" | null;
  readonly lastRuns: readonly SummarizerRun[];
}

function summarizerStats(
  db: DatabaseSync,
  { nowMs, found }: { readonly nowMs: number; readonly found: FoundSummarizer },
): SummarizerStats {
  const budget = found.kind === "ready" ? found.summarizer.settings : null;
  const today = summarizerUse(db, dayStartMs(nowMs));
  const { command = null, maxRunsPerDay = null, maxTokensPerDay = null } = budget ?? {};
  return {
    command,
    today,
    ever: summarizerUse(db, 0),
    maxRunsPerDay,
    maxTokensPerDay,
    fault: found.kind === "faulty" ? found.problem : null,
    forbiddenBy: budget === null ? null : forbiddingLimit(budget),
    usedUp: budget === null
      ? null
      : usedUp(today, { maxRuns: budget.maxRunsPerDay, maxTokens: budget.maxTokensPerDay }, 1),
    lastRuns: lastRuns(db, nowMs, LISTED_RUNS),
  };
}

/** The ledger; nothing where there is no summarizer and never was. */
function summarizerLines(stats: SummarizerStats, nowMs: number): string[] {
  const { command, fault, today, ever, maxRunsPerDay, maxTokensPerDay } = stats;
  if (command === null && fault === null && ever.runs === 0) return [];
  const used = (n: number, limit: number | null, noun: string) =>
    limit === null ? count(n, noun) : `${n} of ${count(limit, noun)}`;
  return [
    "",
    `summarizer     ${
      plain(fault === null ? command ?? "not configured" : `off, by a mistake: ${fault}`)
    }`,
    `  today        ${used(today.runs, maxRunsPerDay, "run")}, ${
      used(today.tokens, maxTokensPerDay, "token")
    }, ${today.failed} failed${endText(stats)}`,
    `  90 days      ${count(ever.runs, "run")}, ${
      count(ever.tokens, "token")
    }, ${ever.failed} failed`,
    ...stats.lastRuns.map(({ startedAtMs, sessionId, status, reason, inputTokens, outputTokens }) =>
      plain(
        `  ${relativeTime(startedAtMs, nowMs).padEnd(11)}  ${
          shortSessionId(sessionId)
        }  ${status}, ${inputTokens} + ${count(outputTokens, "token")}${
          reason === null ? "" : `: ${reason}`
        }`,
      )
    ),
  ];
}

/** Why it is not run any more today, as the end of a sentence; empty when it is. */
function endText({ forbiddenBy, usedUp }: SummarizerStats): string {
  if (forbiddenBy !== null) return `; nothing may be spent (${forbiddenBy} is 0)`;
  return usedUp === null ? "" : `; the ${usedUp} of today are used up`;
}
