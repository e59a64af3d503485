/** Routes for the tree of tasks, tags, history, and changes of many tasks at once. */
import type { DatabaseSync } from "node:sqlite";
import * as z from "zod/mini";
import type { Task } from "../../work/task.ts";
import {
  changeTags,
  deleteTask,
  listAncestors,
  listChildren,
  listHistory,
  listSubtree,
  needTask,
  reparentTask,
  type TagChange,
} from "../../work/store.ts";
import { type Call, type Daemon, type Route, routesOf } from "../route.ts";
import { fields, isSet, oneTask, taskSchema, words } from "../schemas.ts";
import { inField, invalidInput, startMsOf } from "../input.ts";
import { cleanFields } from "../../operations/task_text.ts";
import {
  BULK_CHANGES,
  type BulkChange,
  changeEach,
} from "../../operations/verbs/task_bulk_verbs.ts";

const route = routesOf("tree");

/** The changes of many tasks, by their names in requests. */
const ACTIONS = {
  add_tags: "addTags",
  remove_tags: "removeTags",
  close: "close",
  delete: "delete",
  set_priority: "setPriority",
} as const;

const bulkBody = z.strictObject({
  action: z.enum(Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]),
  ids: fields.ids,
  tags: z.optional(fields.tags),
  priority: z.optional(fields.priority),
  hard: z.optional(z.boolean()),
});

function tagRoute(method: "POST" | "PUT" | "DELETE", kind: TagChange["kind"]) {
  return route({
    name: `${method} /tasks/:id/tags`,
    body: z.strictObject({ tags: fields.tags }),
    response: oneTask,
    errors: ["TASK_NOT_FOUND", "INVALID_TAG"],
    handle: ({ db, redact }, { id, body, author }) => {
      const { tags } = cleanFields(body, { mask: redact, inField });
      return { task: changeTags(db, id, { kind, tags }, author) };
    },
  });
}

function relativesRoute(
  path: string,
  list: (db: DatabaseSync, id: string) => readonly Task[],
  task: z.ZodMiniType = taskSchema,
) {
  return route({
    name: `GET /tasks/:id/${path}`,
    response: z.object({ tasks: z.array(task) }),
    errors: ["TASK_NOT_FOUND"],
    handle: ({ db }, { id }) => ({ tasks: list(db, needTask(db, id).id) }),
  });
}

export const treeRoutes: readonly Route[] = [
  route({
    name: "DELETE /tasks/:id",
    status: 204,
    query: z.strictObject({ hard: z.optional(fields.flag) }),
    errors: ["TASK_NOT_FOUND", "TASK_ACTIVE", "HAS_ACTIVE_CHILDREN"],
    handle: ({ db }, { id, query, author }) =>
      void deleteTask(db, id, { ...author, hard: isSet(query.hard) }),
  }),
  route({
    name: "POST /tasks/:id/reparent",
    body: z.strictObject({ parentId: z.nullable(fields.id) }),
    response: oneTask,
    errors: ["TASK_NOT_FOUND", "PARENT_NOT_FOUND", "WOULD_CREATE_CYCLE"],
    handle: ({ db }, { id, body, author }) => ({
      task: reparentTask(db, id, body.parentId, author),
    }),
  }),
  relativesRoute("subtree", listSubtree, z.extend(taskSchema, { relativeDepth: z.int() })),
  relativesRoute("ancestors", listAncestors),
  relativesRoute("children", listChildren),
  route({
    name: "GET /tasks/:id/history",
    query: z.strictObject(words("field", "since")),
    response: z.object({
      history: z.array(z.object({
        field: z.string(),
        old: z.unknown(),
        new: z.unknown(),
        changedBy: z.string(),
        changedAtMs: z.int(),
      })),
    }),
    errors: ["TASK_NOT_FOUND"],
    handle: ({ db }, { id, query }) => ({
      history: listHistory(db, needTask(db, id).id, {
        field: query.field ?? null,
        sinceMs: query.since === undefined ? null : startMsOf(db, query.since),
      }),
    }),
  }),
  tagRoute("POST", "add"),
  tagRoute("PUT", "set"),
  tagRoute("DELETE", "remove"),
  route({
    name: "POST /tasks/bulk",
    // Each task gets its own transaction.
    transaction: "own",
    body: bulkBody,
    response: z.object({
      results: z.array(z.object({
        id: z.string(),
        ok: z.boolean(),
        error: z.optional(
          z.object({ what: z.string(), why: z.string(), next: z.string(), code: z.string() }),
        ),
      })),
    }),
    errors: ["INVALID_PRIORITY", "INVALID_TAG"],
    handle: (daemon, call) => ({ results: changeMany(daemon, call) }),
  }),
];

function changeMany(
  { db, redact }: Daemon,
  { body, author }: Call<unknown, z.output<typeof bulkBody>>,
) {
  const { action, ids, hard } = body;
  const { change, flags }: BulkChange = BULK_CHANGES[ACTIONS[action]];
  const missing = Object.keys(flags).find((field) => Reflect.get(body, field) === undefined);
  if (missing !== undefined) throw invalidInput(missing, "it is missing");
  const input = { ...author, ...cleanFields(body, { mask: redact, inField }), hard };
  const changed = changeEach(db, ids, (id) => {
    change(db, id, input);
    return id;
  });
  return changed.map(({ id, error }) => {
    if (error === null) return { id, ok: true };
    const { what, why, next, reason: code } = error;
    return { id, ok: false, error: { what, why, next, code } };
  });
}
