/** Looks at what `status` shows: what may need a person's care, which protections hold, and its JSON. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../base/counts.ts";
import { quietly } from "../base/errors.ts";
import { daysMs } from "../base/time.ts";
import { VERSION } from "../base/version.ts";
import { gatingMods, modPlaces, modText } from "../claude/plugins.ts";
import { unarmedText } from "../claude/settings/armed.ts";
import { DEFAULT_HOOK_CONFIG, isLeftOut } from "../config/discover.ts";
import type { HookConfig } from "../config/hook_config.ts";
import { type ExecutionSummary, summarizeExecutions } from "../db/executions.ts";
import { emptyBeginning } from "../db/notes.ts";
import { summarizeQueue, totalsOf } from "../db/queue.ts";
import { countSessions, type SessionCounts } from "../db/sessions.ts";
import { spooledFiles } from "../db/spool.ts";
import { hasTeams } from "../db/team_outbox.ts";
import { SCHEMA_VERSION } from "../db/transaction.ts";
import { memoryHealth } from "../memory/store.ts";
import { openFailuresOf } from "../memory/tell/open_now.ts";
import { hooksHere } from "../policy/armed_gates.ts";
import { rulesOf, stopRulesOf } from "../policy/guards/single_rules.ts";
import { type Policies, policiesIn } from "../policy/policies.ts";
import { openViolations } from "../policy/store.ts";
import { fallbackDatabase } from "../system/environment.ts";
import { fileSize, isThere } from "../system/on_disk.ts";
import { countQueued, countState } from "../work/store.ts";
import { type CliContext, filesHere } from "./context.ts";
import { isDaemonHere } from "./daemon_here.ts";
import { agoText } from "./list_and_show.ts";
import { stillOpenIn } from "./open_here.ts";
import type { OpenStore } from "./open_store.ts";
import { bytesText, type Facts } from "./table.ts";

/** The project that `status` is about. `folder`: the one whose settings Claude Code reads. */
interface Here {
  readonly project: string;
  readonly folder: string;
  readonly nowMs: number;
}

export async function careOf(context: CliContext, { db, place }: OpenStore, here: Here) {
  const { database, config } = place;
  const { locations, environment } = context;
  const { project, folder: projectDir, nowMs } = here;
  const { problems, held, sessionRetentionDays: retentionDays } = config;
  const hooks = hooksHere(config, { projectDir, home: locations.home, environment });
  return {
    /** Set for two weeks after hooks began the database anew, because something had emptied its file. */
    beganAnew: emptyBeginning(db) === null
      ? null
      // It looks for backups, which takes long.
      : (await import("../upkeep/care/backup.ts")).beganAnew(db, { database, locations, nowMs }),
    /** The number of forbidden changes found afterwards that nobody has undone or accepted until now. */
    violations: (await stillOpenIn(context, openViolations(db, project), { db, config })).length,
    /** The changed files of the configuration that are not in force until a person accepts them. */
    held,
    daemon: {
      get running() {
        return isDaemonHere(context, place);
      },
    },
    /** How far the project lags behind its team; empty if it is not shared. */
    team: await teamOf(db, project, nowMs),
    /** The number of tasks that wait for the scheduler. */
    queued: countQueued(db),
    spool: { waiting: spooledFiles({ database, folders: locations.spoolFolders }).length },
    /** Counts events that hooks kept in the temporary folder without a home; null for none, or if it is unreadable. */
    fallback: !isThere(fallbackDatabase(locations)) ? null : await import(
      "../upkeep/care/fallback.ts"
    ).then(({ leftBehind }) =>
      quietly(() => leftBehind({ locations, database, retentionDays, nowMs })) ?? null
    ),
    hooks: hooks.installed,
    protections: protectionsOf(config, hooks),
    problems,
  };
}

export type Care = Awaited<ReturnType<typeof careOf>>;

