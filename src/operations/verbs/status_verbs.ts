import { plain } from "../../base/plain.ts";
import { count } from "../../base/counts.ts";
import { isLeftOut, readConfigFiles } from "../../config/discover.ts";
import { findRepository, lookUpwards, type Repository } from "../../system/git/repository.ts";
import { installedHooks } from "../../upkeep/doctor/hook_checks.ts";
import { bringOver, leftBehind } from "../../upkeep/care/fallback.ts";
import { baseName, parentOf } from "../../base/paths.ts";
import { openFailureIds } from "../../memory/tell/open_now.ts";
import { spooledFiles } from "../../upkeep/transfer/drain_spool.ts";
import { SCHEMA_VERSION } from "../../db/transaction.ts";
import { type ExecutionSummary, summarizeExecutions } from "../../db/executions.ts";
import { memoryHealth } from "../../memory/store.ts";
import { summarizeQueue, totalsOf } from "../../db/queue.ts";
import { countSessions, type SessionCounts } from "../../db/sessions.ts";
import { countQueued, countState, type StateCounts } from "../../work/store.ts";
import { daysMs, relativeTime } from "../../base/time.ts";
import { VERSION } from "../../base/version.ts";
import type { CliContext } from "../context.ts";
import { isDaemonHere } from "../daemon_here.ts";
import { hooksPlace } from "../own_program.ts";
import { hintsHere } from "../next_command.ts";
import { openStore, type Place } from "../open_store.ts";
import { bytesText } from "../table.ts";
import { verb } from "../verb.ts";
import type { DatabaseSync } from "node:sqlite";
import { statSync } from "../../system/files.ts";

export const status = verb({
  about: [
    "Shows the database, the sessions of this project and of all, the queue, the work of agents that there is,",
    "the hooks of the last 24 hours, what waits in the spool, and the configuration that is in force in this",
    "folder. It changes nothing.",
  ].join("\n"),
  examples: ["conclaude status", "conclaude status --json"],
  async run(context) {
    const { db, place } = await openStore(context, "read");
    const repository = findRepository(lookUpwards(context.cwd));
    const project = repository?.commonDir ?? context.cwd;
    const nowMs = Date.now();
    const report = reportOf(context, { db, place }, { project, nowMs });
    const folder = repository === undefined ? project : projectFolder(repository);
    const text = textOf(report, { project: folder, queued: countQueued(db), nowMs });
    return { json: report, text: hintsHere(text, context.globals) };
  },
});

type StatusReport = ReturnType<typeof reportOf>;

/** What `conclaude status --json` prints. */
function reportOf(
  context: CliContext,
  { db, place }: { readonly db: DatabaseSync; readonly place: Place },
  { project, nowMs }: { readonly project: string; readonly nowMs: number },
) {
  const { database, config } = place;
  const { spoolFolders: folders } = context.locations;
  const sinceMs = nowMs - daysMs(1);
  const bytes = [fileBytes(database), fileBytes(`${database}-wal`)];
  return {
    version: VERSION,
    database: {
      /** Absolute path, or `:memory:` when the database is off. */
      path: database,
      exists: bytes[0] !== undefined,
      bytes: (bytes[0] ?? 0) + (bytes[1] ?? 0),
      schema: SCHEMA_VERSION,
    },
    /** The repository or folder that `sessions.here` is about. */
    project,
    sessions: { here: countSessions(db, project), all: countSessions(db, null) },
    queue: totalsOf(summarizeQueue(db)),
    memory: memoryOf(db, nowMs),
    work: workOf(countState(db)),
    daemon: { running: isDaemonHere(context, place) },
    audit: { sinceMs, ...summarizeExecutions(db, sinceMs) },
    spool: { waiting: spooledFiles({ database, folders }).length },
    /** What hooks left in the temporary folder while the home could not be used; null when there is nothing. */
    fallback: fallbackOf(context, place, nowMs),
    hooks: installedHooks(hooksPlace(context)),
    config: {
      files: readConfigFiles(lookUpwards(context.cwd), context.locations)
        .filter((file) => !isLeftOut(file))
        .map(({ layer, path }) => ({ layer, path })),
      problems: config.problems,
    },
  };
}

/** What waits in the temporary folder; null without anything, and where it cannot be read, which `doctor` tells. */
function fallbackOf({ locations }: CliContext, { database, config }: Place, nowMs: number) {
  try {
    const retentionDays = config.sessionRetentionDays;
    const found = leftBehind({ locations, database, retentionDays, nowMs });
    if (found === null) return null;
    const { path, events, captures } = found;
    return { path, events, captures, next: bringOver(found) };
  } catch {
    return null;
  }
}

/** The folder of a project: the main checkout, or the working tree where the repository is bare. */
function projectFolder({ commonDir, root }: Repository): string {
  return baseName(commonDir) === ".git" ? parentOf(commonDir) : root;
}

type Line = readonly [name: string, value: string];

function hooksLines(hooks: StatusReport["hooks"]): Line[] {
  if (hooks.length === 0) return [["hooks", "not installed: run `conclaude install-hooks`"]];
  return hooks.map(({ path, events }, i) => {
    return [i === 0 ? "hooks" : "", `${path} (${count(events.length, "event")})`];
  });
}

