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
import { BODY_REFUSALS, checked, readBody, readQuery } from "./input.ts";
import { type Call, type Daemon, type Route, routerOf, targetOf } from "./route.ts";
import { knowsToken } from "../policy/store.ts";
import * as fs from "../system/files.ts";
import { quietly, UserError } from "../base/errors.ts";
import { parentOf } from "../base/paths.ts";
import { makePrivateFolder } from "../system/write_file.ts";
import type { DaemonFiles } from "../system/daemon_files.ts";
import { type HttpServer, isAddrInUse, serve } from "../system/network.ts";

/** The port through which a request came, with the token that it wants; null for the socket, which its mode protects. */
type Door = { readonly port: number; readonly token: string } | null;

export type Handler = (request: Request, door: Door) => Promise<Response>;

export type Server = Pick<HttpServer, "shutdown" | "finished">;

/** Makes the function that answers requests. @param isStopping Whether the daemon refuses new requests. */
export function createHandler(
  daemon: Daemon,
  { routes, isStopping }: { readonly routes: readonly Route[]; readonly isStopping: () => boolean },
): Handler {
  const { database, db, hub, engine, log, metrics } = daemon;
  const findRoute = routerOf(routes);
  const file = fs.statSync(database);
  // A write to a removed file would be lost although the answer reports success.
  const write = groupedWrites(db, () => {
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
    const { path = "none", method = "other" } = seen.route ?? {};
    const labels = { method, route: path, status: response.status };
    metrics.countRequest(labels, (performance.now() - startedMs) / 1000);
    return response;
  };

  async function answer(request: Request, door: Door, seen: { route: Route | null }) {
    const { headers, method } = request;
    if (isStopping()) throw httpError("SHUTTING_DOWN", "it was told to stop");
    checkSource(headers, door);
    const { path, query } = targetOf(request.url);
    const { route, id, methods } = findRoute(method, path);
    const rights = rightsOf(headers, door);
    if (rights === null && !route?.isOpen) {
      const why = "its Authorization is no token of this daemon, nor of a page";
      throw httpError("UNAUTHORIZED", why);
    }
    if (route === null) return notFound(path, methods);
    seen.route = route;
    if (rights === "read" && route.method !== "GET") {
      throw httpError("READ_ONLY", "it was opened with `conclaude ui --read-only`");
    }
    // The daemon's own token does not prove a person, since agents can read it.
    const proof = headers.get("conclaude-token") ?? "";
    if (route.forPerson && rights !== "act" && !await knowsToken(db, proof)) {
      throw httpError("PERSON_REQUIRED", "the request shows no token of a person");
    }
    const call = {
      id,
      query: checked(route.query, readQuery(query)),
      body: route.body === null ? {} : checked(route.body, await readBody(request), BODY_REFUSALS),
      author: { by: callerOf(headers), atMs: Date.now() },
      request,
      asked: null,
    };
    const result = await run(route, call as Call<never, never>);
    if (result instanceof Response) return result;
    if (route.status === 204) return new Response(null, { status: 204 });
    return Response.json(result, { status: route.status });
  }

  /** Returns the rights of a request's token; null for an unknown token. */
  function rightsOf(headers: Headers, door: Door): "program" | TabRights | null {
    if (door === null) return "program";
    const given = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
    if (isSame(given, door.token)) return "program";
    return daemon.rights.rightsOf(given, Date.now());
  }

  async function run(route: Route, call: Call<never, never>): Promise<unknown> {
    const asked = route.ask === null ? null : await route.ask(daemon, call);
    const work = () => route.handle(daemon, { ...call, asked });
    if (route.transaction === "read") return reading(db, work);
    const isWrite = route.transaction === "write";
    const result = await claimAsked(asked, () => isWrite ? write(work) : work());
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
    const allow = methods.join(", ");
    const error = httpError("METHOD_NOT_ALLOWED", `${path} answers ${allow}`);
    const response = errorResponse(error, log);
    response.headers.set("allow", allow);
    return response;
  }
}

interface Waiting extends PromiseWithResolvers<unknown> {
  readonly work: () => unknown;
}

/**
 * Returns a function that runs work in a write transaction, and settles when that is committed or undone. Requests that
 * come at the same moment share a commit, and each has its own savepoint, so that a refused one does not undo the others.
 * @param check Runs before each write; if it throws, all waiting requests are refused.
 */
export function groupedWrites(db: DatabaseSync, check: () => void) {
  let waiting: Waiting[] = [];
  return (work: () => unknown): Promise<unknown> => {
    const one = { work, ...Promise.withResolvers<unknown>() };
    if (waiting.push(one) === 1) setImmediate(commit);
    return one.promise;
  };

  function commit(): void {
    const group = waiting;
    waiting = [];
    const [first, second] = group;
    try {
      check();
      if (second === undefined) return first!.resolve(transaction(db, first!.work));
      const answers = transaction(db, () => group.map(attempt));
      for (const answer of answers) answer();
    } catch (thrown) {
      for (const { reject } of group) reject(thrown);
    }
  }

  /** @returns A function that passes on the result after the commit. @throws When the whole transaction is undone. */
  function attempt({ work, resolve, reject }: Waiting): () => void {
    db.exec("SAVEPOINT request");
    try {
      const result = work();
      db.exec("RELEASE request");
      return () => resolve(result);
    } catch (thrown) {
      if (!db.isTransaction) throw thrown;
      db.exec("ROLLBACK TO request; RELEASE request");
      return () => reject(thrown);
    }
  }
}

/** Refuses requests of foreign web pages, whatever name they use for this machine. @throws {UserError} FORBIDDEN_… */
function checkSource(headers: Headers, door: Door): void {
  const origin = headers.get("origin");
  const hosts = door === null ? [] : [`127.0.0.1:${door.port}`, `localhost:${door.port}`];
  if (door !== null && !hosts.includes((headers.get("host") ?? "").toLowerCase())) {
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

/** Compares two texts in constant time, so that the time does not reveal where they differ. */
function isSame(given: string, token: string): boolean {
  const [one, other] = [new TextEncoder().encode(given), new TextEncoder().encode(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * Listens on the socket. Makes the socket in a private folder and then moves it to its place, so that nobody else can
 * ever open it. Replaces the socket of a dead daemon.
 * @throws {UserError} When the socket's place holds something else.
 */
export function listenOnSocket(files: DaemonFiles, handler: Handler): Server {
  const { socket, socketDraft } = files;
  const isSocket = quietly(() => fs.lstatSync(socket).isSocket);
  if (isSocket !== undefined && !isSocket) {
    throw new UserError(`Cannot listen on "${socket}"`, {
      why: "something that is no socket lies there; nothing was changed",
      next: "Move it away, then start the daemon again",
    });
  }
  makePrivateFolder(parentOf(socket));
  removeFolder(socketDraft);
  fs.mkdirSync(socketDraft, { mode: 0o700 });
  try {
    const path = `${socketDraft}/s`;
    const server = serve({ path, onListen: () => {} }, (request) => handler(request, null));
    fs.chmodSync(path, 0o600);
    fs.renameSync(path, socket);
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
  const door = { port: wanted, token };
  try {
    const address = { hostname: "127.0.0.1", port: wanted, onListen: () => {} };
    const server = serve(address, (request) => handler(request, door));
    door.port = server.addr.port;
    return { server, port: door.port };
  } catch (thrown) {
    if (!isAddrInUse(thrown) && !fs.isPermissionDenied(thrown)) throw thrown;
    throw new UserError(`Cannot listen on port ${wanted}`, {
      why: isAddrInUse(thrown) ? "something else listens there" : "the system does not allow it",
      next: "conclaude daemon run --port 0",
    });
  }
}

function removeFolder(path: string): void {
  quietly(() => fs.removeSync(path, { recursive: true }));
}
