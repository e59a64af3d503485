/** Answers a request: finds its route, checks who asks, reads and checks its input, and runs it in one transaction. */
import type { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers";
import { refusal } from "../orchestration/refusal.ts";
import { reading, transaction } from "../store/database.ts";
import { checkPerson, checkSource, checkToken, type Door } from "./access.ts";
import { errorResponse, httpError } from "./api_error.ts";
import { isSamePlace } from "./database_watch.ts";
import { callerOf, checked, checkedBody, readBody, readQuery } from "./input.ts";
import type { Call, Daemon, Route } from "./route.ts";
import { routerOf, targetOf } from "./router.ts";

/** Answers requests. @param isStopping Whether new ones are to be sent away. */
export function createHandler(
  daemon: Daemon,
  { routes, isStopping }: { readonly routes: readonly Route[]; readonly isStopping: () => boolean },
): (request: Request, door: Door) => Promise<Response> {
  const findRoute = routerOf(routes);
  const file = Deno.statSync(daemon.database);
  const writes = new WriteGroup(daemon.db, () => {
    if (!isSamePlace(daemon.database, file)) throw databaseGone(daemon.database);
  });
  return async (request, door) => {
    const startedMs = performance.now();
    const seen: { route: Route | null } = { route: null };
    const response = await answer(request, door, seen).catch((thrown) =>
      errorResponse(thrown, daemon.log)
    );
    response.headers.set("cache-control", "no-store");
    response.headers.set("x-content-type-options", "nosniff");
    daemon.metrics.countRequest({
      route: seen.route === null ? "none" : seen.route.path,
      method: seen.route === null ? "other" : seen.route.method,
      status: response.status,
      seconds: (performance.now() - startedMs) / 1000,
    });
    return response;
  };

  async function answer(
    request: Request,
    door: Door,
    seen: { route: Route | null },
  ): Promise<Response> {
    if (isStopping()) {
      throw httpError("SHUTTING_DOWN", {
        what: "The daemon is stopping",
        why: "it was told to; nothing was changed",
        next: "conclaude daemon start",
      });
    }
    checkSource(request.headers, door);
    const target = targetOf(request.url);
    const found = findRoute(request.method, target.path);
    checkToken(request.headers, door, found.kind === "route" ? found.route : null);
    if (found.kind === "none") return notFound(request.method, target.path, found.methods);
    const { route, params } = found;
    seen.route = route;
    await checkPerson(request.headers, daemon.db, route);
    const by = callerOf(request.headers);
    const query = checked(route.query, readQuery(target.query));
    const body = route.body === null ? {} : checkedBody(route.body, await readBody(request));
    const call = { params, query, body, author: { by, atMs: Date.now() }, request };
    const result = await run(route, call as Call<never, never>);
    if (result instanceof Response) return result;
    if (route.status === 204) return new Response(null, { status: 204 });
    return Response.json(result, { status: route.status });
  }

  async function run(route: Route, call: Call<never, never>): Promise<unknown> {
    const work = () => route.handle(daemon, call);
    if (route.transaction === "read") return reading(daemon.db, work);
    const result = route.transaction === "write" ? await writes.run(work) : work();
    if (route.method === "GET") return result;
    daemon.hub.changed();
    daemon.engine.wake();
    return result;
  }

  function notFound(method: string, path: string, methods: readonly string[]): Response {
    if (methods.length === 0) {
      throw refusal("NOT_FOUND", {
        what: `There is no ${path.slice(0, 100)}`,
        why: "no route has this path; nothing was changed",
        next: "GET /openapi.json",
      });
    }
    const response = errorResponse(
      httpError("METHOD_NOT_ALLOWED", {
        what: `${method} is not for ${path.slice(0, 100)}`,
        why: `it answers ${methods.join(", ")}; nothing was changed`,
        next: "GET /openapi.json",
      }),
      daemon.log,
    );
    response.headers.set("allow", methods.join(", "));
    return response;
  }
}

/** A write would be lost with the database file, although the answer says that it was kept. */
function databaseGone(path: string) {
  return httpError("SHUTTING_DOWN", {
    what: "The daemon cannot keep anything",
    why: `its database ${path} was removed or replaced; nothing was changed`,
    next: "conclaude daemon start",
  });
}

interface Waiting {
  readonly work: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (thrown: unknown) => void;
}

/**
 * Requests that came at the same moment share a commit, and none is answered before it. Each has a savepoint of its own:
 * what one is refused keeps nothing from the others.
 */
export class WriteGroup {
  readonly #db: DatabaseSync;
  readonly #check: () => void;
  #waiting: Waiting[] = [];

  /** @param check Runs before anything is written; all waiting requests are refused with what it throws. */
  constructor(db: DatabaseSync, check: () => void) {
    this.#db = db;
    this.#check = check;
  }

  /** Does `work` in a write transaction. Settled when it is committed, or undone. */
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
      // Nothing of all this was kept.
      for (const { reject } of group) reject(thrown);
    }
  }

  /** @returns What tells the result, once it is committed. @throws When the whole transaction is gone. */
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
