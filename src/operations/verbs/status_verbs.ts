import { quietly } from "../../base/errors.ts";
import { count } from "../../base/counts.ts";
import { gatingMods, modPlaces, modText } from "../../claude/mods.ts";
import { isLeftOut, readConfigFiles } from "../../config/discover.ts";
import { findRepository, lookUpwards, type Repository } from "../../system/git/repository.ts";
import { installedHooks } from "../../upkeep/doctor/hook_checks.ts";
import { leftBehind } from "../../upkeep/care/fallback.ts";
import { type BeganAnew, beganAnew } from "../../upkeep/care/backup.ts";
import { fileSize, isThere } from "../../system/on_disk.ts";
import { baseName, parentOf } from "../../base/paths.ts";
import { openFailureIds } from "../../memory/tell/open_now.ts";
import { spooledFiles } from "../../db/spool.ts";
import { SCHEMA_VERSION } from "../../db/transaction.ts";
import { type ExecutionSummary, summarizeExecutions } from "../../db/executions.ts";
import { memoryHealth } from "../../memory/store.ts";
import { summarizeQueue, totalsOf } from "../../db/queue.ts";
import { countSessions, type SessionCounts } from "../../db/sessions.ts";
import { countQueued, countState, type StateCounts } from "../../work/store.ts";
import { openViolations } from "../../policy/store.ts";
import { daysMs } from "../../base/time.ts";
import { VERSION } from "../../base/version.ts";
import type { CliContext } from "../context.ts";
import { isDaemonHere } from "../daemon_here.ts";
import { hooksPlace } from "../own_program.ts";
import { hintsHere } from "../next_command.ts";
import { agoText } from "../list_and_show.ts";
import { openStore, type Place } from "../open_store.ts";
import { bytesText, factLines, type Facts } from "../table.ts";
import { verb } from "../verb.ts";
import type { DatabaseSync } from "node:sqlite";

export const status = verb({
  about:
    "Shows the database, the sessions of this project and of all, the queue, memory, tasks and agents, the hooks of the " +
    "last 24 hours, the spool, and the configuration of this folder. It changes nothing.",
  examples: ["conclaude status", "conclaude status --json"],
  async run(context) {
    const { db, place } = await openStore(context, "read");
    const repository = findRepository(lookUpwards(context.cwd));
    const project = repository?.commonDir ?? context.cwd;
    const nowMs = Date.now();
    const report = reportOf(context, { db, place }, { project, nowMs });
    const folder = repository === undefined ? project : projectFolder(repository);
    const facts = factsOf(report, { project: folder, queued: countQueued(db) });
    return { json: report, text: hintsHere(factLines(facts, 15).join("\n"), context.globals) };
  },
});

/** What `conclaude status --json` prints. */
function reportOf(
  context: CliContext,
  { db, place }: { readonly db: DatabaseSync; readonly place: Place },
  { project, nowMs }: { readonly project: string; readonly nowMs: number },
) {
  const { database, config } = place;
  const { spoolFolders: folders, home } = context.locations;
  const hooks = hooksPlace(context);
  const { projectDir } = hooks;
  const sinceMs = nowMs - daysMs(1);
  return {
    version: VERSION,
    database: {
      /** Absolute path, or `:memory:` when the database is off. */
      path: database,
      exists: isThere(database),
      bytes: fileSize(database) + fileSize(`${database}-wal`),
      schema: SCHEMA_VERSION,
      /** Set for two weeks where hooks began it anew in a file that something had cut to nothing. */
      beganAnew: beganAnew(db, { database, locations: context.locations, nowMs }),
    },
    /** The repository or folder that `sessions.here` is about. */
    project,
    sessions: { here: countSessions(db, project), all: countSessions(db, null) },
    queue: totalsOf(summarizeQueue(db)),
    memory: memoryOf(db, nowMs),
    work: workOf(countState(db)),
    /** Changes that were found after they had happened, and neither undone nor accepted. */
    violations: openViolations(db, project).length,
    daemon: { running: isDaemonHere(context, place) },
    audit: { sinceMs, ...summarizeExecutions(db, sinceMs) },
    spool: { waiting: spooledFiles({ database, folders }).length },
    /** What hooks left in the temporary folder while the home could not be used; null when there is nothing. */
    fallback: fallbackOf(context, place, nowMs),
    hooks: installedHooks(hooks),
    /** Code of plugins inside Claude Code that listens to tools. */
    mods: gatingMods(modPlaces({ projectDir, home, environment: context.environment })),
    config: {
      files: readConfigFiles(lookUpwards(context.cwd), context.locations)
        .filter((file) => !isLeftOut(file))
        .map(({ layer, path }) => ({ layer, path })),
      problems: config.problems,
    },
  };
}

