/** Routes about the daemon itself. */
import * as z from "zod/mini";
import { databaseBytes } from "../database_watch.ts";
import { countState } from "../../store/state_counts.ts";
import type { Figure } from "../metrics.ts";
import { type Daemon, type Route, route } from "../route.ts";
import { countsSchema } from "../schemas.ts";

const tag = "daemon";

export const controlRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/health",
    summary:
      "Whether the daemon answers and its database can be read; asks for no token and tells nothing else",
    tag,
    isOpen: true,
    response: z.object({ ok: z.literal(true) }),
    handle: ({ db }) => {
      countState(db);
      return { ok: true };
    },
  }),
  route({
    method: "GET",
    path: "/status",
    summary: "The daemon, and the state in a few numbers",
    tag,
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
      const { pid, version, startedAtMs, socket, port } = daemon.state;
      return {
        running: true,
        pid,
        version,
        startedAtMs,
        uptimeSeconds: (author.atMs - startedAtMs) / 1000,
        database: daemon.database,
        socket,
        port,
        streams: daemon.metrics.streams,
        warnings: daemon.warnings,
        counts: countState(daemon.db, daemon.toldSinceMs(author.atMs)),
      };
    },
  }),
  route({
    method: "GET",
    path: "/metrics",
    summary: "What the daemon counts, as text for Prometheus",
    tag,
    mediaType: "text/plain",
    handle: (daemon, { author }) =>
      new Response(daemon.metrics.text(figuresOf(daemon, author.atMs)), {
        headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
      }),
  }),
  route({
    method: "POST",
    path: "/shutdown",
    summary: "Stops the daemon; agents that run go on, and the next daemon takes them over",
    tag,
    status: 202,
    transaction: "own",
    response: z.object({ stopping: z.literal(true) }),
    handle: ({ stop }, { author }) => {
      stop(`"${author.by}" asked for it`);
      return { stopping: true };
    },
  }),
];

function figuresOf({ db, database, state }: Daemon, nowMs: number): Figure[] {
  const counts = countState(db);
  const byStatus = (name: string, help: string, by: Readonly<Record<string, number>>): Figure => ({
    name,
    help,
    type: "gauge",
    samples: Object.entries(by).map(([status, value]) => ({ labels: { status }, value })),
  });
  const one = (
    name: string,
    help: string,
    value: number,
    type: Figure["type"] = "gauge",
  ): Figure => ({
    name,
    help,
    type,
    samples: [{ value }],
  });
  const bytes = databaseBytes(database);
  return [
    byStatus("tasks", "Tasks by status", counts.tasks),
    byStatus("agents", "Agents by status", counts.agents),
    byStatus("workflows", "Workflows by status", counts.workflows),
    one("questions_pending", "Questions that nobody has answered", counts.pendingQuestions),
    one("events_total", "Events that were ever written", counts.lastEventId, "counter"),
    one("database_bytes", "Size of the database file", bytes.database),
    one("wal_bytes", "Size of the write-ahead log", bytes.wal),
    one("process_resident_memory_bytes", "Memory of the daemon", Deno.memoryUsage().rss),
    one(
      "uptime_seconds",
      "How long the daemon has been running",
      (nowMs - state.startedAtMs) / 1000,
    ),
  ];
}
