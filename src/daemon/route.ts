/**
 * What a route is, and which route a path leads to. The server, the document of the API and the tests are made from the same
 * rows.
 */
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
  /** Absolute path of the database. */
  readonly database: string;
  /** Where the daemon was started. */
  readonly folder: string;
  /** Where the user's own files are. */
  readonly locations: Locations;
  readonly rights: PageRights;
  /** What is wrong with the place where the daemon runs, for people. */
  readonly warnings: readonly string[];
  /** How long claims last, and workflows that do not say so themselves. */
  readonly lasting: (nowMs: number) => Lasting;
  /** Older events are not told, whether they are still kept or not. */
  readonly toldSinceMs: (nowMs: number) => number;
  readonly redact: (text: string) => string;
  readonly log: (level: "info" | "warn" | "error", message: string) => void;
  /** Begins to stop the daemon; the response under way is still sent. */
  readonly stop: (why: string) => void;
}

/** A request whose input was checked. */
export interface Call<Query = unknown, Body = unknown> {
  /** The parameter of the path; empty where the path has none. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  readonly author: Author;
  readonly request: Request;
  /** The answer that {@linkcode Route.ask} got. */
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
  /** Status of the answer when all went well. */
  readonly status: 200 | 201 | 202 | 204;
  /** Null where the answer is not JSON. */
  readonly response: Schema | null;
  readonly mediaType: string;
  /** The refusals of this route; every route has some more. */
  readonly errors: readonly ErrorCode[];
  /** Whether the port answers it without the token. */
  readonly isOpen: boolean;
  /** Whether the request has to show a token that `conclaude token` printed for a person. */
  readonly forPerson: boolean;
  /** A write gets one write transaction, a read sees one moment; `own`: the route sees to it. */
  readonly transaction: "write" | "read" | "own";
  /** Asks elsewhere before the transaction begins: what a team's server says of a claim. */
  readonly ask: ((daemon: Daemon, call: Call<never, never>) => Promise<Asked | null>) | null;
  readonly handle: (daemon: Daemon, call: Call<never, never>) => unknown;
}

/** A row of the table of routes; {@linkcode routesOf} fills in what it leaves out. */
export interface RouteRow<Query extends Schema, Body extends Schema>
  extends Partial<Omit<Route, "method" | "path" | "tag" | "query" | "body" | "ask" | "handle">> {
  readonly name: `${Route["method"]} /${string}`;
  readonly query?: Query;
  readonly body?: Body;
  readonly ask?: (
    daemon: Daemon,
    call: Call<z.output<Query>, z.output<Body>>,
  ) => Promise<Asked | null>;
  readonly handle: (daemon: Daemon, call: Call<z.output<Query>, z.output<Body>>) => unknown;
}

const NOTHING = z.strictObject({});

/** A function that makes the routes of one tag from their rows. */
export function routesOf(tag: string) {
  return <Query extends Schema = typeof NOTHING, Body extends Schema = typeof NOTHING>(
    { name, ...row }: RouteRow<Query, Body>,
  ): Route => {
    const [method, path] = name.split(" ") as [Route["method"], string];
    const changes = method !== "GET";
    return {
      method,
      path,
      tag,
      status: 200,
      errors: [],
      isOpen: false,
      forPerson: false,
      transaction: changes ? "write" : "read",
      mediaType: "application/json",
      ...row,
      ask: row.ask ?? null,
      query: row.query ?? NOTHING,
      body: changes ? row.body ?? NOTHING : null,
      response: row.response ?? null,
    };
  };
}

/** The response of a route that goes on. */
export function streamOf({ metrics }: Pick<Daemon, "metrics">, stream: ReadableStream): Response {
  metrics.add("sse_connections");
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}

/** What a path leads to: a route, or the methods that the path has, if any. */
export type Found =
  | { readonly kind: "route"; readonly route: Route; readonly id: string }
  | { readonly kind: "none"; readonly methods: readonly string[] };

/** The longest address, in characters. */
const MAX_TARGET_CHARS = 8_192;

/** The path and the query of an address, as they were sent: `URL` would tidy them up. @throws {UserError} INVALID_URL */
export function targetOf(url: string): { readonly path: string; readonly query: string } {
  const rest = url.replace(/^[a-z+]+:\/\/[^/?#]*/i, "").replace(/#.*$/s, "");
  if (rest.length > MAX_TARGET_CHARS) {
    throw httpError("INVALID_URL", `it is longer than ${MAX_TARGET_CHARS} characters`);
  }
  const [path = "", ...query] = rest.split("?");
  return { path, query: query.join("?") };
}

/** Finds the route of a method and a path. @throws {UserError} INVALID_URL when an id cannot be decoded. */
type FindRoute = (method: string, path: string) => Found;

/** Prepares the search for routes. */
export function routerOf(routes: readonly Route[]): FindRoute {
  const patterns = routes.map((route) => ({ route, words: route.path.split("/") }));
  // Fixed words go before parameters, so that `/tasks/ready` is not read as the task "ready".
  patterns.sort((a, b) => Number(a.words.includes(":id")) - Number(b.words.includes(":id")));
  return (method, path) => {
    const parts = path.replace(/^\/api(?=\/)/, "").split("/");
    const matching = patterns.filter(({ words }) =>
      words.length === parts.length &&
      words.every((word, i) => word === ":id" ? !NO_IDS.has(parts[i]!) : word === parts[i])
    );
    const found = matching.find(({ route }) => route.method === method);
    if (found === undefined) {
      const methods = new Set(matching.map(({ route }) => route.method));
      return { kind: "none", methods: [...methods].sort() };
    }
    return { kind: "route", route: found.route, id: decode(parts[found.words.indexOf(":id")]) };
  };
}

/** Parts of a path that name nothing. */
const NO_IDS: ReadonlySet<string> = new Set(["", ".", ".."]);

function decode(text = ""): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw httpError("INVALID_URL", "a part of its path is not encoded rightly");
  }
}
