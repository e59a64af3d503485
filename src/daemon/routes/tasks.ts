/** Routes that make, find and change tasks. */
import * as z from "zod/mini";
import {
  checkBody,
  checkPriority,
  checkStatus,
  checkType,
} from "../../orchestration/task_input.ts";
import { tagsLike } from "../../orchestration/tag_pattern.ts";
import { changeTask, needTask, type TaskChanges } from "../../store/task_changes.ts";
import { changeDependencies } from "../../store/task_dependencies.ts";
import { createTask, queueTask } from "../../store/task_life.ts";
import { listChildren } from "../../store/task_tree.ts";
import { changeTags } from "../../store/task_tags.ts";
import { listAncestors, restoreTask } from "../../store/task_tree.ts";
import { openDependencies, takeBackToLook } from "../../store/task_claims.ts";
import { listReady, listTags, listTasks } from "../../store/tasks.ts";
import { inField } from "../input.ts";
import { type Route, route } from "../route.ts";
import { fields, isSet, listOf, taskSchema } from "../schemas.ts";
import { cleanTags, newTask, newTaskOf, titleOf, workflowNameOf } from "./new_task.ts";

const tag = "tasks";
const oneTask = z.object({ task: taskSchema });
const manyTasks = z.object({ tasks: z.array(taskSchema), more: z.boolean() });

