/** Routes for the daemon itself, and for the whole state. */
import * as z from "zod/mini";
import { databaseBytes } from "../database_watch.ts";
import {
  countState,
  listAgents,
  listQuestions,
  listTasks,
  listWorkflows,
} from "../../work/store.ts";
import { type Figure, figure } from "../metrics.ts";
import { type Daemon, type Route, routesOf } from "../route.ts";
import { countsSchema, stateSchema } from "../schemas.ts";
import { memoryUsage } from "../../system/environment.ts";

const route = routesOf("daemon");

/** The most rows of each kind that `/state` returns, newest first. */
const STATE_LIMIT = 10_000;

export const controlRoutes: readonly Route[] = [
  route({
    name: "GET /health",
    isOpen: true,
    response: z.object({ ok: z.literal(true) }),
    handle: ({ db }) => {
      countState(db);
      return { ok: true };
    },
  }),
  route({
    name: "GET /status",
    response: z.object({
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
    }),
    handle: (daemon, { author }) => {
      const { db, database, hub, toldSinceMs, warnings } = daemon;
      const { token: _token, processMark: _mark, ...state } = daemon.state;
      return {
        ...{ running: true, ...state, database, warnings },
        uptimeSeconds: (author.atMs - state.startedAtMs) / 1000,
        streams: hub.streams,
        counts: countState(db, toldSinceMs(author.atMs)),
      };
    },
  }),
  route({
    name: "GET /metrics",
    mediaType: "text/plain",
    handle: (daemon, { author }) =>
      new Response(daemon.metrics.text(figuresOf(daemon, author.atMs)), {
        headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
      }),
  }),
  route({
    name: "POST /shutdown",
    status: 202,
    transaction: "own",
    response: z.object({ stopping: z.literal(true) }),
    handle: ({ stop }, { author }) => {
      stop(`"${author.by}" asked for it`);
      return { stopping: true };
    },
  }),
  routesOf("state")({
    name: "GET /state",
    response: stateSchema,
    handle: ({ db, toldSinceMs }, { author }) => ({
      counts: countState(db, toldSinceMs(author.atMs)),
      tasks: listTasks(db, { limit: STATE_LIMIT }),
      agents: listAgents(db, { limit: STATE_LIMIT }),
      workflows: listWorkflows(db, { limit: STATE_LIMIT }),
      questions: listQuestions(db, { statuses: ["pending"], limit: STATE_LIMIT }),
    }),
  }),
];

function figuresOf({ db, database, hub, state }: Daemon, nowMs: number): Figure[] {
  const counts = countState(db);
  const bytes = databaseBytes(database);
  const byStatus = (by: Readonly<Record<string, number>>) =>
    Object.entries(by).map(([status, value]) => ({ labels: { status }, value }));
  const uptime = (nowMs - state.startedAtMs) / 1000;
  return [
    figure("tasks", "Tasks by status", byStatus(counts.tasks)),
    figure("agents", "Agents by status", byStatus(counts.agents)),
    figure("workflows", "Workflows by status", byStatus(counts.workflows)),
    figure("questions_pending", "Questions that nobody has answered", counts.pendingQuestions),
    figure("events_total", "Events that were ever written", counts.lastEventId),
    figure("database_bytes", "Size of the database file", bytes.database),
    figure("wal_bytes", "Size of the write-ahead log", bytes.wal),
    figure("process_resident_memory_bytes", "Memory of the daemon", memoryUsage().rss),
    figure("sse_clients", "Event streams that are open", hub.streams),
    figure("uptime_seconds", "How long the daemon has been running", uptime),
  ];
}
