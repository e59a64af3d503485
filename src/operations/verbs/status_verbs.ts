import { fallbackDatabase } from "../../system/environment.ts";
import { quietly } from "../../base/errors.ts";
import { plain } from "../../base/plain.ts";
import { count } from "../../base/counts.ts";
import { gatingMods, modPlaces, modText } from "../../claude/mods.ts";
import { isLeftOut, readConfigFiles } from "../../config/discover.ts";
import { quickIdentity } from "../../system/git/identity.ts";
import { findRepository, lookUpwards, type Repository } from "../../system/git/repository.ts";
import { type BeganAnew, beganAnew } from "../../upkeep/care/backup.ts";
import { fileSize, isThere } from "../../system/on_disk.ts";
import { baseName, parentOf } from "../../base/paths.ts";
import { openFailuresOf } from "../../memory/tell/open_now.ts";
import { newestOfProject } from "../../memory/tell/told_rows.ts";
import { spooledFiles } from "../../db/spool.ts";
import { SCHEMA_VERSION } from "../../db/transaction.ts";
import { type ExecutionSummary, summarizeExecutions } from "../../db/executions.ts";
import { formerFolders, memoryHealth } from "../../memory/store.ts";
import { summarizeQueue, totalsOf } from "../../db/queue.ts";
import { countSessions, listSessions, type SessionCounts } from "../../db/sessions.ts";
import { countQueued, countState, type StateCounts } from "../../work/store.ts";
import { openViolations } from "../../policy/store.ts";
import { lagText, teamLags } from "../../team/team_lag.ts";
import { daysMs, relativeTime } from "../../base/time.ts";
import { shortSessionId } from "../../base/ids.ts";
import { VERSION } from "../../base/version.ts";
import type { CliContext } from "../context.ts";
import { isDaemonHere } from "../daemon_here.ts";
import { hooksPlace } from "../own_program.ts";
import { hintsHere, moveCommand } from "../next_command.ts";
import { agoText } from "../list_and_show.ts";
import { protectionsOf, protectionsText } from "../protections.ts";
import { openStore, type Place } from "../open_store.ts";
import { bytesText, factLines, type Facts, firstLines, section } from "../table.ts";
import { openHere, openLines } from "../open_here.ts";
import { switchOn } from "../flags.ts";
import { verb } from "../verb.ts";
import type { DatabaseSync } from "node:sqlite";

export const status = verb({
  flags: { verbose: switchOn("With the database, the queue, the hooks, and the configuration") },
  about:
    "Shows the last sessions of this project, what is open, what was decided, and whether conclaude is well. It changes " +
    "nothing.",
  examples: ["conclaude status", "conclaude status --verbose", "conclaude status --json"],
  async run(context, { verbose }) {
    const { globals } = context;
    const opened = await openStore(context, "read");
    const { db } = opened;
    const repository = findRepository(lookUpwards(context.cwd));
    const project = repository?.commonDir ?? context.cwd;
    const nowMs = Date.now();
    const isWhole = globals.json || verbose;
    const lookedAt = isWhole ? undefined : LOOKED_AT;
    const recent = recentOf(db, project, { nowMs, lookedAt });
    const isFresh = (recent.sessions[0]?.updatedAtMs ?? 0) > nowMs - daysMs(1);
    const { projectDir } = hooksPlace(context);
    const { home } = context.locations;
    const armed = { projectDir, home, environment: context.environment };
    const protections = protectionsOf(opened.place.config, armed);
    const isArmed = protections.unarmed.length === 0;
    // Where hooks wrote a session lately and every gate is asked, nobody has to look for them.
    const hooks = isFresh && isArmed && !isWhole ? null : await hooksOf(context);
    const care = await careOf(context, opened, { project, nowMs, hooks, protections });
    const folder = repository === undefined ? project : projectFolder(repository);
    const report = isWhole ? reportOf(context, opened, { project, nowMs, care, recent }) : null;
    const lines = [
      `project  ${plain(folder)}`,
      `rules    ${plain(protectionsText(protections))}`,
      ...recent.formerFolders.map((former) =>
        plain(`         known from ${former}, which is gone: \`${moveCommand(former, folder)}\``)
      ),
      ...recentLines(recent, nowMs),
      "",
      ...care.team.map((lag) => plain(`team     ${lag.name}: ${lagText(lag, nowMs)}`)),
      `health   ${healthText(care)}`,
      ...report === null
        ? ["", "Everything else: `conclaude status --verbose`"]
        : ["", ...factLines(factsOf(report, care), 15)],
    ];
    return { json: report, text: hintsHere(lines.join("\n"), globals) };
  },
});