export const taskRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/tasks",
    summary: "Makes a task",
    tag,
    status: 201,
    body: newTask,
    response: oneTask,
    errors: [
      "INVALID_TITLE",
      "INVALID_PRIORITY",
      "INVALID_TYPE",
      "INVALID_TAG",
      "PARENT_NOT_FOUND",
      "DEPENDENCY_NOT_FOUND",
      "WORKFLOW_NOT_FOUND",
    ],
    handle: (daemon, { body, author }) => ({
      task: createTask(daemon.db, newTaskOf(daemon, body, body.parentId ?? null), author),
    }),
  }),
  route({
    method: "POST",
    path: "/tasks/:id/subtasks",
    summary: "Makes a task below another one",
    tag,
    status: 201,
    body: z.omit(newTask, { parentId: true }),
    response: oneTask,
    errors: [
      "INVALID_TITLE",
      "INVALID_PRIORITY",
      "INVALID_TYPE",
      "INVALID_TAG",
      "TASK_NOT_FOUND",
      "DEPENDENCY_NOT_FOUND",
    ],
    handle: (daemon, { body, author, params }) => {
      needTask(daemon.db, params["id"]!);
      return { task: createTask(daemon.db, newTaskOf(daemon, body, params["id"]!), author) };
    },
  }),
  route({
    method: "GET",
    path: "/tasks",
    summary: "Lists tasks, the newest first; commas in a filter mean or",
    tag,
    query: z.strictObject({
      status: z.optional(fields.words),
      priority: z.optional(fields.words),
      type: z.optional(fields.words),
      tag: z.optional(fields.words),
      tagPattern: z.optional(fields.words),
      parentId: z.optional(fields.words),
      claimedBy: z.optional(fields.words),
      project: z.optional(fields.words),
      includeDeleted: z.optional(fields.flag),
      limit: z.optional(fields.number(1, 1_000)),
      offset: z.optional(fields.number(0, Number.MAX_SAFE_INTEGER)),
    }),
    response: manyTasks,
    errors: ["INVALID_STATUS", "INVALID_PRIORITY", "INVALID_TYPE", "INVALID_TAG"],
    handle: ({ db }, { query }) => {
      const limit = query.limit ?? 100;
      const tasks = listTasks(db, {
        project: query.project ?? null,
        statuses: listOf(query.status, (word) => inField("status", () => checkStatus(word))),
        priorities: listOf(
          query.priority,
          (word) => inField("priority", () => checkPriority(word)),
        ),
        types: listOf(query.type, (word) => inField("type", () => checkType(word))),
        tag: query.tag ?? null,
        anyTag: query.tagPattern === undefined ? null : tagsLike(query.tagPattern, listTags(db)),
        parentId: noneOr(query.parentId),
        claimedBy: noneOr(query.claimedBy),
        includeDeleted: isSet(query.includeDeleted),
        limit: limit + 1,
        offset: query.offset ?? 0,
      });
      return { tasks: tasks.slice(0, limit), more: tasks.length > limit };
    },
  }),
  route({
    method: "GET",
    path: "/tasks/ready",
    summary: "Lists what can be done now, the most urgent first, of those the oldest",
    tag,
    query: z.strictObject({
      project: z.optional(fields.words),
      limit: z.optional(fields.number(1, 1_000)),
    }),
    response: manyTasks,
    // It writes where a claim ran out.
    transaction: "own",
    handle: ({ db, metrics, hub, engine }, { query, author }) => {
      const lapsed = takeBackToLook(db, author.atMs).length;
      metrics.add("lease_expiries", lapsed);
      if (lapsed > 0) {
        hub.changed();
        engine.wake();
      }
      const limit = query.limit ?? 100;
      const tasks = listReady(db, { project: query.project ?? null, limit: limit + 1 });
      return { tasks: tasks.slice(0, limit), more: tasks.length > limit };
    },
  }),
  route({
    method: "GET",
    path: "/tasks/:id",
    summary: "Shows a task with what is around it",
    tag,
    response: z.object({
      task: taskSchema,
      children: z.array(taskSchema),
      ancestors: z.array(taskSchema),
      waitingFor: z.array(z.string()),
    }),
    errors: ["TASK_NOT_FOUND"],
    handle: ({ db }, { params }) => ({
      task: needTask(db, params["id"]!),
      children: listChildren(db, params["id"]!),
      ancestors: listAncestors(db, params["id"]!),
      waitingFor: openDependencies(db, params["id"]!),
    }),
  }),
  route({
    method: "PATCH",
    path: "/tasks/:id",
    summary:
      "Changes what a task says; who it is, where it stands and whose it is stay as they are",
    tag,
    body: z.strictObject({
      title: z.optional(fields.title),
      body: z.optional(fields.body),
      type: z.optional(fields.type),
      priority: z.optional(fields.priority),
      workflow: z.optional(z.nullable(fields.name)),
      tags: z.optional(fields.tags),
      dependsOn: z.optional(fields.ids),
      // A task that was read may be sent back as it is: these count for nothing.
      ...Object.fromEntries(
        ["id", "createdAtMs", "depth", "status", "claimedBy"].map((name) => [
          name,
          z.optional(z.unknown()),
        ]),
      ),
    }),
    response: oneTask,
    errors: [
      "TASK_NOT_FOUND",
      "INVALID_TITLE",
      "INVALID_PRIORITY",
      "INVALID_TYPE",
      "INVALID_TAG",
      "DEPENDENCY_NOT_FOUND",
      "WOULD_CREATE_CYCLE",
    ],
    handle: (daemon, { body, author, params }) => {
      const { db } = daemon;
      const id = params["id"]!;
      const changes: TaskChanges = {
        ...body.title === undefined ? {} : { title: titleOf(daemon, body.title) },
        ...body.body === undefined ? {} : { body: checkBody(daemon.redact(checkBody(body.body))) },
        ...body.type === undefined ? {} : { type: checkType(body.type) },
        ...body.priority === undefined ? {} : { priority: checkPriority(body.priority) },
        ...body.workflow === undefined ? {} : { workflow: workflowNameOf(body.workflow) },
      };
      let task = changeTask(db, needTask(db, id), changes, author);
      if (body.tags !== undefined) {
        task = changeTags(db, id, { kind: "set", tags: cleanTags(daemon, body.tags) }, author);
      }
      if (body.dependsOn !== undefined) {
        const wanted = body.dependsOn;
        const remove = task.dependsOn.filter((other) => !wanted.includes(other));
        task = changeDependencies(db, id, { add: wanted, remove }, author);
      }
      return { task };
    },
  }),
  route({
    method: "POST",
    path: "/tasks/:id/restore",
    summary: "Brings a deleted task back, with all that was deleted with it",
    tag,
    response: oneTask,
    errors: ["TASK_NOT_FOUND", "PARENT_NOT_FOUND"],
    handle: ({ db }, { params, author }) => ({ task: restoreTask(db, params["id"]!, author)[0] }),
  }),
  route({
    method: "POST",
    path: "/tasks/:id/start",
    summary: "Hands a task to the scheduler, which takes it when it is ready",
    tag,
    response: oneTask,
    errors: ["TASK_NOT_FOUND", "INVALID_TRANSITION"],
    handle: ({ db }, { params, author }) => ({ task: queueTask(db, params["id"]!, author) }),
  }),
];

/** `none` and `null` ask for what has none; the store knows that as the empty text. */
function noneOr(words: string | undefined): string | null {
  if (words === undefined) return null;
  return words === "none" || words === "null" ? "" : words;
}
