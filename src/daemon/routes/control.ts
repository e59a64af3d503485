/** Routes for the daemon itself and its state, for the page and its screens' data, and routes made of verbs. */
import * as z from "zod/mini";
import { isUserError, messageOf } from "../../base/errors.ts";
import { isOfSession } from "../../claude/session_changes.ts";
import { type LastHook, lastHookOf, slowestExecutions } from "../../db/executions.ts";
import { latencyOverTime } from "../../db/hook_latency.ts";
import type { DatabaseSync } from "node:sqlite";
import { knownProjects, listSessions } from "../../db/sessions.ts";
import { saidInSession } from "../../memory/store.ts";
import type { Progress } from "../../operations/context.ts";
import {
  type BackfillState,
  gapsByProject,
  type Reconciled,
} from "../../operations/project_gaps.ts";
import { withTaskTitles } from "../../operations/task_view.ts";
import { wantedIn } from "../../memory/project_paths.ts";
import { wantedUse, withWanted } from "../../operations/open_here.ts";
import { memoryUsage } from "../../system/environment.ts";
import { sizeAt } from "../../system/on_disk.ts";
import * as work from "../../work/store.ts";
import { httpError } from "../api_error.ts";
import type { Figure } from "../metrics.ts";
import { pageResponse, PLOT_PATH } from "../page_response.ts";
import { type Daemon, type Route, routesOf } from "../route.ts";
import { countsSchema, fields, isSet, rows } from "../schemas.ts";
import { runVerb, type VerbRoute, verbRoute } from "../verb_route.ts";
import VERB_ROUTES from "./verb_routes.json" with { type: "json" };
import { ownValue } from "../../base/mapping.ts";

const route = routesOf("daemon");

/** The most rows of each kind that `/state` returns, newest first. */
const STATE_LIMIT = 10_000;

export const controlRoutes: readonly Route[] = [
  route("GET /health", {
    isOpen: true,
    response: { ok: z.literal(true) },
  }, ({ db }) => {
    work.countState(db);
    return { ok: true };
  }),
  route("GET /status", {
    response: {
      running: z.literal(true),
      pid: z.int(),
      version: z.string(),
      startedAtMs: z.int(),
      uptimeSeconds: z.number(),
      database: z.string(),
      socket: z.nullable(z.string()),
      port: z.nullable(z.int()),
      streams: z.int(),
      warnings: z.array(z.string()),
      counts: countsSchema,
    },
  }, (daemon, { author: { atMs } }) => {
    const { db, database, hub, toldSinceMs, warnings } = daemon;
    const { token: _token, processMark: _mark, ...state } = daemon.state;
    return {
      running: true,
      ...state,
      database,
      warnings,
      uptimeSeconds: (atMs - state.startedAtMs) / 1000,
      streams: hub.streams,
      counts: work.countState(db, toldSinceMs(atMs)),
    };
  }),
  route(
    "GET /metrics",
    { mediaType: "text/plain" },
    (daemon, { author }) =>
      new Response(daemon.metrics.text(figuresOf(daemon, author.atMs)), {
        headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
      }),
  ),
  route("POST /shutdown", {
    status: 202,
    transaction: "own",
    response: { stopping: z.literal(true) },
  }, ({ stop }, { author }) => {
    stop(`"${author.by}" asked for it`);
    return { stopping: true };
  }),
  routesOf("state")("GET /state", {
    response: {
      counts: countsSchema,
      tasks: z.array(rows.task),
      agents: z.array(rows.agent),
      workflows: z.array(rows.workflow),
      questions: z.array(rows.question),
    },
  }, ({ db, toldSinceMs }, { author }) => ({
    counts: work.countState(db, toldSinceMs(author.atMs)),
    tasks: work.listTasks(db, { limit: STATE_LIMIT }),
    agents: work.listAgents(db, { limit: STATE_LIMIT }),
    workflows: work.listWorkflows(db, { limit: STATE_LIMIT }),
    questions: work.listQuestions(db, { statuses: ["pending"], limit: STATE_LIMIT }),
  })),
];

