import { count } from "../../base/counts.ts";
import type { DatabaseSync } from "node:sqlite";
import { shortSessionId } from "../../base/ids.ts";
import { openFailuresOf } from "../../memory/tell/open_now.ts";
import {
  forbiddingLimit,
  type FoundSummarizer,
  readSummarizer,
} from "../../memory/drain/summarizer_settings.ts";
import { countMemory, dayStartMs, lastRuns, summarizerUse, usedUp } from "../../memory/store.ts";
import { relativeTime } from "../../base/time.ts";
import { agoText, readVerb } from "../list_and_show.ts";
import { factLines, type Facts } from "../table.ts";

const LISTED_RUNS = 5;

export const stats = readVerb({
  async run({ db, context }) {
    const nowMs = Date.now();
    const counts = { ...countMemory(db), openFailures: openFailuresOf(db, null, { nowMs }).length };
    const summarizer = summarizerStats(db, await readSummarizer(context.locations), nowMs);
    const facts: Facts = [
      ["observations", counts.observations],
      ["repeats", counts.repeats],
      ["sessions", counts.sessions],
      ["projects", counts.projects],
      ["open failures", counts.openFailures],
      ["waiting", counts.waiting],
      ["given up", counts.givenUp],
      ["oldest", agoText(counts.oldestAtMs)],
    ];
    return {
      json: { ...counts, summarizer },
      text: [
        ...factLines(facts, 15),
        ...counts.byKind.map(({ kind, count }) => `  ${kind.padEnd(13)}${count}`),
        ...summarizerLines(summarizer),
      ],
    };
  },
});

function summarizerStats(db: DatabaseSync, found: FoundSummarizer, nowMs: number) {
  const settings = found.kind === "ready" ? found.summarizer.settings : null;
  const today = summarizerUse(db, dayStartMs(nowMs));
  const { command = null, maxRunsPerDay = null, maxTokensPerDay = null } = settings ?? {};
  return {
    command,
    today,
    ever: summarizerUse(db, 0),
    maxRunsPerDay,
    maxTokensPerDay,
    /** The mistake in the configuration that switches the summarizer off, or null. */
    fault: found.kind === "faulty" ? found.problem : null,
    /** The key of a limit that is 0, or null. */
    forbiddenBy: settings === null ? null : forbiddingLimit(settings),
    /** The limit that is used up today: runs or tokens. */
    usedUp: settings === null ? null : usedUp(today, settings, 1),
    lastRuns: lastRuns(db, nowMs, LISTED_RUNS),
  };
}

type SummarizerStats = ReturnType<typeof summarizerStats>;

/** Shows what the summarizer has spent; no lines if there never was one. */
function summarizerLines(stats: SummarizerStats): string[] {
  const { command, fault, today, ever, maxRunsPerDay, maxTokensPerDay } = stats;
  if (command === null && fault === null && ever.runs === 0) return [];
  const used = (n: number, limit: number | null, noun: string) =>
    limit === null ? count(n, noun) : `${n} of ${count(limit, noun)}`;
  const what = fault === null ? command ?? "not configured" : `off, by a mistake: ${fault}`;
  const runs = used(today.runs, maxRunsPerDay, "run");
  const tokens = used(today.tokens, maxTokensPerDay, "token");
  const everRuns = `${count(ever.runs, "run")}, ${count(ever.tokens, "token")}`;
  return [
    "",
    `summarizer     ${what}`,
    `  today        ${runs}, ${tokens}, ${today.failed} failed${endText(stats)}`,
    `  90 days      ${everRuns}, ${ever.failed} failed`,
    ...stats.lastRuns.map((run) => {
      const when = relativeTime(run.startedAtMs, Date.now()).padEnd(11);
      const spent = `${run.inputTokens} + ${count(run.outputTokens, "token")}`;
      const why = run.reason === null ? "" : `: ${run.reason}`;
      return `  ${when}  ${shortSessionId(run.sessionId)}  ${run.status}, ${spent}${why}`;
    }),
  ];
}

/** Explains, as the end of a sentence, why the summarizer no longer runs today; empty if it may run. */
function endText({ forbiddenBy, usedUp }: SummarizerStats): string {
  if (forbiddenBy !== null) return `; nothing may be spent (${forbiddenBy} is 0)`;
  return usedUp === null ? "" : `; the ${usedUp} of today are used up`;
}
