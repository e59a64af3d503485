/** Routes of the page: the page itself, its rights, its stream, and what its screens show by the verbs that show it. */
import * as z from "zod/mini";
import { slowestExecutions } from "../../db/executions.ts";
import { latencyOverTime } from "../../db/hook_latency.ts";
import { knownProjects } from "../../db/sessions.ts";
import { listQuestions } from "../../work/store.ts";
import { loaded, type Verb, type VerbGroup, type Verbs } from "../../operations/verb.ts";
import { VERBS } from "../../operations/all_verbs.ts";
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
    async handle({ rights }, { body, author }) {
      const tab = await rights.newTab(body.code, author.atMs);
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

type VerbRow = Omit<VerbRoute, "load"> & {
  /** The words of the verb: `session show`. */
  readonly verb: string;
};

const MEMORY_FILTERS = ["project", "session", "branch", "file", "kind", "since", "until", "limit"];

const VERB_ROUTES: readonly VerbRow[] = [
  {
    name: "GET /overview",
    tag: "page",
    summary: "What a project's people see first: last sessions, what is open, health",
    verb: "status",
  },
  {
    name: "GET /team",
    tag: "page",
    summary: "Shared projects: how far they are, and who wrote what",
    verb: "team status",
  },
  {
    name: "GET /team/held",
    tag: "page",
    summary: "Rows of shared projects that wait for a person",
    verb: "team held",
  },
  {
    name: "GET /sessions",
    tag: "sessions",
    summary: "Sessions, the newest first",
    verb: "session list",
    flags: ["status", "here", "until", "limit"],
  },
  {
    name: "GET /sessions/:id",
    tag: "sessions",
    summary: "The story of a session",
    verb: "session show",
    args: ["id"],
  },
  {
    name: "GET /sessions/:id/log",
    tag: "sessions",
    summary:
      "The steps of a session: the newest `limit` before `before`, or what was written behind `after`",
    verb: "session log",
    args: ["id"],
    flags: ["full", "limit", "before", "after"],
  },
  {
    name: "GET /captures/:id",
    tag: "sessions",
    summary: "A tool use whole",
    verb: "queue show",
    args: ["id"],
  },
  {
    name: "GET /memory",
    tag: "memory",
    summary: "What is remembered, the newest first",
    verb: "memory list",
    flags: MEMORY_FILTERS,
  },
  {
    name: "GET /memory/search",
    tag: "memory",
    summary: "What is remembered of some words",
    verb: "memory search",
    args: ["words"],
    flags: MEMORY_FILTERS,
  },
  {
    name: "GET /memory/open",
    tag: "memory",
    summary: "What is open in a project",
    verb: "memory open",
    flags: ["limit"],
  },
  {
    name: "GET /memory/context",
    tag: "memory",
    summary: "What the next session is told, with the price and the reason of each line",
    verb: "memory context",
    flags: ["session"],
  },
  {
    name: "GET /memory/:id",
    tag: "memory",
    summary: "An observation whole",
    verb: "memory show",
    args: ["id"],
  },
  {
    name: "POST /memory",
    tag: "memory",
    summary: "Keeps a note for the project of a folder",
    verb: "memory remember",
    args: ["text"],
    flags: ["session", "file", "replaces"],
    forPerson: true,
  },
  {
    name: "POST /memory/forget",
    tag: "memory",
    summary: "Forgets; with `dryRun` it only tells what would go",
    verb: "memory forget",
    args: ["id"],
    flags: ["session", "project", "file", "text", "since", "until", "dryRun"],
    always: { yes: true },
    forPerson: true,
  },
  {
    name: "GET /audit",
    tag: "rules",
    summary: "What hooks did, the newest first",
    verb: "audit list",
    flags: ["session", "hook", "tool", "status", "since", "until", "limit"],
  },
  {
    name: "GET /latency",
    tag: "rules",
    summary: "How often hooks ran and how long they took",
    verb: "audit stats",
    flags: ["since"],
  },
  {
    name: "GET /requirements",
    tag: "rules",
    summary: "How requirements stand for a session or branch",
    verb: "req status",
    flags: ["session", "branch"],
  },
  {
    name: "POST /requirements/satisfy",
    tag: "rules",
    summary: "Satisfies a requirement; `metadata` is a JSON object that is kept with it",
    verb: "req satisfy",
    args: ["name"],
    flags: ["session", "branch", "ttl", "metadata"],
    forPerson: true,
  },
  {
    name: "POST /requirements/pause",
    tag: "rules",
    summary: "Pauses requirements for a session",
    verb: "req pause",
    flags: ["session", "reason", "minutes"],
    forPerson: true,
  },
  {
    name: "POST /requirements/resume",
    tag: "rules",
    summary: "Ends the pause of a session's requirements",
    verb: "req resume",
    flags: ["session"],
    forPerson: true,
  },
  {
    name: "POST /guards/pause",
    tag: "rules",
    summary: "Lifts the rules for a session, for a while",
    verb: "guard pause",
    flags: ["session", "reason", "minutes"],
    forPerson: true,
  },
  {
    name: "POST /guards/resume",
    tag: "rules",
    summary: "Puts the rules in force again for a session",
    verb: "guard resume",
    flags: ["session"],
    forPerson: true,
  },
  {
    name: "GET /explain",
    tag: "rules",
    summary: "What the rules say of a tool use, and which decides; nothing is run",
    verb: "explain",
    args: ["tool", "input"],
    flags: ["agent", "session"],
  },
  {
    name: "GET /guards",
    tag: "rules",
    summary: "The rules that are asked before a tool runs",
    verb: "guard list",
  },
  {
    name: "GET /doctor",
    tag: "care",
    summary: "What is wrong, and what to do",
    verb: "doctor",
  },
  {
    name: "GET /backups",
    tag: "care",
    summary: "The backups of the database, the newest first",
    verb: "db backups",
  },
  {
    name: "POST /backups",
    tag: "care",
    summary: "Copies the database into a new backup",
    verb: "db backup",
    forPerson: true,
  },
  {
    name: "POST /doctor/fix",
    tag: "care",
    summary: "Mends what can be mended",
    verb: "doctor",
    always: { fix: true },
    forPerson: true,
  },
];

export const pageRoutes: readonly Route[] = [
  ...ownRoutes,
  ...backfillRoutes,
  ...VERB_ROUTES.map(({ verb, ...row }) => verbRoute({ ...row, load: () => verbNamed(verb) })),
];

async function verbNamed(words: string): Promise<Verb> {
  const [noun = "", ...names] = words.split(" ");
  // The other verbs of a team talk to its server, which the daemon never does.
  if (noun === "team") {
    const looks: Verbs = await import("../../operations/verbs/team_look_verbs.ts");
    return looks[names[0]!] as Verb;
  }
  let found = await loaded(VERBS[noun]!);
  for (const name of names) found = await loaded((found as VerbGroup).verbs[name]!);
  return found as Verb;
}
