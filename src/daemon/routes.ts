/** Lists every route of the API, and makes the OpenAPI 3.1 document from the routes. */
import * as z from "zod/mini";
import { type Route, routesOf } from "./route.ts";
import { controlRoutes, pageRoutes } from "./routes/control.ts";
import { streamRoutes } from "./routes/streams.ts";
import { taskRoutes } from "./routes/tasks.ts";
import { workflowRoutes } from "./routes/workflows.ts";
import { VERSION } from "../base/version.ts";
import { camel } from "../operations/usage.ts";
import { type ErrorCode, statusOf } from "./api_error.ts";
import { refused } from "./schemas.ts";
import SUMMARIES from "./summaries.json" with { type: "json" };

export const ROUTES: readonly Route[] = [
  ...controlRoutes,
  ...taskRoutes,
  ...workflowRoutes,
  ...streamRoutes,
  ...pageRoutes,
  {
    ...routesOf("daemon")("GET /openapi.json", {}, () => apiDocument(ROUTES)),
    response: z.record(z.string(), z.unknown()),
  },
];

type Part = { readonly [key: string]: unknown };

const ERROR = z.looseObject(refused);

const ALWAYS: readonly ErrorCode[] = [
  "INVALID_INPUT",
  "INVALID_URL",
  "UNAUTHORIZED",
  "FORBIDDEN_HOST",
  "FORBIDDEN_ORIGIN",
  "INTERNAL_ERROR",
  "DATABASE_BUSY",
  "SHUTTING_DOWN",
  "READ_ONLY",
];

const WITH_BODY: readonly ErrorCode[] = [
  "INVALID_JSON",
  "INVALID_BODY",
  "REQUEST_TIMEOUT",
  "BODY_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
];

function apiDocument(routes: readonly Route[]): Part {
  const paths: Record<string, Record<string, Part>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "conclaude daemon",
      version: VERSION,
      description: "Tasks, agents, workflows, questions and events of one database. " +
        "On the unix socket the mode of its file decides who may ask; the port of this machine wants the token " +
        "of the daemon's state file. Routes that only a person may ask for want the header Conclaude-Token. " +
        "The header X-Agent-ID names who asks. Other paths answer NOT_FOUND (404), " +
        "other methods METHOD_NOT_ALLOWED (405) with Allow.",
    },
    servers: [{ url: "/" }, { url: "/api" }],
    security: [{ token: [] }, {}],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Error: schemaOf(z.object({ error: ERROR }), "output") },
    },
  };
}

function operationOf(route: Route): Part {
  return {
    operationId: camel(`${route.method.toLowerCase()}${route.path.replace(/[^a-z]+/gi, "-")}`)
      .replace(/-$/, ""),
    summary: SUMMARIES[`${route.method} ${route.path}` as keyof typeof SUMMARIES],
    tags: [route.tag],
    ...route.isOpen ? { security: [] } : {},
    parameters: parametersOf(route),
    ...route.body === null ? {} : {
      requestBody: {
        required: !z.safeParse(route.body, {}).success,
        content: { "application/json": { schema: schemaOf(route.body, "input") } },
      },
    },
    responses: { [route.status]: answerOf(route), ...refusalsOf(route) },
  };
}

function parametersOf(route: Route): Part[] {
  const text = { type: "string" };
  // The output schema shows numbers, although a query sends them as text.
  const query = Object.entries(schemaOf(route.query, "output")["properties"] as Part ?? {});
  const description = "A person's token, as `conclaude token` prints it";
  const person = { in: "header", required: true, description, schema: text };
  return [
    ...route.path.includes(":id") ? [{ name: "id", in: "path", required: true, schema: text }] : [],
    ...query.map(([name, schema]) => ({ name, in: "query", required: false, schema })),
    {
      name: "X-Agent-ID",
      in: "header",
      required: false,
      description: "Who asks; `user` without it",
      schema: { ...text, minLength: 1, maxLength: 200 },
    },
    ...route.forPerson ? [{ name: "Conclaude-Token", ...person }] : [],
  ];
}

function answerOf({ response, mediaType, path, status }: Route): Part {
  if (status === 204) return { description: "Done" };
  const schema = response === null ? { type: "string" } : schemaOf(response, "output");
  const stream = path === "/events"
    ? { "text/event-stream": { schema: { type: "string" }, example: STREAM_EXAMPLE } }
    : {};
  return { description: "Done", content: { [mediaType]: { schema }, ...stream } };
}

const STREAM_EXAMPLE = "event: state.snapshot\ndata: {…}\n\n" +
  'id: 7\nevent: task.created\ndata: {"id":7,"type":"task.created",…}\n\n';

const ERROR_EXAMPLE = { what: "What could not be done", why: "Why", next: "What to do" };

function refusalsOf({ errors, body, forPerson, method }: Route): Record<string, Part> {
  const ofPerson: readonly ErrorCode[] = forPerson ? ["PERSON_REQUIRED"] : [];
  const all = new Set([...errors, ...ofPerson, ...ALWAYS, ...body === null ? [] : WITH_BODY]);
  // A request that only reads can have an invalid status only in its filter.
  const statusHere = (code: ErrorCode) =>
    method === "GET" && code === "INVALID_STATUS" ? 400 : statusOf(code);
  const byStatus = Object.groupBy(all, (code) => String(statusHere(code)));
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes]) => [status, {
      description: codes!.join(", "),
      content: {
        "application/json": {
          schema: {
            allOf: [{ $ref: "#/components/schemas/Error" }],
            properties: { error: { properties: { code: { enum: codes } } } },
          },
          example: { error: { ...ERROR_EXAMPLE, code: codes![0] } },
        },
      },
    }]),
  );
}

function schemaOf(schema: z.ZodMiniType, io: "input" | "output"): Part {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io,
    unrepresentable: "any",
  });
  return rest;
}
