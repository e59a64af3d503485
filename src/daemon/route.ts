/** Defines routes and finds the route of a path. The server, the API's document and the tests use the same rows. */
import type { DatabaseSync } from "node:sqlite";
import * as z from "zod/mini";
import type { Lasting } from "../work/engine/advance.ts";
import type { Author } from "../work/store.ts";
import type { Asked } from "../operations/shared_claims.ts";
import { type ErrorCode, httpError } from "./api_error.ts";
import type { DaemonState } from "./client.ts";
import type { EventHub } from "./event_hub.ts";
import type { Metrics } from "./metrics.ts";
import type { PageRights } from "./page_rights.ts";
import type { Locations } from "../system/environment.ts";

export interface Daemon {
  readonly db: DatabaseSync;
  readonly engine: { readonly wake: () => void };
  readonly hub: EventHub;
  readonly metrics: Metrics;
  readonly state: DaemonState;
  readonly database: string;
  /** The folder in which the daemon was started. */
  readonly folder: string;
  readonly locations: Locations;
  readonly rights: PageRights;
  /** Warnings for people about the environment of the daemon. */
  readonly warnings: readonly string[];
  /** Returns how long claims last, and workflows that do not set a time themselves. */
  readonly lasting: (nowMs: number) => Lasting;
  /** Returns the time before which events are hidden, even if they are still stored. */
  readonly toldSinceMs: (nowMs: number) => number;
  readonly redact: (text: string) => string;
  readonly log: (level: "info" | "warn" | "error", message: string) => void;
  /** Begins to stop the daemon; the current response is still sent. */
  readonly stop: (why: string) => void;
}

/** A request with checked input. */
export interface Call<Query = unknown, Body = unknown> {
  /** The parameter of the path; empty if the path has none. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  readonly author: Author;
  readonly request: Request;
  /** The result of {@linkcode Route.ask}. */
  readonly asked: Asked | null;
}

type Schema = z.ZodMiniType;

export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** `/tasks/:id/claim`; every route is served below `/api` as well. */
  readonly path: string;
  readonly tag: string;
  readonly query: Schema;
  readonly body: Schema | null;
  readonly status: 200 | 201 | 202 | 204;
  /** Null if the answer is not JSON. */
  readonly response: Schema | null;
  readonly mediaType: string;
  /** The route's own refusals, besides those of every route. */
  readonly errors: readonly ErrorCode[];
  /** Whether the port answers the route without a token. */
  readonly isOpen: boolean;
  /** Whether the request must show a person's token: one of `conclaude token`, or of a page that may act. */
  readonly forPerson: boolean;
  /** `write` runs in a write transaction, `read` in a read transaction; an `own` route manages transactions itself. */
  readonly transaction: "write" | "read" | "own";
  /** Asks a team's server about a claim before the transaction begins. */
  readonly ask: ((daemon: Daemon, call: Call<never, never>) => Promise<Asked | null>) | null;
  readonly handle: (daemon: Daemon, call: Call<never, never>) => unknown;
}

/** The fields of a query, of a body or of an answer. */
export type Shape = Readonly<Record<string, Schema>>;

export type Read<Fields extends Shape> = z.output<z.ZodMiniObject<Fields, z.core.$strict>>;

/** The settings of a route that differ from the usual ones. */
interface RouteOptions<Query extends Shape, Body extends Shape>
  extends Partial<Omit<Route, "method" | "path" | "tag" | "query" | "body" | "response" | "ask">> {
  readonly query?: Query;
  readonly body?: Body;
  readonly response?: Shape;
  readonly ask?: (daemon: Daemon, call: Call<Read<Query>, Read<Body>>) => Promise<Asked | null>;
}

/** The refusals of an id, by the beginning of the path. */
const NOT_FOUND: Readonly<Record<string, ErrorCode>> = {
  "/tasks/:id": "TASK_NOT_FOUND",
  "/agents/:id": "AGENT_NOT_FOUND",
  "/workflows/:id": "WORKFLOW_NOT_FOUND",
  "/questions/:id": "QUESTION_NOT_FOUND",
};

/** Returns a function that makes the routes of one tag. */
export function routesOf(tag: string) {
  return <Query extends Shape = Record<never, never>, Body extends Shape = Record<never, never>>(
    name: `${Route["method"]} /${string}`,
    { query, body, response, errors = [], ...options }: RouteOptions<Query, Body>,
    handle: (daemon: Daemon, call: Call<Read<Query>, Read<Body>>) => unknown,
  ): Route => {
    const [method, path] = name.split(" ") as [Route["method"], string];
    const changes = method !== "GET";
    const notFound = NOT_FOUND[path.split("/", 3).join("/")];
    return {
      method,
      path,
      tag,
      handle,
      status: 200,
      ask: null,
      isOpen: false,
      forPerson: false,
      transaction: changes ? "write" : "read",
      mediaType: "application/json",
      ...options,
      errors: notFound === undefined ? errors : [notFound, ...errors],
      query: z.strictObject(query ?? {}),
      body: changes ? z.strictObject(body ?? {}) : null,
      response: response === undefined ? null : z.object(response),
    };
  };
}

const MAX_TARGET_CHARS = 8_192;

/** Splits an address into path and query, unchanged: `URL` would normalize them. @throws {UserError} INVALID_URL */
export function targetOf(url: string): { readonly path: string; readonly query: string } {
  const rest = url.replace(/^[a-z+]+:\/\/[^/?#]*/i, "").replace(/#.*$/s, "");
  if (rest.length > MAX_TARGET_CHARS) {
    throw httpError("INVALID_URL", `it is longer than ${MAX_TARGET_CHARS} characters`);
  }
  const [path = "", ...query] = rest.split("?");
  return { path, query: query.join("?") };
}

/**
 * Makes the function that finds the route of a method and a path, or else the methods that the path supports. It throws
 * INVALID_URL if it cannot decode an id.
 */
export function routerOf(routes: readonly Route[]) {
  const patterns = routes.map((route) => ({ route, words: route.path.split("/") }));
  // Fixed words come before parameters, so that `/tasks/ready` is not read as the task "ready".
  patterns.sort((a, b) => Number(a.words.includes(":id")) - Number(b.words.includes(":id")));
  return (method: string, path: string) => {
    const parts = path.replace(/^\/api(?=\/)/, "").split("/");
    const matching = patterns.filter(({ words }) =>
      words.length === parts.length &&
      words.every((word, i) => word === ":id" ? !NO_IDS.has(parts[i]!) : word === parts[i])
    );
    const found = matching.find(({ route }) => route.method === method);
    const methods = [...new Set(matching.map(({ route }) => route.method))].sort();
    const id = found === undefined ? "" : decode(parts[found.words.indexOf(":id")]);
    return { route: found?.route ?? null, methods, id };
  };
}

const NO_IDS: ReadonlySet<string> = new Set(["", ".", ".."]);

function decode(text = ""): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw httpError("INVALID_URL", "a part of its path is not encoded rightly");
  }
}