function figuresOf({ db, database, hub, state }: Daemon, nowMs: number): Figure[] {
  const counts = work.countState(db);
  const byStatus = (by: Readonly<Record<string, number>>) =>
    Object.entries(by).map(([status, value]) => ({ labels: { status }, value }));
  return [
    ["tasks", "Tasks by status", byStatus(counts.tasks)],
    ["agents", "Agents by status", byStatus(counts.agents)],
    ["workflows", "Workflows by status", byStatus(counts.workflows)],
    ["questions_pending", "Questions that nobody has answered", counts.pendingQuestions],
    ["events_total", "Events that were ever written", counts.lastEventId],
    ["database_bytes", "Size of the database file", sizeAt(database) ?? 0],
    ["wal_bytes", "Size of the write-ahead log", sizeAt(`${database}-wal`) ?? 0],
    ["process_resident_memory_bytes", "Memory of the daemon", memoryUsage().rss],
    ["sse_clients", "Event streams that are open", hub.streams],
    ["uptime_seconds", "How long the daemon has been running", (nowMs - state.startedAtMs) / 1000],
  ];
}

const pageRoute = routesOf("page");

const MAX_SLOWEST = 50;

export const pageRoutes: readonly Route[] = [
  partRoute("/", "page", "text/html"),
  partRoute(PLOT_PATH, "plot", "text/javascript"),
  pageRoute("POST /page/codes", {
    body: { readOnly: z.optional(z.boolean()) },
    forPerson: true,
    status: 201,
    transaction: "own",
    response: { code: z.string(), port: z.nullable(z.int()) },
  }, ({ rights, state }, { body, author }) => ({
    code: rights.newCode(body.readOnly ? "read" : "act", author.atMs),
    port: state.port,
  })),
  pageRoute("POST /page/tabs", {
    body: { code: fields.id },
    isOpen: true,
    status: 201,
    transaction: "own",
    response: { token: z.string(), rights: z.enum(["act", "read"]) },
  }, ({ rights }, { body, author }) => {
    const tab = rights.newTab(body.code, author.atMs);
    if (tab !== null) return tab;
    throw httpError("UNAUTHORIZED", "its code is unknown, spent, or older than a minute");
  }),
  pageRoute("GET /now", {
    query: { all: z.optional(fields.flag) },
    response: { sessions: z.array(z.unknown()), questions: z.array(z.unknown()) },
  }, ({ db }, { query }) => {
    const questions = work.listQuestions(db, { statuses: ["pending"] });
    return {
      sessions: sessionsNow(db, questions, isSet(query.all) ? null : "active"),
      questions: withTaskTitles(db, withWanted(db, questions)),
    };
  }),
  pageRoute("GET /sessions/:id/found", {
    query: { words: z.string() },
    response: { observations: z.array(z.int()) },
  }, ({ db }, { id, query: { words } }) => ({ observations: saidInSession(db, id, words) })),
  pageRoute("GET /projects", { response: { projects: z.array(z.string()) } }, ({ db }) => ({
    projects: knownProjects(db),
  })),
  pageRoute("GET /latency/times", {
    query: { sinceMs: z.coerce.number(), minutes: z.coerce.number() },
    response: { hooks: z.array(z.unknown()) },
  }, ({ db }, { query: { sinceMs, minutes } }) => ({
    hooks: latencyOverTime(db, { sinceMs, stepMs: Math.max(1, Math.floor(minutes)) * 60_000 }),
  })),
  pageRoute("GET /latency/slowest", {
    query: { sinceMs: z.optional(z.coerce.number()) },
    response: { executions: z.array(z.unknown()) },
  }, ({ db }, { query: { sinceMs = 0 } }) => ({
    executions: slowestExecutions(db, sinceMs, MAX_SLOWEST),
  })),
  ...backfillRoutes(),
  ...Object.entries(VERB_ROUTES).flatMap(([tag, rows]) =>
    rows.map((row) => verbRoute({ tag, ...row as Omit<VerbRoute, "tag"> }))
  ),
];

/** Maps the last hook of a session to what the session waits for. */
const WAITS: Readonly<Record<string, string>> = {
  PermissionRequest: "permission",
  Elicitation: "question",
  Stop: "next prompt",
};
/** Does the same for the type of the last notification. A notification that asks is stored as a question instead. */
const NOTIFIED: Readonly<Record<string, string>> = { idle_prompt: "next prompt" };