/** Of a project with very many failures the newest are read, so that a person does not wait. */
const LOOKED_AT = 100;
/** The most lines of each list of `status`. */
const MOST = { sessions: 5, open: 3, decided: 3 } as const;

/** What a person has worked on here: the last sessions, what is open, and what was decided or noted. */
function recentOf(
  db: DatabaseSync,
  project: string,
  reading: { readonly nowMs: number; readonly lookedAt: number | undefined },
) {
  const told = newestOfProject(db, project);
  const titles = new Map(
    told.flatMap(({ kind, sessionId, title }) =>
      kind === "summary" ? [[sessionId, title.replace(/^Session: /, "")]] : []
    ),
  );
  return {
    /** The folders that are gone in which the same repository was. */
    formerFolders: formerFolders(db, project, { ...quickIdentity(project), onlyIfNew: false }),
    sessions: listSessions(db, { project, status: null, limit: MOST.sessions + 1 })
      .map(({ sessionId, status, title, updatedAtMs }) => ({
        sessionId,
        status,
        title: titles.get(sessionId) ?? title,
        updatedAtMs,
      })),
    open: openHere(db, project, { ...reading, told }),
    decided: told.filter(({ kind }) => kind === "decision" || kind === "note")
      .map(({ id, title, updatedAtMs }) => ({ id, title, updatedAtMs })),
  };
}

function recentLines(
  { sessions, open, decided }: ReturnType<typeof recentOf>,
  nowMs: number,
): string[] {
  const when = (atMs: number) => relativeTime(atMs, nowMs).padEnd(9);
  const ran = sessions.slice(0, MOST.sessions).map(({ sessionId, status, title, updatedAtMs }) =>
    `${shortSessionId(sessionId)}  ${when(updatedAtMs)}  ${title ?? `(no prompt, ${status})`}`
  );
  const more = sessions.length > ran.length ? ["… and more: `conclaude session list --here`"] : [];
  const none = ["None yet: hooks write them while Claude Code works here."];
  return [
    ...section("Last sessions", [
      ...firstLines(ran.length === 0 ? none : ran, MOST.sessions, ""),
      ...more,
    ]),
    ...openLines(open, { most: MOST.open, onwards: "`conclaude memory open`", nowMs }),
    ...section(
      "Decided and noted",
      firstLines(
        decided.map(({ id, title, updatedAtMs }) => `#${id} ${when(updatedAtMs)} ${title}`),
        MOST.decided,
        "`conclaude memory list --here --kind decision`",
      ),
    ),
  ];
}

async function hooksOf(context: CliContext) {
  const { installedHooks } = await import("../../upkeep/doctor/hook_checks.ts");
  return installedHooks(hooksPlace(context));
}

/** What a person may have to look after. @param at `hooks`: where they are installed; null where that is not asked. */
async function careOf(
  context: CliContext,
  { db, place }: Opened,
  { project, nowMs, hooks, protections }: {
    readonly project: string;
    readonly nowMs: number;
    readonly hooks: Awaited<ReturnType<typeof hooksOf>> | null;
    readonly protections: Protections;
  },
) {
  const { database, config: { problems } } = place;
  const { spoolFolders: folders } = context.locations;
  return {
    /** Set for two weeks where hooks began the database anew in a file that something had cut to nothing. */
    beganAnew: beganAnew(db, { database, locations: context.locations, nowMs }),
    /** Changes that were found after they had happened, and neither undone nor accepted. */
    violations: openViolations(db, project).length,
    daemon: { running: isDaemonHere(context, place) },
    /** How far the project is behind its team. */
    team: teamLags(db).filter((lag) => lag.project === project),
    /** Tasks that wait for the scheduler. */
    queued: countQueued(db),
    spool: { waiting: spooledFiles({ database, folders }).length },
    /** What hooks left in the temporary folder while the home could not be used; null when there is nothing. */
    fallback: await fallbackOf(context, place, nowMs),
    hooks,
    protections,
    problems,
  };
}

type Protections = ReturnType<typeof protectionsOf>;

interface Opened {
  readonly db: DatabaseSync;
  readonly place: Place;
}

type Care = Awaited<ReturnType<typeof careOf>>;

const fallbackText = ({ fallback }: Care) =>
  fallback && `${fallback.path} is left behind: run \`${fallback.next}\``;
const problemsText = ({ problems }: Care) =>
  problems > 0 ? `${count(problems, "problem")}: run \`conclaude config validate\`` : null;
const violationsText = ({ violations }: Care) =>
  violations > 0 ? `${violations} open: \`conclaude config accept --dry-run\` lists them` : null;

