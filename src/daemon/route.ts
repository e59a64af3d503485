/** What a route is: one row of the table that the server, the document of the API and its tests are made from. */
import type { DatabaseSync } from "node:sqlite";
import * as z from "zod/mini";
import type { Author } from "../store/task_changes.ts";
import type { ErrorCode } from "./api_error.ts";
import type { EventHub } from "./event_hub.ts";
import type { Metrics } from "./metrics.ts";
import type { DaemonState } from "./state_file.ts";

/** What routes work with. */
export interface Daemon {
  readonly db: DatabaseSync;
  readonly engine: Engine;
  readonly hub: EventHub;
  readonly metrics: Metrics;
  readonly state: DaemonState;
  /** Absolute path of the database. */
  readonly database: string;
  /** What is wrong with where the daemon runs, for people; empty when nothing is. */
  readonly warnings: readonly string[];
  /** How long a claim counts without being renewed. */
  readonly leaseMs: number;
  /** How long a workflow that says nothing of it may take. */
  readonly workflowTimeoutMs: number;
  /** Only events that are younger are told, whether older ones are still there or not. */
  readonly toldSinceMs: (nowMs: number) => number;
  /** The text without its secrets. */
  readonly redact: (text: string) => string;
  readonly log: (level: "info" | "warn" | "error", message: string) => void;
  /** Begins to stop the daemon; the response that is being made is still sent. */
  readonly stop: (why: string) => void;
}

/** A request that has been found to be right. */
export interface Call<Query, Body> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** Who asks, and when. */
  readonly author: Author;
  readonly request: Request;
}

type Schema = z.ZodMiniType;

/** One route. */
export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** `/tasks/:id/claim`; every route is served under `/api` as well. */
  readonly path: string;
  /** One line, for the document. */
  readonly summary: string;
  readonly tag: string;
  readonly query: Schema;
  readonly body: Schema | null;
  /** Status of the answer when all went well. */
  readonly status: 200 | 201 | 202 | 204;
  /** Null where the answer is no JSON. */
  readonly response: Schema | null;
  readonly mediaType: string;
  /** What it refuses beside what every route refuses. */
  readonly errors: readonly ErrorCode[];
  /** Whether it can be asked through the port without the token. */
  readonly isOpen: boolean;
  /** Whether only a person may ask for it: the request shows a token that `conclaude token` printed. */
  readonly forPerson: boolean;
  /** What it is done in: what writes in one write transaction, what reads at one moment; few see to it themselves. */
  readonly transaction: "write" | "read" | "own";
  readonly handle: (daemon: Daemon, call: Call<never, never>) => unknown;
}

/** How a route is written down; what is left out is as most have it. */
export interface RouteSpec<Query extends Schema, Body extends Schema> extends
  Partial<
    Pick<Route, "status" | "errors" | "isOpen" | "forPerson" | "transaction" | "mediaType">
  >,
  Pick<Route, "method" | "path" | "summary" | "tag"> {
  readonly query?: Query;
  readonly body?: Body;
  readonly response?: Schema;
  readonly handle: (daemon: Daemon, call: Call<z.output<Query>, z.output<Body>>) => unknown;
}

const NOTHING = z.strictObject({});

/** Makes a route. */
export function route<
  Query extends Schema = typeof NOTHING,
  Body extends Schema = typeof NOTHING,
>(spec: RouteSpec<Query, Body>): Route {
  const changes = spec.method !== "GET";
  return {
    status: 200,
    errors: [],
    isOpen: false,
    forPerson: false,
    transaction: changes ? "write" : "read",
    mediaType: "application/json",
    ...spec,
    query: spec.query ?? NOTHING,
    body: changes ? spec.body ?? NOTHING : null,
    response: spec.response ?? null,
  };
}

/** The daemon's own work; {@linkcode import("../engine/engine.ts").Engine} is it. */
export interface Engine {
  /** Takes up what an earlier daemon left, and begins. */
  start(): Promise<void>;
  /** Lets go; what runs goes on without it. */
  stop(): Promise<void>;
  /** Something may be there to do: looks at once. */
  wake(): void;
}