/** The most sessions that are listed, the latest first. */
const MAX_SESSIONS = 50;

/** Lists sessions with their activity. @param questions The open questions. @param status Null means all sessions. */
function sessionsNow(
  db: DatabaseSync,
  questions: readonly work.Question[],
  status: "active" | null,
) {
  // An open question outranks the last hook: other tools and sub-agents may run on meanwhile.
  const openQuestions = new Map(
    questions.filter(isOfSession).map(({ sessionId, type }) => [
      sessionId!,
      type === "permission" ? "permission" : "question",
    ]),
  );
  return listSessions(db, { project: null, status, limit: MAX_SESSIONS }).map((session) => {
    const { sessionId } = session;
    const last = lastHookOf(db, sessionId);
    const question = openQuestions.get(sessionId);
    const waitsFor = session.status !== "active" ? null : question ?? waitAfter(last);
    const permission = waitsFor !== null && question === "permission"
      ? wantedUse(db, sessionId, session.projectDir)
      : null;
    const isUse = last?.hook === "PreToolUse" || last?.hook === "PermissionRequest";
    return {
      ...session,
      /** The running tool, or the tool that a person is asked to permit. */
      tool: permission?.tool ?? (isUse ? last.tool : null),
      /** The tool's command or file; empty if it has none. */
      wanted: permission?.wanted ??
        (isUse ? wantedIn(last.metadata["tool_input"], session.projectDir) : ""),
      lastHook: last?.hook ?? null,
      lastAtMs: last?.atMs ?? session.updatedAtMs,
      waitsFor,
    };
  });
}

function waitAfter(last: LastHook | null): string | null {
  if (last?.hook !== "Notification") return ownValue(WAITS, last?.hook ?? "") ?? null;
  const { notification_type: type } = last.metadata;
  // Older versions of Claude Code do not send the type.
  return type === undefined ? "an answer" : ownValue(NOTIFIED, String(type)) ?? null;
}

function partRoute(path: `/${string}`, part: "page" | "plot", mediaType: string): Route {
  const options = { isOpen: true, mediaType, transaction: "own" } as const;
  return pageRoute(
    `GET ${path}`,
    options,
    (_daemon, { request }) => pageResponse(part, new URL(request.url).origin),
  );
}

/**
 * Makes the routes that compare the database with Claude Code's transcripts, and fill its gaps. That takes long, so it
 * runs beside the requests, one at a time.
 */
function backfillRoutes(): Route[] {
  let state: BackfillState = { running: null, last: null };
  const options = {
    transaction: "own",
    response: { running: z.unknown(), last: z.unknown() },
  } as const;
  const tell = (doing: string, progress: Progress = { done: 0 }) => {
    state = { ...state, running: { doing, ...progress } };
  };
  return [
    routesOf("care")("GET /backfill", options, () => state),
    routesOf("care")("POST /backfill", {
      ...options,
      body: { fill: z.optional(z.boolean()) },
      forPerson: true,
      status: 202,
    }, (daemon, { body }) => {
      if (state.running !== null) return state;
      tell("Looking for transcripts");
      void backfill(daemon, body.fill ?? false, tell)
        .then((last) => state = { running: null, last });
      return state;
    }),
  ];
}

/** Compares the database with the transcripts. @param fills Whether it also fills the gaps. */
async function backfill(
  daemon: Daemon,
  fills: boolean,
  onProgress: (doing: string, progress?: Progress) => void,
): Promise<BackfillState["last"]> {
  try {
    const runs = `reconcile${fills ? " --backfill" : ""}`;
    const { filled, ...result } = await runVerb(daemon, runs, { onProgress }) as Reconciled;
    return {
      kind: "done",
      atMs: Date.now(),
      transcripts: result.transcripts,
      projects: gapsByProject(result.sessions),
      worked: result.worked,
      filled: filled?.written ?? null,
    };
  } catch (thrown) {
    const why = isUserError(thrown) ? `${thrown.what}: ${thrown.why}` : messageOf(thrown);
    return { kind: "failed", atMs: Date.now(), why };
  }
}