/** What needs care, the most urgent first; null where it is well. */
const AILMENTS: readonly ((care: Care) => string | null)[] = [
  ({ beganAnew }) => beganAnewText(beganAnew),
  fallbackText,
  (care) => problemsText(care) && `the configuration has ${problemsText(care)}`,
  (care) => violationsText(care) && `unproven changes: ${violationsText(care)}`,
  ({ hooks }) =>
    hooks?.length === 0 ? "hooks are not installed: run `conclaude install-hooks`" : null,
  ({ hooks, protections: { unarmed } }) =>
    (hooks ?? []).length > 0 && unarmed.length > 0
      ? "rules are NOT ARMED: run `conclaude doctor`"
      : null,
  ({ queued, daemon }) =>
    queued > 0 && !daemon.running
      ? `${count(queued, "task waits", "tasks wait")} for \`conclaude daemon start\``
      : null,
  ({ team }) => {
    const failed = team.find(({ fault }) => fault !== null);
    return failed === undefined ? null : `the team's sync failed: ${plain(failed.fault!)}`;
  },
  ({ spool }) =>
    spool.waiting > 0
      ? `${
        count(spool.waiting, "event waits", "events wait")
      } in the spool: \`conclaude queue drain\``
      : null,
];

/** One line: well, or the most urgent of what needs care. */
function healthText(care: Care): string {
  const [first, ...others] = AILMENTS.flatMap((text) => text(care) ?? []);
  if (first === undefined) return "well: nothing needs care";
  return others.length === 0 ? first : `1 of ${others.length + 1}: ${first}`;
}

/** What `conclaude status --json` prints. */
function reportOf(
  context: CliContext,
  { db, place: { database } }: Opened,
  { project, nowMs, care, recent }: {
    readonly project: string;
    readonly nowMs: number;
    readonly care: Care;
    readonly recent: ReturnType<typeof recentOf>;
  },
) {
  const sinceMs = nowMs - daysMs(1);
  const { queued: _, hooks, problems, beganAnew, ...told } = care;
  const { locations, environment, cwd } = context;
  const { projectDir } = hooksPlace(context);
  const at = { projectDir, home: locations.home, environment };
  return {
    version: VERSION,
    database: {
      /** Absolute path, or `:memory:` when the database is off. */
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
    memory: memoryOf(db, nowMs),
    work: workOf(countState(db)),
    audit: { sinceMs, ...summarizeExecutions(db, sinceMs) },
    ...told,
    hooks: hooks ?? [],
    /** Code of plugins inside Claude Code that listens to tools. */
    mods: gatingMods(modPlaces(at)),
    config: {
      files: readConfigFiles(lookUpwards(cwd), locations)
        .filter((file) => !isLeftOut(file))
        .map(({ layer, path }) => ({ layer, path })),
      problems,
    },
  };
}

/** What waits in the temporary folder; null when nothing waits, or when it cannot be read, which `doctor` tells. */
async function fallbackOf(context: CliContext, { database, config }: Place, nowMs: number) {
  const { locations } = context;
  if (!isThere(fallbackDatabase(locations))) return null;
  const { leftBehind } = await import("../../upkeep/care/fallback.ts");
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
  return { observations, waiting, openFailures: openFailuresOf(db, null).length };
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

/** The plumbing, for people. */
function factsOf(report: ReturnType<typeof reportOf>, care: Care): Facts {
  const { database, sessions, queue, memory, work, daemon, audit, spool } = report;
  const { byStatus, byPriority, oldestAtMs } = queue;
  const size = database.exists
    ? `${bytesText(database.bytes)}, schema ${database.schema}`
    : "nothing there yet";
  const oldest = oldestAtMs === null ? "" : `, oldest ${agoText(oldestAtMs)}`;
  const isDaemonNeeded = care.queued + work.workflows["running"]! > 0;
  const hooks = report.hooks.map(({ path, events }) =>
    `${path} (${count(events.length, "event")})`
  );
  const files = report.config.files.map(({ layer, path }) => `${path} (${layer})`);
  return [
    ["conclaude", report.version],
    ["database", `${database.path} (${size})`],
    ["", beganAnewText(database.beganAnew)],
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
    ["violations", violationsText(care)],
    ...column("hooks", hooks, "not installed: run `conclaude install-hooks`"),
    ["  rules", care.protections.unarmed.join("; ") || null],
    ["  last 24 h", auditText(audit)],
    ["mods", report.mods.map(modText).join("; ") || null],
    [
      "spool",
      `${spool.waiting} waiting${spool.waiting > 0 ? ": run `conclaude queue drain`" : ""}`,
    ],
    ["fallback", fallbackText(care)],
    ...column("config", files, "defaults"),
    ["", problemsText(care)],
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
