/** Routes of the page: the page itself, its rights, its stream, and what its screens show by the verbs that show it. */
import * as z from "zod/mini";
import { slowestExecutions } from "../../db/executions.ts";
import { latencyOverTime } from "../../db/hook_latency.ts";
import { knownProjects } from "../../db/sessions.ts";
import { saidInSession } from "../../memory/store.ts";
import { listQuestions } from "../../work/store.ts";
import { httpError } from "../api_error.ts";
import { Backfill } from "../backfill.ts";
import { liveStream } from "../live_stream.ts";
import { PLOT_PATH } from "../page_response.ts";
import { type Route, routesOf } from "../route.ts";
import { fields, isSet } from "../schemas.ts";
import { sessionsNow } from "../sessions_now.ts";
import { withTaskTitles } from "../task_titles.ts";
import { type VerbRoute, verbRoute } from "../verb_route.ts";

const route = routesOf("page");

/** Sessions that were seen last, with what each is at. */
const NOW_SESSIONS = 50;
const SLOWEST = 50;

const ownRoutes: readonly Route[] = [
  route({
    name: "GET /",
    summary: "The page, for a browser; it shows nothing without a code of `conclaude ui`",
    isOpen: true,
    mediaType: "text/html",
    transaction: "own",
    handle: ({ page }, { request }) => page("page", new URL(request.url).origin),
  }),
  route({
    name: `GET ${PLOT_PATH}`,
    summary: "The script that draws the page's charts",
    isOpen: true,
    mediaType: "text/javascript",
    transaction: "own",
    handle: ({ page }, { request }) => page("plot", new URL(request.url).origin),
  }),
  route({
    name: "POST /page/codes",
    summary: "A code that opens one tab of the page, once, within a minute",
    body: z.strictObject({ readOnly: z.optional(z.boolean()) }),
    forPerson: true,
    status: 201,
    transaction: "own",
    response: z.object({ code: z.string(), port: z.nullable(z.int()) }),
    handle: ({ rights, state }, { body, author }) => ({
      code: rights.newCode(body.readOnly ? "read" : "act", author.atMs),
      port: state.port,
    }),
  }),
  route({
    name: "POST /page/tabs",
    summary: "Changes a code for the token of a tab",
    body: z.strictObject({ code: fields.id }),
    isOpen: true,
    status: 201,
    transaction: "own",
    response: z.object({ token: z.string(), rights: z.enum(["act", "read"]) }),
    handle({ rights }, { body, author }) {
      const tab = rights.newTab(body.code, author.atMs);
      if (tab !== null) return tab;
      throw httpError("UNAUTHORIZED", "its code is unknown, spent, or older than a minute");
    },
  }),
  route({
    name: "GET /live",
    summary:
      "Which sessions had hooks, and what else changed, as a stream; `Last-Event-ID` takes it up",
    mediaType: "text/event-stream",
    transaction: "own",
    handle: (daemon, { request }) => {
      daemon.metrics.add("sse_connections");
      return new Response(liveStream(daemon, request.headers.get("last-event-id")), {
        headers: { "content-type": "text/event-stream" },
      });
    },
  }),
  route({
    name: "GET /now",
    summary: "The sessions that were seen last, with what each is at and what it waits for",
    query: z.strictObject({ all: z.optional(fields.flag) }),
    response: z.object({ sessions: z.array(z.unknown()), questions: z.array(z.unknown()) }),
    handle: ({ db }, { query }) => {
      const questions = listQuestions(db, { statuses: ["pending"] });
      const status = isSet(query.all) ? null : "active";
      return {
        sessions: sessionsNow(db, { questions, status, limit: NOW_SESSIONS }),
        questions: withTaskTitles(db, questions),
      };
    },
  }),
  route({
    name: "GET /sessions/:id/found",
    summary: "Which observations of a session hold some words",
    query: z.strictObject({ words: z.string() }),
    response: z.object({ observations: z.array(z.int()) }),
    handle: ({ db }, { id, query: { words } }) => ({
      observations: saidInSession(db, id, words),
    }),
  }),
  route({
    name: "GET /projects",
    summary: "The folders that sessions have worked in, the last one first",
    response: z.object({ projects: z.array(z.string()) }),
    handle: ({ db }) => ({ projects: knownProjects(db) }),
  }),
  route({
    name: "GET /latency/times",
    summary: "How long the hooks of each kind took, by stretches of time",
    query: z.strictObject({ sinceMs: z.coerce.number(), minutes: z.coerce.number() }),
    response: z.object({ hooks: z.array(z.unknown()) }),
    handle: ({ db }, { query: { sinceMs, minutes } }) => ({
      hooks: latencyOverTime(db, { sinceMs, stepMs: Math.max(1, Math.floor(minutes)) * 60_000 }),
    }),
  }),
  route({
    name: "GET /latency/slowest",
    summary: "The hooks that took longest",
    query: z.strictObject({ sinceMs: z.optional(z.coerce.number()) }),
    response: z.object({ executions: z.array(z.unknown()) }),
    handle: ({ db }, { query }) => ({
      executions: slowestExecutions(db, query.sinceMs ?? 0, SLOWEST),
    }),
  }),
];

const careRoute = routesOf("care");
const backfill = new Backfill();
const backfillState = z.object({ running: z.unknown(), last: z.unknown() });