/** What waits in the temporary folder; null when nothing waits, or when it cannot be read, which `doctor` tells. */
function fallbackOf({ locations }: CliContext, { database, config }: Place, nowMs: number) {
  const retentionDays = config.sessionRetentionDays;
  return quietly(() => leftBehind({ locations, database, retentionDays, nowMs })) ?? null;
}

/** The folder of a project: the main checkout, or the working tree where the repository is bare. */
function projectFolder({ commonDir, root }: Repository): string {
  return baseName(commonDir) === ".git" ? parentOf(commonDir) : root;
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

/** Counts what is remembered of all projects, and captures that are not worked in yet. */
function memoryOf(db: DatabaseSync, nowMs: number) {
  const { observations, waiting } = memoryHealth(db, nowMs);
  return { observations, waiting, openFailures: openFailureIds(db, null).length };
}

/** Counts tasks and workflows that are not over, by status; agents that run, and questions that wait. */
function workOf({ tasks, workflows, agents, pendingQuestions }: StateCounts) {
  return {
    tasks: counted(TASK_WORDS, tasks),
    workflows: counted(WORKFLOW_WORDS, workflows),
    agents: RUNNING_AGENTS.reduce((sum, status) => sum + (agents[status] ?? 0), 0),
    questions: pendingQuestions,
  };
}

type Words = readonly (readonly [status: string, word: string])[];
type Counts = Readonly<Record<string, number>>;

function counted(words: Words, counts: Counts): Counts {
  return Object.fromEntries(words.map(([status]) => [status, counts[status] ?? 0]));
}

/** `2 open, 1 blocked`; null when every count is 0. */
function countsText(words: Words, counts: Counts): string | null {
  const told = words.filter(([status]) => counts[status]! > 0);
  return told.map(([status, word]) => `${counts[status]} ${word}`).join(", ") || null;
}

/** The lines for people. @param here `queued`: how many tasks wait for the scheduler. */
function factsOf(
  report: ReturnType<typeof reportOf>,
  { project, queued }: { readonly project: string; readonly queued: number },
): Facts {
  const { database, sessions, queue, memory, work, daemon, audit, spool, fallback } = report;
  const { byStatus, byPriority, oldestAtMs } = queue;
  const size = database.exists
    ? `${bytesText(database.bytes)}, schema ${database.schema}`
    : "nothing there yet";
  const oldest = oldestAtMs === null ? "" : `, oldest ${agoText(oldestAtMs)}`;
  const isDaemonNeeded = queued + work.workflows["running"]! > 0;
  const hooks = report.hooks.map(({ path, events }) =>
    `${path} (${count(events.length, "event")})`
  );
  const files = report.config.files.map(({ layer, path }) => `${path} (${layer})`);
  const { problems } = report.config;
  return [
    ["conclaude", report.version],
    ["database", `${database.path} (${size})`],
    ["", beganAnewText(database.beganAnew)],
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
      `${count(memory.observations, "observation")}, ${
        count(memory.waiting, "capture")
      } waiting, ` +
      count(memory.openFailures, "open failure"),
    ],
    ["tasks", countsText(TASK_WORDS, work.tasks)],
    ["workflows", countsText(WORKFLOW_WORDS, work.workflows)],
    ["agents", work.agents > 0 ? `${work.agents} running` : null],
    [
      "questions",
      work.questions > 0 ? `${work.questions} waiting: \`conclaude question list\`` : null,
    ],
    ["daemon", daemon.running ? "running" : isDaemonNeeded ? DAEMON_NEEDED : null],
    [
      "violations",
      report.violations > 0
        ? `${report.violations} open: \`conclaude config accept --dry-run\` lists them`
        : null,
    ],
    ...column("hooks", hooks, "not installed: run `conclaude install-hooks`"),
    ["  last 24 h", auditText(audit)],
    ["mods", report.mods.map(modText).join("; ") || null],
    [
      "spool",
      `${spool.waiting} waiting${spool.waiting > 0 ? ": run `conclaude queue drain`" : ""}`,
    ],
    ["fallback", fallback && `${fallback.path} is left behind: run \`${fallback.next}\``],
    ...column("config", files, "defaults"),
    [
      "",
      problems > 0 ? `${count(problems, "problem")}: run \`conclaude config validate\`` : null,
    ],
  ];
}

function beganAnewText(begun: BeganAnew | null): string | null {
  return begun && `${begun.text}: run \`${begun.next}\``;
}

/** Several values below one name. @param none The value when there are none. */
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
