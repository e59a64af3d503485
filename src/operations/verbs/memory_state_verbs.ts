/** `conclaude memory open|context|stats`: what is open, what a session is told, and how much memory holds. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { shortSessionId } from "../../base/ids.ts";
import { plain } from "../../base/plain.ts";
import { relativeTime } from "../../base/time.ts";
import {
  forbiddingLimit,
  type FoundSummarizer,
  readSummarizer,
} from "../../memory/drain/summarizer_settings.ts";
import { folderOfProject } from "../../memory/project_paths.ts";
import { countMemory, dayStartMs, lastRuns, summarizerUse, usedUp } from "../../memory/store.ts";
import { type ContextLine, MAX_CONTEXT_CHARS } from "../../memory/tell/context_text.ts";
import { openFailuresOf } from "../../memory/tell/open_now.ts";
import { estimateTokens } from "../../memory/text.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import type { CliContext } from "../context.ts";
import { number, PROJECT_FLAGS, SHARED, usually } from "../flags.ts";
import { agoText, readVerb } from "../list_and_show.ts";
import { projectNamed } from "../memory_filter.ts";
import { flagsAgain } from "../next_command.ts";
import { openHere, openLines } from "../open_here.ts";
import { projectHere, sessionOf } from "../session_lookup.ts";
import { factLines, type Facts, linesOf } from "../table.ts";
import { toldContext } from "../told_context.ts";

export const open = readVerb({
  flags: {
    project: PROJECT_FLAGS.project,
    limit: usually("20", number(1, 1_000, "At most this many of each kind")),
  },
  run({ db, context }, { project: named, limit }) {
    const project = named === undefined
      ? projectHere(context.cwd)
      : projectNamed(db, context, named);
    const all = openHere(db, project, { nowMs: Date.now() });
    const lines = openLines(
      all,
      limit,
      `\`conclaude memory open${flagsAgain({ project: named })} --limit 1000\``,
    );
    const folder = folderOfProject(project);
    const title = lines.length === 0 ? `Nothing is open in ${folder}.` : `Open in ${folder}`;
    return { json: { project, ...all }, text: [title, ...lines] };
  },
});

export const context = readVerb({
  flags: {
    session: {
      ...SHARED.session,
      brief: "As if this session began now, by the beginning of its id",
    },
  },
  async run({ db, place, context }, { session }) {
    const { contextTokens, memoryEnabled } = place.config;
    const at = placeOf(db, context, session);
    const start = await toldContext(db, at, { config: place.config, room: MAX_CONTEXT_CHARS });
    const priced = (line: ContextLine) => ({ ...line, tokens: estimateTokens(line.text) });
    const [lines, leftOut] = [start.lines.map(priced), start.leftOut.map(priced)];
    const tokens = start.text === "" ? 0 : estimateTokens(start.text);
    const json = { project: at.project, text: start.text, tokens, lines, leftOut };
    const folder = plain(folderOfProject(at.project));
    const none = memoryEnabled && contextTokens > 0
      ? `Nothing is remembered of ${folder} that a session would be told.`
      : "Sessions are told nothing: `memory.enabled` or `memory.context` is off.";
    const text = start.text === "" ? none : linesOf([
      start.text,
      "",
      `${count(tokens, "token")} of ${contextTokens}, line by line:`,
      lines.map(lineOf),
      leftOut.length > 0 && ["", "Left out, since there is no room:"],
      leftOut.map(lineOf),
    ]).join("\n");
    return { json, text, quoted: true };
  },
});

function lineOf({ text, tokens, why }: ContextLine & { readonly tokens: number }): string {
  const [name] = /^\S+/.exec(text) ?? [""];
  return `${String(tokens).padStart(5)}  ${plain(name.slice(0, 12)).padEnd(12)} ${why}`;
}

/** Returns the place where a session begins: this folder, or the folder of a known session. */
function placeOf(db: DatabaseSync, context: CliContext, id: string | undefined) {
  const { environment, locations: { home }, cwd } = context;
  const known = id === undefined ? null : sessionOf(db, id);
  const folder = known === null ? cwd : known.projectDir ?? cwd;
  const repository = findRepository(lookUpwards(folder));
  return {
    sessionId: known?.sessionId ?? "",
    project: known === null ? projectHere(cwd) : known.repository ?? folder,
    branch: known === null ? repository?.branch ?? null : known.branch,
    root: repository?.root ?? folder,
    source: "startup",
    seenAtMs: null,
    nowMs: Date.now(),
    home,
    environment,
  };
}

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
        factLines(facts, 15),
        counts.byKind.map(({ kind, count }) => `  ${kind.padEnd(13)}${count}`),
        summarizerLines(summarizer),
      ],
    };
  },
});

function summarizerStats(db: DatabaseSync, found: FoundSummarizer, nowMs: number) {
  const settings = found.kind === "ready" ? found.summarizer.settings : null;
  const { command = null, maxRunsPerDay = null, maxTokensPerDay = null } = settings ?? {};
  const today = summarizerUse(db, dayStartMs(nowMs));
  return {
    command,
    today,
    ever: summarizerUse(db, 0),
    maxRunsPerDay,
    maxTokensPerDay,
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