const backfillRoutes: readonly Route[] = [
  careRoute({
    name: "GET /backfill",
    summary: "What transcripts of Claude Code hold that the database does not, as last compared",
    transaction: "own",
    response: backfillState,
    handle: () => backfill.state,
  }),
  careRoute({
    name: "POST /backfill",
    summary: "Compares transcripts with the database; with `fill` it writes what is missing",
    body: z.strictObject({ fill: z.optional(z.boolean()) }),
    forPerson: true,
    status: 202,
    transaction: "own",
    response: backfillState,
    handle: (daemon, { body }) => {
      backfill.begin(daemon, body.fill ?? false);
      return backfill.state;
    },
  }),
];

const MEMORY_FILTERS =
  "[--project] [--session] [--branch] [--file] [--kind] [--since] [--until] [--limit]";

/** Routes of verbs, by their tags. */
const VERB_ROUTES: Readonly<Record<string, readonly Omit<VerbRoute, "tag">[]>> = {
  page: [
    {
      name: "GET /overview",
      runs: "status",
      summary: "What a project's people see first: last sessions, what is open, health",
    },
    {
      name: "GET /team",
      runs: "team status",
      summary: "Shared projects: how far they are, and who wrote what",
    },
    {
      name: "GET /team/held",
      runs: "team held",
      summary: "Rows of shared projects that wait for a person",
    },
  ],
  agents: [
    {
      name: "GET /agents/:id/diff",
      runs: "agent diff <id>",
      summary: "What an agent has changed in a working tree of its own",
      errors: ["AGENT_NOT_FOUND", "INVALID_STATUS", "AMBIGUOUS_ID"],
    },
  ],
  workflows: [
    {
      name: "GET /workflows/:id/diff",
      runs: "workflow diff <id>",
      summary:
        "All work of a workflow since it began, committed or not, and the files that conflict",
      errors: ["WORKFLOW_NOT_FOUND", "INVALID_STATUS", "AMBIGUOUS_ID"],
    },
  ],
  sessions: [
    {
      name: "GET /sessions",
      runs: "session list [--status] [--here] [--until] [--limit]",
      summary: "Sessions, the newest first",
    },
    { name: "GET /sessions/:id", runs: "session show <id>", summary: "The story of a session" },
    {
      name: "GET /sessions/:id/log",
      runs: "session log <id> [--full] [--limit] [--before] [--after]",
      summary:
        "The steps of a session: the newest `limit` before `before`, or what was written behind `after`",
    },
    { name: "GET /captures/:id", runs: "queue show <id>", summary: "A tool use whole" },
  ],
  memory: [
    {
      name: "GET /memory",
      runs: `memory list ${MEMORY_FILTERS}`,
      summary: "What is remembered, the newest first",
    },
    {
      name: "GET /memory/search",
      runs: `memory search <words> ${MEMORY_FILTERS}`,
      summary: "What is remembered of some words",
    },
    {
      name: "GET /memory/open",
      runs: "memory open [--limit]",
      summary: "What is open in a project",
    },
    {
      name: "GET /memory/context",
      runs: "memory context [--session]",
      summary: "What the next session is told, with the price and the reason of each line",
    },
    { name: "GET /memory/:id", runs: "memory show <id>", summary: "An observation whole" },
    {
      name: "POST /memory",
      runs: "memory remember <text> [--session] [--file] [--replaces]",
      summary: "Keeps a note for the project of a folder",
    },
    {
      name: "POST /memory/forget",
      runs:
        "memory forget <id> [--session] [--project] [--file] [--text] [--since] [--until] [--dry-run] --yes",
      summary: "Forgets; with `dryRun` it only tells what would go",
    },
  ],
  rules: [
    {
      name: "GET /audit",
      runs: "audit list [--session] [--hook] [--tool] [--status] [--since] [--until] [--limit]",
      summary: "What hooks did, the newest first",
    },
    {
      name: "GET /latency",
      runs: "audit stats [--since]",
      summary: "How often hooks ran and how long they took",
    },
    {
      name: "GET /requirements",
      runs: "req status [--session] [--branch]",
      summary: "How requirements stand for a session or branch",
    },
    {
      name: "POST /requirements/satisfy",
      runs: "req satisfy <name> [--session] [--branch] [--ttl] [--metadata]",
      summary: "Satisfies a requirement; `metadata` is a JSON object that is kept with it",
    },
    {
      name: "POST /requirements/pause",
      runs: "req pause [--session] [--reason] [--minutes]",
      summary: "Pauses requirements for a session",
    },
    {
      name: "POST /requirements/resume",
      runs: "req resume [--session]",
      summary: "Ends the pause of a session's requirements",
    },
    {
      name: "POST /guards/pause",
      runs: "guard pause [--session] [--reason] [--minutes]",
      summary: "Lifts the rules for a session, for a while",
    },
    {
      name: "POST /guards/resume",
      runs: "guard resume [--session]",
      summary: "Puts the rules in force again for a session",
    },
    {
      name: "GET /explain",
      runs: "explain <tool> <input> [--agent] [--session]",
      summary: "What the rules say of a tool use, and which decides; nothing is run",
    },
    {
      name: "GET /guards",
      runs: "guard list",
      summary: "The rules that are asked before a tool runs",
    },
  ],
  care: [
    { name: "GET /doctor", runs: "doctor", summary: "What is wrong, and what to do" },
    {
      name: "GET /backups",
      runs: "db backups",
      summary: "The backups of the database, the newest first",
    },
    { name: "POST /backups", runs: "db backup", summary: "Copies the database into a new backup" },
    { name: "POST /doctor/fix", runs: "doctor --fix", summary: "Mends what can be mended" },
  ],
};

export const pageRoutes: readonly Route[] = [
  ...ownRoutes,
  ...backfillRoutes,
  ...Object.entries(VERB_ROUTES).flatMap(([tag, rows]) =>
    rows.map((row) => verbRoute({ tag, ...row }))
  ),
];
