/**
 * Listens on a socket for this user alone and on a port of this machine. Answers a request: finds its route, checks the
 * caller's rights, reads and checks the input, and runs the route in one transaction.
 */
import type { DatabaseSync } from "node:sqlite";
import { timingSafeEqual } from "node:crypto";
import { setImmediate } from "node:timers";
import { refusal } from "../work/refusal.ts";
import { checkAgentId } from "../work/task_input.ts";
import { reading, transaction } from "../db/transaction.ts";
import { claimAsked } from "../operations/shared_claims.ts";
import { API_HELP, errorResponse, httpError } from "./api_error.ts";
import { isSamePlace } from "./database_watch.ts";
import type { TabRights } from "./page_rights.ts";
import { checked, checkedBody, readBody, readQuery } from "./input.ts";
import { type Call, type Daemon, type Route, routerOf, targetOf } from "./route.ts";
import { knowsToken } from "../policy/store.ts";
import {
  chmodSync,
  isPermissionDenied,
  lstatSync,
  mkdirSync,
  removeSync,
  renameSync,
  statSync,
} from "../system/files.ts";
import { quietly, UserError } from "../base/errors.ts";
import { parentOf } from "../base/paths.ts";
import { makePrivateFolder } from "../system/write_file.ts";
import type { DaemonFiles } from "../system/daemon_files.ts";
import { type HttpServer, isAddrInUse, serve } from "../system/network.ts";

export type Door =
  | { readonly kind: "socket" }
  | { readonly kind: "port"; readonly port: number; readonly token: string };

/** Makes the function that answers requests. @param isStopping Whether the daemon refuses new requests. */
export function createHandler(
  daemon: Daemon,
  { routes, isStopping }: { readonly routes: readonly Route[]; readonly isStopping: () => boolean },
): (request: Request, door: Door) => Promise<Response> {
  const { database, db, hub, engine, log, metrics } = daemon;
  const findRoute = routerOf(routes);
  const file = statSync(database);
  const writes = new WriteGroup(db, () => {
    // A write to a removed file would be lost although the answer reports success.
    if (isSamePlace(database, file)) return;
    throw httpError("SHUTTING_DOWN", `its database ${database} was removed or replaced`);
  });
  return async (request, door) => {
    const startedMs = performance.now();
    const seen: { route: Route | null } = { route: null };
    const response = await answer(request, door, seen)
      .catch((thrown) => errorResponse(thrown, log));
    response.headers.set("cache-control", "no-store");
    response.headers.set("x-content-type-options", "nosniff");
    metrics.countRequest({
      route: seen.route?.path ?? "none",
      method: seen.route?.method ?? "other",
      status: response.status,
      seconds: (performance.now() - startedMs) / 1000,
    });
    return response;
  };

  async function answer(request: Request, door: Door, seen: { route: Route | null }) {
    const { headers, method } = request;
    if (isStopping()) throw httpError("SHUTTING_DOWN", "it was told to stop");
    checkSource(headers, door);
    const { path, query } = targetOf(request.url);
    const found = findRoute(method, path);
    const rights = rightsOf(headers, door);
    if (rights === null && !(found.kind === "route" && found.route.isOpen)) {
      throw httpError(
        "UNAUTHORIZED",
        "its Authorization is no token of this daemon, nor of a page",
      );
    }
    if (found.kind === "none") return notFound(path, found.methods);
    const { route, id } = found;
    seen.route = route;
    if (rights === "read" && route.method !== "GET") {
      throw httpError("READ_ONLY", "it was opened with `conclaude ui --read-only`");
    }
    if (
      route.forPerson && rights !== "act" &&
      !await knowsToken(db, headers.get(PERSON_HEADER) ?? "")
    ) throw httpError("PERSON_REQUIRED", "the request shows no token of a person");
    const call = {
      id,
      query: checked(route.query, readQuery(query)),
      body: route.body === null ? {} : checkedBody(route.body, await readBody(request)),
      author: { by: callerOf(headers), atMs: Date.now() },
      request,
      asked: null,
    };
    const result = await run(route, call as Call<never, never>);
    if (result instanceof Response) return result;
    if (route.status === 204) return new Response(null, { status: 204 });
    return Response.json(result, { status: route.status });
  }

  /** Returns the rights of a request's token; null for an unknown token. The file's mode protects the socket. */
  function rightsOf(headers: Headers, door: Door): "program" | TabRights | null {
    if (door.kind === "socket") return "program";
    const given = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
    if (isSame(given, door.token)) return "program";
    return daemon.rights.rightsOf(given, Date.now());
  }

  async function run(route: Route, call: Call<never, never>): Promise<unknown> {
    const asked = route.ask === null ? null : await route.ask(daemon, call);
    const work = () => route.handle(daemon, { ...call, asked });
    if (route.transaction === "read") return reading(db, work);
    const result = await claimAsked(
      asked,
      () => route.transaction === "write" ? writes.run(work) : work(),
    );
    hub.changed();
    engine.wake();
    return result;
  }

  function notFound(target: string, methods: readonly string[]): Response {
    const path = target.slice(0, 100);
    if (methods.length === 0) {
      const why = "no route has this path; nothing was changed";
      throw refusal("NOT_FOUND", { what: `There is no ${path}`, why, next: API_HELP });
    }
    const allowed = methods.join(", ");
    const error = httpError("METHOD_NOT_ALLOWED", `${path} answers ${allowed}`);
    const response = errorResponse(error, log);
    response.headers.set("allow", allowed);
    return response;
  }
}

interface Waiting {
  readonly work: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (thrown: unknown) => void;
}

