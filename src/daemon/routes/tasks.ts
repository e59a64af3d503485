/** Routes that make, find and change tasks. */
import * as z from "zod/mini";
import { cleanFields, NEW_TASK } from "../../operations/task_text.ts";
import { checkPriority, checkStatus, checkType } from "../../work/task_input.ts";
import { tagsLike } from "../../work/tag_pattern.ts";
import {
  changeDependencies,
  changeTags,
  changeTask,
  createTask,
  listAncestors,
  listChildren,
  listReady,
  listTags,
  listTasks,
  needTask,
  openDependencies,
  restoreTask,
  takeBackToLook,
} from "../../work/store.ts";
import { inField, invalidInput } from "../input.ts";
import { type Daemon, type Route, routesOf } from "../route.ts";
import { fields, isSet, listOf, oneTask, paged, taskSchema, words } from "../schemas.ts";
import { waiting, withWaiting } from "../task_titles.ts";
import { findWorkflowFile } from "../../work/engine/workflow_files.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { isAbsolutePath } from "../../base/paths.ts";
import { exists } from "../../system/on_disk.ts";

const route = routesOf("tasks");
const manyTasks = z.object({ tasks: z.array(taskSchema), more: z.boolean() });

const newTask = z.strictObject({
  title: fields.title,
  body: z.optional(fields.body),
  type: z.optional(fields.type),
  priority: z.optional(fields.priority),
  parentId: z.optional(z.nullable(fields.id)),
  tags: z.optional(fields.tags),
  dependsOn: z.optional(fields.ids),
  workflow: z.optional(z.nullable(fields.name)),
  projectDir: z.optional(z.nullable(fields.path)),
  repository: z.optional(z.nullable(fields.path)),
  start: z.optional(z.boolean()),
});

/** The schema of fields that a client may send back unchanged, and that are ignored. */
const ignored = z.optional(z.unknown());
const changedTask = z.extend(
  z.omit(z.partial(newTask), { parentId: true, projectDir: true, repository: true, start: true }),
  { id: ignored, createdAtMs: ignored, depth: ignored, status: ignored, claimedBy: ignored },
);

const FIELD_ERRORS = ["INVALID_TITLE", "INVALID_PRIORITY", "INVALID_TYPE", "INVALID_TAG"] as const;

