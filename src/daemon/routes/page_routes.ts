/** Routes of the page: the page itself, its rights, its stream, its screens' data, and verbs. */
import * as z from "zod/mini";
import { slowestExecutions } from "../../db/executions.ts";
import { latencyOverTime } from "../../db/hook_latency.ts";
import { knownProjects } from "../../db/sessions.ts";
import { saidInSession } from "../../memory/store.ts";
import { withWanted } from "../../operations/open_here.ts";
import { listQuestions } from "../../work/store.ts";
import { httpError } from "../api_error.ts";
import { Backfill } from "../backfill.ts";
import { liveStream } from "../live_stream.ts";
import { pageResponse, PLOT_PATH } from "../page_response.ts";
import { type Route, routesOf, streamOf } from "../route.ts";
import { fields, isSet } from "../schemas.ts";
import { sessionsNow } from "../sessions_now.ts";
import { withTaskTitles } from "../task_titles.ts";
import { type VerbRoute, verbRoute } from "../verb_route.ts";
import VERB_ROUTES from "./verb_routes.json" with { type: "json" };

const route = routesOf("page");

const SLOWEST = 50;

/** The route of a file that the page is made of. */
function partRoute(path: `/${string}`, part: "page" | "plot", mediaType: string): Route {
  return route({
    name: `GET ${path}`,
    isOpen: true,
    mediaType,
    transaction: "own",
    handle: (_daemon, { request }) => pageResponse(part, new URL(request.url).origin),
  });
}

const ownRoutes: readonly Route[] = [
  partRoute("/", "page", "text/html"),
  partRoute(PLOT_PATH, "plot", "text/javascript"),
  route({
    name: "POST /page/codes",
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
    mediaType: "text/event-stream",
    transaction: "own",
    handle: (daemon, { request }) =>
      streamOf(daemon, liveStream(daemon, request.headers.get("last-event-id"))),
  }),
  route({
    name: "GET /now",
    query: z.strictObject({ all: z.optional(fields.flag) }),
    response: z.object({ sessions: z.array(z.unknown()), questions: z.array(z.unknown()) }),
    handle: ({ db }, { query }) => {
      const questions = listQuestions(db, { statuses: ["pending"] });
      return {
        sessions: sessionsNow(db, questions, isSet(query.all) ? null : "active"),
        questions: withTaskTitles(db, withWanted(db, questions)),
      };
    },
  }),
  route({
    name: "GET /sessions/:id/found",
    query: z.strictObject({ words: z.string() }),
    response: z.object({ observations: z.array(z.int()) }),
    handle: ({ db }, { id, query: { words } }) => ({ observations: saidInSession(db, id, words) }),
  }),
  route({
    name: "GET /projects",
    response: z.object({ projects: z.array(z.string()) }),
    handle: ({ db }) => ({ projects: knownProjects(db) }),
  }),
  route({
    name: "GET /latency/times",
    query: z.strictObject({ sinceMs: z.coerce.number(), minutes: z.coerce.number() }),
    response: z.object({ hooks: z.array(z.unknown()) }),
    handle: ({ db }, { query: { sinceMs, minutes } }) => ({
      hooks: latencyOverTime(db, { sinceMs, stepMs: Math.max(1, Math.floor(minutes)) * 60_000 }),
    }),
  }),
  route({
    name: "GET /latency/slowest",
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
    transaction: "own",
    response: backfillState,
    handle: () => backfill.state,
  }),
  careRoute({
    name: "POST /backfill",
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

export const pageRoutes: readonly Route[] = [
  ...ownRoutes,
  ...backfillRoutes,
  ...Object.entries(VERB_ROUTES).flatMap(([tag, rows]) =>
    rows.map((row) => verbRoute({ tag, ...row as Omit<VerbRoute, "tag"> }))
  ),
];