/** Words what may need care, for `status` and `status --verbose`; null where all is well. */
function careTexts({ beganAnew, violations, held, problems, fallback }: Care) {
  const list = "`conclaude config accept --dry-run`";
  return {
    beganAnew: beganAnew && `${beganAnew.text}: run \`${beganAnew.next}\``,
    violations: violations > 0 ? `${violations} open: ${list} lists them` : null,
    held: held.length > 0 ? `${count(held.length, "file")} not in force: ${list}` : null,
    problems: problems > 0
      ? `${count(problems, "problem")}: run \`conclaude config validate\``
      : null,
    fallback: fallback && `${fallback.path} is left behind: run \`${fallback.next}\``,
  };
}

/** Says in one line that all is well, or what needs care most urgently. */
export function healthText(care: Care): string {
  const { beganAnew, violations, held, problems, fallback } = careTexts(care);
  const { hooks, protections, queued, daemon, team, spool: { waiting } } = care;
  const failed = team.find(({ fault }) => fault !== null);
  const isTwice = new Set(hooks.map(({ isPlugin }) => isPlugin)).size > 1;
  const isUnarmed = hooks.length > 0 && protections.unarmed.length > 0;
  // The most urgent first.
  const [first, ...others] = [
    beganAnew,
    violations && `changes that no rule allows: ${violations}`,
    held && `changed configuration: ${held}`,
    problems && `the configuration has ${problems}`,
    fallback,
    hooks.length === 0 && "hooks are not installed: run `conclaude install-hooks`",
    isTwice && "hooks are installed twice: run `conclaude doctor`",
    isUnarmed && "rules are NOT ARMED: run `conclaude doctor`",
    queued > 0 && !daemon.running &&
    `${count(queued, "task waits", "tasks wait")} for \`conclaude daemon start\``,
    failed && `the team's sync failed: ${failed.fault}`,
    waiting > 0 &&
    `${count(waiting, "event waits", "events wait")} in the spool: \`conclaude queue drain\``,
  ].filter((text) => typeof text === "string");
  if (first === undefined) return "well: nothing needs care";
  return others.length === 0
    ? first
    : `${first} (and ${others.length} more: \`conclaude status --verbose\`)`;
}

async function teamOf(db: DatabaseSync, project: string, nowMs: number) {
  if (!hasTeams(db)) return [];
  const { lagText, teamLags } = await import("../team/team_lag.ts");
  return teamLags(db).filter((lag) => lag.project === project)
    .map((lag) => ({ ...lag, said: lagText(lag, nowMs) }));
}

function guardsIn({ guards }: Policies): string[] {
  const rules = guards === null ? [] : rulesOf(guards);
  return rules.flatMap(({ name, isOn }) => isOn ? [name] : []);
}

function protectionsOf(config: HookConfig, { unarmed }: ReturnType<typeof hooksHere>) {
  const policies = policiesIn(config);
  const builtIn = guardsIn(policiesIn(DEFAULT_HOOK_CONFIG));
  const guards = guardsIn(policies);
  return {
    builtIn: builtIn.filter((name) => guards.includes(name)),
    switchedOff: builtIn.filter((name) => !guards.includes(name)),
    /** The number of the project's own rules about tools and stops. */
    guards: guards.filter((name) => !builtIn.includes(name)).length +
      stopRulesOf(policies.stop).length,
    requirements: policies.requirements?.requirements.length ?? 0,
    strict: policies.guards?.isStrict ?? false,
    /** Why Claude Code does not call the hooks of some rules; empty if it calls all. */
    unarmed: unarmed.map(unarmedText),
  };
}

/** Sums up the protections in one line of at most 80 columns. */
export function protectionsText({ protections }: Care): string {
  const { builtIn, switchedOff, guards, requirements, strict, unarmed } = protections;
  const off = switchedOff.length;
  const whole = off === 0 ? "built-in protections" : `built-in (${off} off)`;
  return [
    builtIn.length === 0 ? "nothing built in" : whole,
    guards > 0 && count(guards, "guard"),
    requirements > 0 && count(requirements, "requirement"),
    strict && "strict",
    unarmed.length === 0 ? "armed" : "NOT ARMED",
  ].filter(Boolean).join(", ");
}

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