export const taskRoutes: readonly Route[] = [
  route({
    name: "POST /tasks",
    status: 201,
    body: newTask,
    response: oneTask,
    errors: [...FIELD_ERRORS, "PARENT_NOT_FOUND", "DEPENDENCY_NOT_FOUND", "WORKFLOW_NOT_FOUND"],
    handle: (daemon, { body, author }) => ({
      task: createTask(daemon.db, newTaskOf(daemon, body, body.parentId ?? null), author),
    }),
  }),
  route({
    name: "POST /tasks/:id/subtasks",
    status: 201,
    body: z.omit(newTask, { parentId: true }),
    response: oneTask,
    errors: [...FIELD_ERRORS, "TASK_NOT_FOUND", "DEPENDENCY_NOT_FOUND"],
    handle: (daemon, { body, author, id }) => {
      needTask(daemon.db, id);
      return { task: createTask(daemon.db, newTaskOf(daemon, body, id), author) };
    },
  }),
  route({
    name: "GET /tasks",
    query: z.strictObject({
      ...words(
        "status",
        "priority",
        "type",
        "tag",
        "tagPattern",
        "parentId",
        "claimedBy",
        "project",
      ),
      includeDeleted: z.optional(fields.flag),
      limit: fields.limit,
      offset: z.optional(fields.number(0, Number.MAX_SAFE_INTEGER)),
    }),
    response: z.object({ tasks: z.array(z.extend(taskSchema, waiting)), more: z.boolean() }),
    errors: ["INVALID_STATUS", "INVALID_PRIORITY", "INVALID_TYPE", "INVALID_TAG"],
    handle: ({ db }, { query }) => {
      const { status, priority, type, tagPattern, parentId, claimedBy, ...rest } = query;
      const filter = {
        ...rest,
        statuses: listOf("status", status, checkStatus),
        priorities: listOf("priority", priority, checkPriority),
        types: listOf("type", type, checkType),
        anyTag: tagPattern === undefined ? null : tagsLike(tagPattern, listTags(db)),
        parentId: noneOr(parentId),
        claimedBy: noneOr(claimedBy),
        includeDeleted: isSet(query.includeDeleted),
      };
      const list = (limit: number) => withWaiting(db, listTasks(db, { ...filter, limit }));
      return paged("tasks", query.limit, list);
    },
  }),
  route({
    name: "GET /tasks/ready",
    query: z.strictObject({ ...words("project"), limit: fields.limit }),
    response: manyTasks,
    // The route writes if a claim has lapsed.
    transaction: "own",
    handle: ({ db, metrics }, { query, author }) => {
      metrics.add("lease_expiries", takeBackToLook(db, author.atMs).length);
      return paged("tasks", query.limit, (limit) => listReady(db, { ...query, limit }));
    },
  }),
  route({
    name: "GET /tasks/:id",
    response: z.object({
      task: taskSchema,
      children: z.array(taskSchema),
      ancestors: z.array(taskSchema),
      waitingFor: z.array(z.string()),
    }),
    errors: ["TASK_NOT_FOUND"],
    handle: ({ db }, { id }) => ({
      task: needTask(db, id),
      children: listChildren(db, id),
      ancestors: listAncestors(db, id),
      waitingFor: openDependencies(db, id),
    }),
  }),
  route({
    name: "PATCH /tasks/:id",
    body: changedTask,
    response: oneTask,
    errors: ["TASK_NOT_FOUND", ...FIELD_ERRORS, "DEPENDENCY_NOT_FOUND", "WOULD_CREATE_CYCLE"],
    handle: ({ db, redact }, { body, author, id }) => {
      const { tags, ...changes } = cleanFields(body, { mask: redact, inField });
      let task = changeTask(db, needTask(db, id), changes, author);
      if (tags !== undefined) task = changeTags(db, id, { kind: "set", tags }, author);
      if (body.dependsOn !== undefined) {
        const wanted = body.dependsOn;
        const remove = task.dependsOn.filter((other) => !wanted.includes(other));
        task = changeDependencies(db, id, { add: wanted, remove }, author);
      }
      return { task };
    },
  }),
  route({
    name: "POST /tasks/:id/restore",
    response: oneTask,
    errors: ["TASK_NOT_FOUND", "PARENT_NOT_FOUND"],
    handle: ({ db }, { id, author }) => ({ task: restoreTask(db, id, author)[0] }),
  }),
];

/** Returns "" for `none` and `null`, with which the store finds tasks without a value. */
function noneOr(words: string | undefined): string | null {
  if (words === undefined) return null;
  return words === "none" || words === "null" ? "" : words;
}

/** Makes a new task from a body: checks it, masks secrets, and finds its project. */
function newTaskOf({ redact }: Daemon, body: z.output<typeof newTask>, parentId: string | null) {
  return {
    ...NEW_TASK,
    // Only the workflow's name is checked, since its file is known only when the workflow begins.
    ...cleanFields(body, { mask: redact, inField }),
    parentId,
    dependsOn: body.dependsOn ?? [],
    ...placeOf(body, parentId),
    isQueued: body.start ?? false,
  };
}

/** Returns the project of a task; finds the repository if the request names only the folder. */
function placeOf(body: z.output<typeof newTask>, parentId: string | null) {
  const { projectDir = null, repository = null, workflow = null } = body;
  checkFolder("projectDir", projectDir);
  checkFolder("repository", repository);
  if (projectDir === null) return { projectDir, repository };
  // A subtask belongs to the project of its parent.
  if (workflow !== null && parentId === null) findWorkflowFile(workflow, projectDir);
  const found = repository === null ? findRepository(lookUpwards(projectDir)) : undefined;
  return {
    projectDir: found?.root ?? projectDir,
    repository: repository ?? found?.commonDir ?? null,
  };
}

function checkFolder(field: string, path: string | null): void {
  if (path === null || isAbsolutePath(path) && exists(path)) return;
  throw invalidInput(field, "it is the absolute path of a folder that is there");
}
