import assert from "node:assert/strict";
import fc from "fast-check";
import { type ApiDocument, judgeBy } from "../support/api_document.ts";
import { runDaemon, type Sent } from "../support/daemon.ts";
import { tempHome } from "../support/program.ts";
import { runs } from "../support/lanes.ts";

/** Values that fit a field now and then, and mostly do not. */
const value = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(
    "task",
    "open",
    "closed",
    "delete",
    -1,
    0,
    2,
    5,
    1e300,
    "",
    "\u0000",
    "a,b",
    null,
  ),
  fc.array(fc.string(), { maxLength: 3 }),
);

/** A request of an operation of the document: its parameters and its body as they come. */
function requestOf(document: ApiDocument, ids: readonly string[]) {
  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => [path, method] as const))
    // A stream has no end.
    .filter(([path]) => path !== "/shutdown" && path !== "/live");
  return fc.constantFrom(...operations).chain(([path, method]) => {
    const { parameters, requestBody } = document.paths[path]![method]!;
    const names = parameters.filter((one) => one.in === "query" && one.name !== "stream")
      .map(({ name }) => name);
    const schema = requestBody?.content["application/json"].schema as
      | { readonly properties?: Readonly<Record<string, unknown>> }
      | undefined;
    const fields = Object.keys(schema?.properties ?? {});
    const part = fc.oneof(
      fc.constantFrom(...ids),
      fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }),
    );
    return fc.record({
      path: fc.constant(path),
      method: fc.constant(method.toUpperCase()),
      part,
      query: names.length === 0 ? fc.constant({}) : fc.dictionary(
        fc.constantFrom(...names),
        fc.oneof(fc.string(), fc.integer().map(String)),
        { maxKeys: 2 },
      ),
      body: schema === undefined ? fc.constant(undefined) : fc.oneof(
        fc.dictionary(fields.length === 0 ? fc.string() : fc.constantFrom(...fields), value, {
          maxKeys: 4,
        }),
        value,
      ),
      agent: fc.constantFrom("a", "b"),
    });
  });
}

Deno.test("the document describes the answer to every generated request, and none is an internal error", async () => {
  using home = tempHome();
  await using daemon = await runDaemon(home);
  const ids: string[] = [];
  for (const title of ["one", "two", "three"]) {
    ids.push((await daemon.ask("POST", "/tasks", { body: { title } })).body.task.id);
  }
  const document: ApiDocument = (await daemon.ask("GET", "/openapi.json")).body;
  const judge = judgeBy(document);
  await fc.assert(
    fc.asyncProperty(
      requestOf(document, ids),
      async ({ path, method, part, query, body, agent }) => {
        const search = new URLSearchParams(query).toString();
        const target = path.replace(/\{\w+\}/, encodeURIComponent(part)) + (search && `?${search}`);
        const sent: Sent = {
          headers: { "x-agent-id": agent },
          ...body === undefined ? {} : { body: JSON.stringify(body) },
        };
        // Dots alone are no id, but a way: no route has them.
        fc.pre(part !== "." && part !== "..");
        const reply = await daemon.ask(method, target, sent);
        assert.ok(reply.status > 0 && reply.status < 500, `${method} ${target}: ${reply.status}`);
        assert.equal(judge(method, path, reply), null, `${method} ${target} ${sent.body}`);
      },
    ),
    { numRuns: runs(1_500) },
  );
  assert.equal((await daemon.ask("GET", "/health")).status, 200);
});
