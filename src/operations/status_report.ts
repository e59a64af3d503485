/** Builds the whole report of `status`: its JSON, and the technical facts for people. */
import { count } from "../base/counts.ts";
import { daysMs } from "../base/time.ts";
import { VERSION } from "../base/version.ts";
import { gatingMods, modPlaces, modText } from "../claude/plugins.ts";
import { isLeftOut } from "../config/discover.ts";
import { type ExecutionSummary, summarizeExecutions } from "../db/executions.ts";
import { summarizeQueue, totalsOf } from "../db/queue.ts";
import { countSessions, type SessionCounts } from "../db/sessions.ts";
import { SCHEMA_VERSION } from "../db/transaction.ts";
import { memoryHealth } from "../memory/store.ts";
import { openFailuresOf } from "../memory/tell/open_now.ts";
import { fileSize, isThere } from "../system/on_disk.ts";
import { countState } from "../work/store.ts";
import { type CliContext, filesHere } from "./context.ts";
import { agoText } from "./list_and_show.ts";
import type { OpenStore } from "./open_store.ts";
import { type Care, careTexts, type Here } from "./status_care.ts";
import { bytesText, type Facts } from "./table.ts";

/** Builds the output of `conclaude status --json`. @param recent The recent work in the project. */
export function statusReportOf<Recent>(
  context: CliContext,
  { db, place: { database } }: OpenStore,
  { project, folder, nowMs, care, recent }: Here & { readonly care: Care; readonly recent: Recent },
) {
  const sinceMs = nowMs - daysMs(1);
  const { queued: _, problems, held, beganAnew, ...shown } = care;
  const { observations, waiting } = memoryHealth(db, nowMs);
  const { locations: { home }, environment } = context;
  const { tasks, workflows, agents, pendingQuestions } = countState(db);
  return {
    version: VERSION,
    database: {
      /** The absolute path, or `:memory:` if the database is switched off. */
      path: database,
      exists: isThere(database),
      bytes: fileSize(database) + fileSize(`${database}-wal`),
      schema: SCHEMA_VERSION,
      beganAnew,
    },
    /** The repository or folder that `sessions.here` and `recent` are about. */
    project,
    recent,
    sessions: { here: countSessions(db, project), all: countSessions(db, null) },
    queue: totalsOf(summarizeQueue(db)),
    /** The observations of all projects, and the captures that are not worked in yet. */
    memory: { observations, waiting, openFailures: openFailuresOf(db, null, { nowMs }).length },
    /** Unfinished tasks and workflows by status, running agents, and waiting questions. */
    work: {
      tasks: counted(TASK_WORDS, tasks),
      workflows: counted(WORKFLOW_WORDS, workflows),
      agents: (agents["starting"] ?? 0) + (agents["running"] ?? 0),
      questions: pendingQuestions,
    },
    audit: { sinceMs, ...summarizeExecutions(db, sinceMs) },
    ...shown,
    /** Plugin code inside Claude Code that may intervene in tool uses. */
    mods: gatingMods(modPlaces({ projectDir: folder, home, environment })),
    config: {
      files: filesHere(context)
        .filter((file) => !isLeftOut(file))
        .map(({ layer, path }) => ({ layer, path })),
      problems,
      held,
    },
  };
}

/** The statuses to show with their wording, in the order in which a task or a workflow passes through them. */
const WORKFLOW_WORDS = {
  running: "running",
  pending_merge: "waiting for a merge",
  blocked: "blocked",
} as const;
const TASK_WORDS = {
  open: "open",
  in_progress: "in work",
  pending_merge: "waiting for a merge",
  blocked: "blocked",
} as const;

type Counts = Readonly<Record<string, number>>;

function counted(words: Readonly<Record<string, string>>, counts: Counts): Counts {
  return Object.fromEntries(Object.keys(words).map((status) => [status, counts[status] ?? 0]));
}

/** Formats counts as `2 open, 1 blocked`; returns null if all are 0. */
function countsText(words: Readonly<Record<string, string>>, counts: Counts): string | null {
  const shown = Object.entries(words).filter(([status]) => counts[status]! > 0);
  return shown.map(([status, word]) => `${counts[status]} ${word}`).join(", ") || null;
}

/** Returns the technical facts of a report, for people. */
export function factsOf(report: ReturnType<typeof statusReportOf>, care: Care): Facts {
  const { database, sessions, queue, memory, work, daemon, audit, spool } = report;
  const { byStatus, byPriority, oldestAtMs } = queue;
  const needs = careTexts(care);
  const size = database.exists
    ? `${bytesText(database.bytes)}, schema ${database.schema}`
    : "nothing there yet";
  const oldest = oldestAtMs === null ? "" : `, oldest ${agoText(oldestAtMs)}`;
  const isDaemonNeeded = care.queued + work.workflows["running"]! > 0;
  const hooks = report.hooks.map(({ path, events }) =>
    `${path} (${count(events.length, "event")})`
  );
  const files = report.config.files.map(({ layer, path }) => `${path} (${layer})`);
  const waiting = count(memory.waiting, "capture");
  return [
    ["conclaude", report.version],
    ["database", `${database.path} (${size})`],
    ["", needs.beganAnew],
    ["sessions here", sessionsText(sessions.here)],
    ["sessions all", sessionsText(sessions.all)],
    [
      "queue",
      `${byStatus.raw} raw, ${byStatus.processing} in work, ${byStatus.done} done, ${byStatus.error} with errors`,
    ],
    ["  priority", `${byPriority.high} high, ${byPriority.normal} normal, ${byPriority.low} low`],
    ["  size", `${bytesText(queue.rawBytes)} of JSON in ${bytesText(queue.storedBytes)}${oldest}`],
    [
      "memory",
      `${count(memory.observations, "observation")}, ${waiting} waiting, ` +
      count(memory.openFailures, "open failure"),
    ],
    ["tasks", countsText(TASK_WORDS, work.tasks)],
    ["workflows", countsText(WORKFLOW_WORDS, work.workflows)],
    ["agents", work.agents > 0 && `${work.agents} running`],
    ["questions", work.questions > 0 && `${work.questions} waiting: \`conclaude question list\``],
    [
      "daemon",
      daemon.running ? "running" : isDaemonNeeded &&
        "not running, and there is work for it: `conclaude daemon start`",
    ],
    ["violations", needs.violations],
    ...column("hooks", hooks, "not installed: run `conclaude install-hooks`"),
    ["  rules", care.protections.unarmed.join("; ") || null],
    ["  last 24 h", auditText(audit)],
    ["mods", report.mods.map(modText).join("; ") || null],
    [
      "spool",
      `${spool.waiting} waiting${spool.waiting > 0 ? ": run `conclaude queue drain`" : ""}`,
    ],
    ["fallback", needs.fallback],
    ...column("config", files, "defaults"),
    ["", needs.held],
    ["", needs.problems],
  ];
}

/** Puts several values below one name. @param none The text if there are no values. */
function column(name: string, values: readonly string[], none: string): Facts {
  return (values.length === 0 ? [none] : values).map((value, i) => [i === 0 ? name : "", value]);
}

function sessionsText({ total, active, ended, abandoned }: SessionCounts): string {
  return `${total}: ${active} active, ${ended} ended, ${abandoned} abandoned`;
}

function auditText({ count: ran, failures, blocked, p50Ms, p95Ms }: ExecutionSummary): string {
  if (p50Ms === null || p95Ms === null) return "none ran";
  return `${ran} ran, ${failures} failed, ${blocked} blocked, p50 ${p50Ms.toFixed(1)} ms, ` +
    `p95 ${p95Ms.toFixed(1)} ms`;
}