/**
 * Lets requests that come at the same moment share a commit, and answers none before it. Each has its own savepoint, so
 * that a refused request does not undo the others.
 */
export class WriteGroup {
  readonly #db: DatabaseSync;
  readonly #check: () => void;
  #waiting: Waiting[] = [];

  /** @param check Runs before each write; if it throws, all waiting requests are refused. */
  constructor(db: DatabaseSync, check: () => void) {
    this.#db = db;
    this.#check = check;
  }

  /** Runs `work` in a write transaction; settles when the transaction is committed or undone. */
  run(work: () => unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#commit());
    });
  }

  #commit(): void {
    const group = this.#waiting;
    this.#waiting = [];
    const [first, second] = group;
    try {
      this.#check();
      if (second === undefined) return first!.resolve(transaction(this.#db, first!.work));
      const answers = transaction(this.#db, () => group.map((one) => this.#attempt(one)));
      for (const answer of answers) answer();
    } catch (thrown) {
      for (const { reject } of group) reject(thrown);
    }
  }

  /** @returns A function that passes on the result after the commit. @throws When the whole transaction is undone. */
  #attempt({ work, resolve, reject }: Waiting): () => void {
    this.#db.exec("SAVEPOINT request");
    try {
      const result = work();
      this.#db.exec("RELEASE request");
      return () => resolve(result);
    } catch (thrown) {
      if (!this.#db.isTransaction) throw thrown;
      this.#db.exec("ROLLBACK TO request; RELEASE request");
      return () => reject(thrown);
    }
  }
}

/**
 * Refuses requests of foreign web pages, whatever name they use for this machine. The file's mode protects the socket,
 * the token the port.
 * @throws {UserError} FORBIDDEN_HOST, FORBIDDEN_ORIGIN
 */
function checkSource(headers: Headers, door: Door): void {
  const origin = headers.get("origin");
  const hosts = door.kind === "port" ? [`127.0.0.1:${door.port}`, `localhost:${door.port}`] : [];
  if (door.kind === "port" && !hosts.includes((headers.get("host") ?? "").toLowerCase())) {
    throw httpError("FORBIDDEN_HOST", `its Host is not ${hosts.join(" or ")}`);
  }
  const site = headers.get("sec-fetch-site") ?? "none";
  if (!["none", "same-origin"].includes(site)) {
    throw httpError("FORBIDDEN_ORIGIN", `its Sec-Fetch-Site is ${site.slice(0, 20)}`);
  }
  if (origin !== null && !hosts.some((host) => origin.toLowerCase() === `http://${host}`)) {
    throw httpError("FORBIDDEN_ORIGIN", "its Origin is not this server");
  }
}

/** Returns the caller: the header `X-Agent-ID`, else `user`. @throws {UserError} INVALID_INPUT */
function callerOf(headers: Headers): string {
  const given = headers.get("x-agent-id");
  return given === null ? "user" : checkAgentId(given);
}

/** The header with a person's token; the daemon's own token does not prove a person, since agents can read it. */
const PERSON_HEADER = "conclaude-token";

/** Compares two texts in constant time, so that the time does not reveal where they differ. */
function isSame(given: string, token: string): boolean {
  const [one, other] = [new TextEncoder().encode(given), new TextEncoder().encode(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}

export type Handler = (request: Request, door: Door) => Promise<Response>;

export type Server = Pick<HttpServer, "shutdown" | "finished">;

/**
 * Listens on the socket. Makes the socket in a private folder and then moves it to its place, so that nobody else can
 * ever open it. Replaces the socket of a dead daemon.
 * @throws {UserError} When the socket's place holds something else.
 */
export function listenOnSocket(files: DaemonFiles, handler: Handler): Server {
  const { socket, socketDraft } = files;
  const isSocket = quietly(() => lstatSync(socket).isSocket);
  if (isSocket !== undefined && !isSocket) {
    throw new UserError(`Cannot listen on "${socket}"`, {
      why: "something that is no socket lies there; nothing was changed",
      next: "Move it away, then start the daemon again",
    });
  }
  makePrivateFolder(parentOf(socket));
  removeFolder(socketDraft);
  mkdirSync(socketDraft, { mode: 0o700 });
  try {
    const path = `${socketDraft}/s`;
    const server = serve(
      { path, onListen: () => {} },
      (request) => handler(request, { kind: "socket" }),
    );
    chmodSync(path, 0o600);
    renameSync(path, socket);
    return server;
  } finally {
    removeFolder(socketDraft);
  }
}

/** Listens on a port of this machine. @param wanted 0 takes a free port. */
export function listenOnPort(
  wanted: number,
  token: string,
  handler: Handler,
): { readonly server: Server; readonly port: number } {
  const address: { port: number } = { port: wanted };
  try {
    const server = serve(
      { hostname: "127.0.0.1", port: wanted, onListen: () => {} },
      (request) => handler(request, { kind: "port", port: address.port, token }),
    );
    address.port = server.addr.port;
    return { server, port: address.port };
  } catch (thrown) {
    if (!isAddrInUse(thrown) && !isPermissionDenied(thrown)) throw thrown;
    throw new UserError(`Cannot listen on port ${wanted}`, {
      why: isAddrInUse(thrown) ? "something else listens there" : "the system does not allow it",
      next: "conclaude daemon run --port 0",
    });
  }
}

/** Removes the socket, if it is one. */
export function removeSocket(path: string): void {
  quietly(() => {
    if (lstatSync(path).isSocket !== false) removeSync(path);
  });
}

function removeFolder(path: string): void {
  quietly(() => removeSync(path, { recursive: true }));
}