/** The statuses that are shown, in the order of a task's or a workflow's life, with their words. */
const TASK_WORDS = [
  ["open", "open"],
  ["in_progress", "in work"],
  ["pending_merge", "waiting for a merge"],
  ["blocked", "blocked"],
] as const;

const WORKFLOW_WORDS = [
  ["running", "running"],
  ["pending_merge", "waiting for a merge"],
  ["blocked", "blocked"],
] as const;

const RUNNING_AGENTS = ["starting", "running"];
const DAEMON_NEEDED = "not running, and there is work for it: `conclaude daemon start`";

/** What is remembered of all projects, and captures that are not worked in yet. */
function memoryOf(db: DatabaseSync, nowMs: number) {
  const { observations, waiting } = memoryHealth(db, nowMs);
  return { observations, waiting, openFailures: openFailureIds(db, null).length };
}

/** Tasks and workflows that are not over, by status; agents that run, and questions that wait. */
function workOf({ tasks, workflows, agents, pendingQuestions }: StateCounts) {
  return {
    tasks: told(TASK_WORDS, tasks),
    workflows: told(WORKFLOW_WORDS, workflows),
    agents: RUNNING_AGENTS.reduce((sum, status) => sum + (agents[status] ?? 0), 0),
    questions: pendingQuestions,
  };
}

type Words = readonly (readonly [status: string, word: string])[];

function told(words: Words, counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(words.map(([status]) => [status, counts[status] ?? 0]));
}

/** Lines about tasks, workflows, agents, questions and the daemon; a count of 0 has no line. */
function workLines({ work, daemon }: StatusReport, queued: number): Line[] {
  const counted = (words: Words, counts: Readonly<Record<string, number>>) =>
    words.filter(([status]) => counts[status]! > 0)
      .map(([status, word]) => `${counts[status]} ${word}`).join(", ");
  const isNeeded = queued + work.workflows["running"]! > 0;
  const lines: readonly Line[] = [
    ["tasks", counted(TASK_WORDS, work.tasks)],
    ["workflows", counted(WORKFLOW_WORDS, work.workflows)],
    ["agents", work.agents > 0 ? `${work.agents} running` : ""],
    [
      "questions",
      work.questions > 0 ? `${work.questions} waiting: \`conclaude question list\`` : "",
    ],
    ["daemon", daemon.running ? "running" : isNeeded ? DAEMON_NEEDED : ""],
  ];
  return lines.filter(([, value]) => value !== "");
}

function textOf(
  report: StatusReport,
  { project, queued, nowMs }: {
    readonly project: string;
    /** How many tasks the scheduler was handed and has not taken yet. */
    readonly queued: number;
    readonly nowMs: number;
  },
): string {
  const { database, sessions, queue, memory, audit, spool, fallback, config } = report;
  const { byStatus, byPriority, oldestAtMs } = queue;
  const size = database.exists
    ? `${bytesText(database.bytes)}, schema ${database.schema}`
    : "nothing there yet";
  const oldest = oldestAtMs === null ? "" : `, oldest ${relativeTime(oldestAtMs, nowMs)}`;
  const files = config.files.map(({ layer, path }) => `${path} (${layer})`);
  const lines: readonly Line[] = [
    ["conclaude", report.version],
    ["database", `${database.path} (${size})`],
    ["project", project],
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
      [
        count(memory.observations, "observation"),
        `${count(memory.waiting, "capture")} waiting`,
        count(memory.openFailures, "open failure"),
      ].join(", "),
    ],
    ...workLines(report, queued),
    ...hooksLines(report.hooks),
    ["  last 24 h", auditText(audit)],
    [
      "spool",
      `${spool.waiting} waiting${spool.waiting > 0 ? ": run `conclaude queue drain`" : ""}`,
    ],
    ["fallback", fallback && `${fallback.path} is left behind: run \`${fallback.next}\``],
    ...(files.length === 0 ? ["defaults"] : files)
      .map((text, i): Line => [i === 0 ? "config" : "", text]),
    [
      "",
      config.problems > 0 &&
      `${count(config.problems, "problem")}: run \`conclaude config validate\``,
    ],
  ].filter((line): line is [string, string] => typeof line[1] === "string");
  return lines.map(([name, value]) => `${name.padEnd(15)}${plain(value)}`).join("\n");
}

function sessionsText({ total, active, ended, abandoned }: SessionCounts): string {
  return `${total}: ${active} active, ${ended} ended, ${abandoned} abandoned`;
}

function auditText({ count: ran, failures, blocked, p50Ms, p95Ms }: ExecutionSummary): string {
  if (p50Ms === null || p95Ms === null) return "none ran";
  return `${ran} ran, ${failures} failed, ${blocked} blocked, p50 ${p50Ms.toFixed(1)} ms, ` +
    `p95 ${p95Ms.toFixed(1)} ms`;
}

/** `undefined` when there is no such file. */
function fileBytes(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch {
    return undefined;
  }
}
