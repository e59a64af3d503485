/** From a request to a response: found, allowed, read, checked, done in one transaction, told. */
import { refusal } from "../orchestration/refusal.ts";
import { reading } from "../store/database.ts";
import { checkPerson, checkSource, checkToken, type Door } from "./access.ts";
import { errorResponse, httpError } from "./api_error.ts";
import { isSamePlace } from "./database_watch.ts";
import { callerOf, checked, checkedBody, readBody, readQuery } from "./input.ts";
import type { Call, Daemon, Route } from "./route.ts";
import { routerOf, targetOf } from "./router.ts";
import { WriteGroup } from "./write_group.ts";

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

/** What would be written now would be gone with the file, though it had been said to be kept. */
function databaseGone(path: string) {
  return httpError("SHUTTING_DOWN", {
    what: "The daemon cannot keep anything",
    why: `its database ${path} was removed or replaced; nothing was changed`,
    next: "conclaude daemon start",
  });
}
