/** Routes about tasks as a tree, their tags and their history, and about many at once. */
import * as z from "zod/mini";
import { UserError } from "../../errors.ts";
import { checkPriority } from "../../orchestration/task_input.ts";
import { transaction } from "../../store/database.ts";
import { changeTask, listHistory, needTask } from "../../store/task_changes.ts";
import { completeTask } from "../../store/task_life.ts";
import { changeTags, type TagChange } from "../../store/task_tags.ts";
import {
  deleteTask,
  listAncestors,
  listChildren,
  listSubtree,
  reparentTask,
} from "../../store/task_tree.ts";
import { type Call, type Daemon, type Route, route } from "../route.ts";
import { fields, isSet, taskSchema } from "../schemas.ts";
import { invalidInput } from "../input.ts";
import { startMsOf } from "../since.ts";
import { cleanTags } from "./new_task.ts";

const tag = "tree";
const oneTask = z.object({ task: taskSchema });
const tasks = z.array(taskSchema);

const bulkBody = z.strictObject({
  action: z.enum(["add_tags", "remove_tags", "close", "delete", "set_priority"]),
  ids: fields.ids,
  tags: z.optional(fields.tags),
  priority: z.optional(fields.priority),
  hard: z.optional(z.boolean()),
});

/** A change of tags. Some programs can only send `?tags=` with DELETE. */
function tagRoute(method: "POST" | "PUT" | "DELETE", kind: TagChange["kind"], summary: string) {
  return route({
    method,
    path: "/tasks/:id/tags",
    summary,
    tag,
    body: z.strictObject({ tags: fields.tags }),
    response: oneTask,
    errors: ["TASK_NOT_FOUND", "INVALID_TAG"],
    handle: (daemon, { params, body, author }) => ({
      task: changeTags(
        daemon.db,
        params["id"]!,
        { kind, tags: cleanTags(daemon, body.tags) },
        author,
      ),
    }),
  });
}

export const treeRoutes: readonly Route[] = [
  route({
    method: "DELETE",
    path: "/tasks/:id",
    summary: "Deletes a task and all below it; with hard=true for good",
    tag,
    status: 204,
    query: z.strictObject({ hard: z.optional(fields.flag) }),
    errors: ["TASK_NOT_FOUND", "TASK_ACTIVE", "HAS_ACTIVE_CHILDREN"],
    handle: ({ db }, { params, query, author }) =>
      void deleteTask(db, params["id"]!, { ...author, hard: isSet(query.hard) }),
  }),
  route({
    method: "POST",
    path: "/tasks/:id/reparent",
    summary: "Moves a task, with all below it, under another one; null makes it a root",
    tag,
    body: z.strictObject({ parentId: z.nullable(fields.id) }),
    response: oneTask,
    errors: ["TASK_NOT_FOUND", "PARENT_NOT_FOUND", "WOULD_CREATE_CYCLE"],
    handle: ({ db }, { params, body, author }) => ({
      task: reparentTask(db, params["id"]!, body.parentId, author),
    }),
  }),
  route({
    method: "GET",
    path: "/tasks/:id/subtree",
    summary: "Lists a task and all below it, each after its parent",
    tag,
    response: z.object({
      tasks: z.array(z.extend(taskSchema, { relativeDepth: z.int() })),
    }),
    errors: ["TASK_NOT_FOUND"],
    handle: ({ db }, { params }) => ({ tasks: listSubtree(db, needTask(db, params["id"]!).id) }),
  }),
  route({
    method: "GET",
    path: "/tasks/:id/ancestors",
    summary: "Lists what a task is below of, the nearest first",
    tag,
    response: z.object({ tasks }),
    errors: ["TASK_NOT_FOUND"],
    handle: ({ db }, { params }) => ({ tasks: listAncestors(db, needTask(db, params["id"]!).id) }),
  }),
  route({
    method: "GET",
    path: "/tasks/:id/children",
    summary: "Lists the tasks right below one, the oldest first",
    tag,
    response: z.object({ tasks }),
    errors: ["TASK_NOT_FOUND"],
    handle: ({ db }, { params }) => ({ tasks: listChildren(db, needTask(db, params["id"]!).id) }),
  }),
  route({
    method: "GET",
    path: "/tasks/:id/history",
    summary: "Lists what changed of a task, the newest first; `since` is as for /events",
    tag,
    query: z.strictObject({
      field: z.optional(fields.words),
      since: z.optional(fields.words),
    }),
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
    handle: ({ db }, { params, query }) => ({
      history: listHistory(db, needTask(db, params["id"]!).id, {
        field: query.field ?? null,
        sinceMs: query.since === undefined ? null : startMsOf(db, query.since),
      }),
    }),
  }),
  tagRoute("POST", "add", "Gives a task more tags"),
  tagRoute("PUT", "set", "Gives a task exactly these tags"),
  tagRoute("DELETE", "remove", "Takes tags from a task"),
  route({
    method: "POST",
    path: "/tasks/bulk",
    summary: "Changes many tasks, each by itself: what cannot be done is told beside what was",
    tag,
    // Each in a transaction of its own.
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
  daemon: Daemon,
  { body, author }: Call<unknown, z.output<typeof bulkBody>>,
) {
  const change = changeOf(daemon, body);
  return body.ids.map((id) => {
    try {
      transaction(daemon.db, () => change(id));
      return { id, ok: true };
    } catch (thrown) {
      if (!(thrown instanceof UserError) || thrown.reason === null) throw thrown;
      const { what, why, next, reason: code } = thrown;
      return { id, ok: false, error: { what, why, next, code } };
    }
  });

  function changeOf(daemon: Daemon, body: z.output<typeof bulkBody>): (id: string) => unknown {
    const { db } = daemon;
    switch (body.action) {
      case "close":
        return (id) => completeTask(db, id, { ...author, token: null, summary: null });
      case "delete":
        return (id) => deleteTask(db, id, { ...author, hard: body.hard ?? false });
      case "set_priority": {
        if (body.priority === undefined) throw invalidInput("priority", "it is missing");
        const priority = checkPriority(body.priority);
        return (id) => changeTask(db, needTask(db, id), { priority }, author);
      }
      default: {
        if (body.tags === undefined) throw invalidInput("tags", "they are missing");
        const tags = cleanTags(daemon, body.tags);
        const kind = body.action === "add_tags" ? "add" : "remove";
        return (id) => changeTags(db, id, { kind, tags }, author);
      }
    }
  }
}
