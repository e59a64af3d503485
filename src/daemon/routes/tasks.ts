/** Routes for tasks: to make, find and change them, for their claims and statuses, and for their tree. */
import * as z from "zod/mini";
import type { DatabaseSync } from "node:sqlite";
import { isAbsolutePath } from "../../base/paths.ts";
import { type Asked, askForNext, askForStep } from "../../operations/shared_claims.ts";
import { cleanFields, NEW_TASK } from "../../operations/task_text.ts";
import { withWaiting } from "../../operations/task_view.ts";
import * as bulk from "../../operations/verbs/task_bulk_verbs.ts";
import * as steps from "../../operations/verbs/task_work_verbs.ts";
import { THIS_PROCESS } from "../../system/environment.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { exists } from "../../system/on_disk.ts";
import { findWorkflowFile } from "../../work/engine/workflow_files.ts";
import { refusal } from "../../work/refusal.ts";
import * as work from "../../work/store.ts";
import { tagsLike } from "../../work/tag_pattern.ts";
import type { Task, TaskStatus } from "../../work/task.ts";
import { checkBody, checkPriority, checkStatus, checkType } from "../../work/task_input.ts";
import { inField, invalidInput, startMsOf } from "../input.ts";
import { type Call, type Daemon, type Read, type Route, routesOf } from "../route.ts";
import { fields, isSet, listOf, oneTask, paged, refused, rows, words } from "../schemas.ts";

const route = routesOf("tasks");

const newTask = {
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
};

const { parentId: _parentId, ...newSubtask } = newTask;
const { projectDir: _dir, repository: _repository, start: _start, ...changeable } = newSubtask;

/** The schema of fields that a client may send back unchanged, and that are ignored. */
const ignored = z.optional(z.unknown());

const FIELD_ERRORS = ["INVALID_TITLE", "INVALID_PRIORITY", "INVALID_TYPE", "INVALID_TAG"] as const;

const ownRoutes: readonly Route[] = [
  route("POST /tasks", {
    status: 201,
    body: newTask,
    response: oneTask,
    errors: [...FIELD_ERRORS, "PARENT_NOT_FOUND", "DEPENDENCY_NOT_FOUND", "WORKFLOW_NOT_FOUND"],
  }, (daemon, { body, author }) => ({
    task: work.createTask(daemon.db, newTaskOf(daemon, body, body.parentId ?? null), author),
  })),
  route("POST /tasks/:id/subtasks", {
    status: 201,
    body: newSubtask,
    response: oneTask,
    errors: [...FIELD_ERRORS, "DEPENDENCY_NOT_FOUND"],
  }, (daemon, { body, author, id }) => {
    work.needTask(daemon.db, id);
    return { task: work.createTask(daemon.db, newTaskOf(daemon, body, id), author) };
  }),
  route("GET /tasks", {
    query: {
      ...words("status", "priority", "type", "tag", "tagPattern"),
      ...words("parentId", "claimedBy", "project"),
      includeDeleted: z.optional(fields.flag),
      limit: fields.limit,
      offset: z.optional(fields.number(0, Number.MAX_SAFE_INTEGER)),
    },
    response: { tasks: z.array(rows.waitingTask), more: z.boolean() },
    errors: ["INVALID_STATUS", "INVALID_PRIORITY", "INVALID_TYPE", "INVALID_TAG"],
  }, ({ db }, { query }) => {
    const { status, priority, type, tagPattern, parentId, claimedBy, ...rest } = query;
    const filter = {
      ...rest,
      statuses: listOf("status", status, checkStatus),
      priorities: listOf("priority", priority, checkPriority),
      types: listOf("type", type, checkType),
      anyTag: tagPattern === undefined ? null : tagsLike(tagPattern, work.listTags(db)),
      parentId: noneOr(parentId),
      claimedBy: noneOr(claimedBy),
      includeDeleted: isSet(query.includeDeleted),
    };
    const list = (limit: number) => withWaiting(db, work.listTasks(db, { ...filter, limit }));
    return paged("tasks", query.limit, list);
  }),
  route("GET /tasks/ready", {
    query: { ...words("project"), limit: fields.limit },
    response: { tasks: z.array(rows.task), more: z.boolean() },
    // The route writes if a claim has lapsed.
    transaction: "own",
  }, ({ db, metrics }, { query, author }) => {
    metrics.add("lease_expiries", work.takeBackToLook(db, author.atMs).length);
    return paged("tasks", query.limit, (limit) => work.listReady(db, { ...query, limit }));
  }),
  route("GET /tasks/:id", {
    response: {
      task: rows.task,
      children: z.array(rows.task),
      ancestors: z.array(rows.task),
      waitingFor: z.array(z.string()),
    },
  }, ({ db }, { id }) => ({
    task: work.needTask(db, id),
    children: work.listChildren(db, id),
    ancestors: work.listAncestors(db, id),
    waitingFor: work.openDependencies(db, id),
  })),
  route("PATCH /tasks/:id", {
    body: {
      ...changeable,
      title: z.optional(fields.title),
      id: ignored,
      createdAtMs: ignored,
      depth: ignored,
      status: ignored,
      claimedBy: ignored,
    },
    response: oneTask,
    errors: [...FIELD_ERRORS, "DEPENDENCY_NOT_FOUND", "WOULD_CREATE_CYCLE"],
  }, ({ db, redact }, { body, author, id }) => {
    const { tags, ...changes } = cleanFields(body, { mask: redact, inField });
    const { dependsOn: add } = body;
    const { dependsOn: before } = work.changeTask(db, work.needTask(db, id), changes, author);
    if (tags !== undefined) work.changeTags(db, id, { kind: "set", tags }, author);
    if (add !== undefined) {
      const remove = before.filter((other) => !add.includes(other));
      work.changeDependencies(db, id, { add, remove }, author);
    }
    return { task: work.needTask(db, id) };
  }),
  route("POST /tasks/:id/restore", {
    response: oneTask,
    errors: ["PARENT_NOT_FOUND"],
  }, ({ db }, { id, author }) => ({ task: work.restoreTask(db, id, author)[0] })),
];

/** Returns "" for `none` and `null`, with which the store finds tasks without a value. */
function noneOr(words: string | undefined): string | null {
  if (words === undefined) return null;
  return words === "none" || words === "null" ? "" : words;
}

type NewTask = Read<typeof newSubtask>;

/** Makes a new task from a body: checks it, masks secrets, and finds its project. */
function newTaskOf({ redact }: Daemon, body: NewTask, parentId: string | null) {
  return {
    ...NEW_TASK,
    // This checks only the workflow's name; `projectOf()` looks for its file.
    ...cleanFields(body, { mask: redact, inField }),
    parentId,
    dependsOn: body.dependsOn ?? [],
    ...projectOf(body, parentId),
    isQueued: body.start ?? false,
  };
}

/** Returns the project of a task; finds the repository if the request names only the folder. */
function projectOf(body: NewTask, parentId: string | null) {
  const { projectDir = null, repository = null, workflow = null } = body;
  for (const [field, path] of Object.entries({ projectDir, repository })) {
    if (path === null || isAbsolutePath(path) && exists(path)) continue;
    throw invalidInput(field, "it must be the absolute path of a folder that is there");
  }
  if (projectDir === null) return { projectDir, repository };
  // A subtask belongs to the project of its parent.
  if (workflow !== null && parentId === null) findWorkflowFile(workflow, projectDir);
  const found = repository === null ? findRepository(lookUpwards(projectDir)) : undefined;
  return {
    projectDir: found?.root ?? projectDir,
    repository: repository ?? found?.commonDir ?? null,
  };
}

const claimRoute = routesOf("claims");

/** The fields that steps take, by the flags of their verbs. `offline` forbids asking a server. */
const STEP_FIELDS = {
  force: z.optional(z.boolean()),
  withChildren: z.optional(z.boolean()),
  summary: z.optional(z.nullable(fields.body)),
  reason: fields.text,
  claimToken: z.optional(z.nullable(fields.token)),
  offline: z.optional(z.boolean()),
} as const;

const newStatus = {
  ...STEP_FIELDS,
  status: fields.status,
  reason: z.optional(fields.text),
  summary: z.optional(fields.text),
};

const claimRoutes: readonly Route[] = [
  claimRoute("POST /tasks/claim-next", {
    body: { project: z.optional(z.nullable(fields.path)), offline: STEP_FIELDS.offline },
    response: { task: z.nullable(rows.task) },
    errors: ["TEAM_UNREACHED"],
    ask: async (daemon, { author, body: { project = null, offline } }) =>
      offline ? null : await askForNext(placeOf(daemon), project, claimantOf(daemon, author)),
  }, (daemon, { author, asked, body: { project = null } }) => {
    takeBack(daemon, author.atMs);
    const claimant = claimantOf(daemon, author);
    return { task: steps.takeNext(daemon.db, claimant, { project, asked }) ?? null };
  }),
  ...Object.entries<steps.TaskStep>(steps.TASK_STEPS).map(([name, step]) => stepRoute(name, step)),
  claimRoute("PATCH /tasks/:id/status", {
    body: newStatus,
    response: oneTask,
    errors: [...steps.TASK_STEPS.complete.errors, "INVALID_STATUS", "ALREADY_CLAIMED"],
    ask: (daemon, call) => askFor(daemon, call, stepTo(call.body.status)?.asks),
  }, (daemon, call) => ({ task: changeStatus(daemon, call) })),
];

function stepRoute(name: string, step: steps.TaskStep): Route {
  const { flags, errors, asks, take } = step;
  const taken = Object.entries(STEP_FIELDS).filter(([field]) => Object.hasOwn(flags, field));
  return claimRoute(`POST /tasks/:id/${name}`, {
    query: Object.hasOwn(flags, "force") ? { force: z.optional(fields.flag) } : {},
    body: Object.fromEntries(taken),
    response: oneTask,
    errors,
    ask: (daemon, call) => askFor(daemon, call, asks),
  }, (daemon, call) => {
    if (asks === "claim") takeBack(daemon, call.author.atMs);
    const { force } = call.query as { readonly force?: string };
    const input: steps.StepInput = { force: isSet(force), ...call.body };
    return { task: take(daemon.db, call.id, termsOf(daemon, call, input)) };
  });
}

function claimantOf({ lasting }: Daemon, { by, atMs }: work.Author) {
  return { ...lasting(atMs), by };
}

function placeOf({ db, database }: Daemon) {
  return { db, database, environment: THIS_PROCESS };
}

async function askFor(
  daemon: Daemon,
  { id, author, body: { offline, claimToken: token = null } }: Call<unknown, steps.StepInput>,
  asks: steps.TaskStep["asks"],
): Promise<Asked | null> {
  const asker = { ...claimantOf(daemon, author), id, token };
  return offline ? null : await askForStep(placeOf(daemon), asks, asker);
}

/** Takes back claims that were not renewed, so that others can claim their tasks. */
function takeBack({ db, metrics }: Daemon, atMs: number): void {
  metrics.add("lease_expiries", work.takeBackLapsed(db, atMs).length);
}

function termsOf(
  daemon: Daemon,
  { author, asked }: Pick<Call, "author" | "asked">,
  input: steps.StepInput,
): steps.Terms {
  const { force = false, withChildren = false, claimToken: token = null, summary, reason } = input;
  const given = summary ?? reason;
  const words = given ? daemon.redact(checkBody(given)) : null;
  const grant = asked?.grant ?? null;
  return { ...claimantOf(daemon, author), grant, token, force, withChildren, words };
}

/** Returns the step that leads to a status; none leads to `pending_merge`, which only a workflow sets. */
function stepTo(status: TaskStatus, from?: TaskStatus): steps.TaskStep | undefined {
  const toOpen = from === "blocked" ? steps.TASK_STEPS.unblock : steps.TASK_STEPS.release;
  const { claim: in_progress, complete: closed, block: blocked } = steps.TASK_STEPS;
  return { in_progress, closed, blocked, open: toOpen, pending_merge: undefined }[status];
}

function changeStatus(daemon: Daemon, call: Call<unknown, Read<typeof newStatus>>): Task {
  const { body: { status: to, reason, summary, claimToken, ...below } } = call;
  const task = work.needTask(daemon.db, call.id);
  if (to === task.status) return task;
  const step = stepTo(to, task.status);
  if (step === undefined) throw work.badTransition(task, to);
  if (to === "blocked" && reason === undefined) {
    throw refusal("INVALID_INPUT", {
      what: `Task ${task.id} cannot become blocked`,
      why: "there is no reason; nothing was changed",
      next: "send a reason",
      details: { path: "reason" },
    });
  }
  const input = to === "closed" ? { summary, ...below } : { reason, force: below.force };
  return step.take(daemon.db, task.id, termsOf(daemon, call, { claimToken, ...input }));
}

const treeRoute = routesOf("tree");

/** The changes of many tasks, by their names in requests. */
const ACTIONS = {
  add_tags: "addTags",
  remove_tags: "removeTags",
  close: "close",
  delete: "delete",
  set_priority: "setPriority",
} as const;

const bulkBody = {
  action: z.enum(Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]),
  ids: fields.ids,
  tags: z.optional(fields.tags),
  priority: z.optional(fields.priority),
  hard: z.optional(z.boolean()),
};

const treeRoutes: readonly Route[] = [
  treeRoute("DELETE /tasks/:id", {
    status: 204,
    query: { hard: z.optional(fields.flag) },
    errors: ["TASK_ACTIVE", "HAS_ACTIVE_CHILDREN"],
  }, ({ db }, { id, query, author }) => {
    work.deleteTask(db, id, { ...author, hard: isSet(query.hard) });
  }),
  treeRoute("POST /tasks/:id/reparent", {
    body: { parentId: z.nullable(fields.id) },
    response: oneTask,
    errors: ["PARENT_NOT_FOUND", "WOULD_CREATE_CYCLE"],
  }, ({ db }, { id, body: { parentId }, author }) => ({
    task: work.reparentTask(db, id, parentId, author),
  })),
  relativesRoute("subtree", work.listSubtree, z.extend(rows.task, { relativeDepth: z.int() })),
  relativesRoute("ancestors", work.listAncestors),
  relativesRoute("children", work.listChildren),
  treeRoute("GET /tasks/:id/history", {
    query: words("field", "since"),
    response: {
      history: z.array(z.object({
        field: z.string(),
        old: z.unknown(),
        new: z.unknown(),
        changedBy: z.string(),
        changedAtMs: z.int(),
      })),
    },
  }, ({ db }, { id, query: { field = null, since } }) => {
    const sinceMs = since === undefined ? null : startMsOf(db, since);
    return { history: work.listHistory(db, work.needTask(db, id).id, { field, sinceMs }) };
  }),
  tagRoute("POST", "add"),
  tagRoute("PUT", "set"),
  tagRoute("DELETE", "remove"),
  treeRoute("POST /tasks/bulk", {
    // Each task gets its own transaction.
    transaction: "own",
    body: bulkBody,
    response: {
      results: z.array(z.object({
        id: z.string(),
        ok: z.boolean(),
        error: z.optional(z.object(refused)),
      })),
    },
    errors: ["INVALID_PRIORITY", "INVALID_TAG"],
  }, (daemon, call) => ({ results: changeMany(daemon, call) })),
];

function tagRoute(method: "POST" | "PUT" | "DELETE", kind: work.TagChange["kind"]) {
  return treeRoute(`${method} /tasks/:id/tags`, {
    body: { tags: fields.tags },
    response: oneTask,
    errors: ["INVALID_TAG"],
  }, ({ db, redact }, { id, body, author }) => {
    const { tags } = cleanFields(body, { mask: redact, inField });
    return { task: work.changeTags(db, id, { kind, tags }, author) };
  });
}

function relativesRoute(
  path: string,
  list: (db: DatabaseSync, id: string) => readonly Task[],
  task: z.ZodMiniType = rows.task,
) {
  const response = { tasks: z.array(task) };
  return treeRoute(`GET /tasks/:id/${path}`, { response }, ({ db }, { id }) => ({
    tasks: list(db, work.needTask(db, id).id),
  }));
}

function changeMany(
  { db, redact }: Daemon,
  { body, author }: Call<unknown, Read<typeof bulkBody>>,
) {
  const { action, ids, hard } = body;
  const { change, flags }: bulk.BulkChange = bulk.BULK_CHANGES[ACTIONS[action]];
  const missing = Object.keys(flags).find((field) => Reflect.get(body, field) === undefined);
  if (missing !== undefined) throw invalidInput(missing, "it is missing");
  const input = { ...author, ...cleanFields(body, { mask: redact, inField }), hard };
  return bulk.changeEach(db, ids, (id) => (change(db, id, input), id)).map(({ id, error }) => {
    if (error === null) return { id, ok: true };
    const { what, why, next, reason: code } = error;
    return { id, ok: false, error: { what, why, next, code } };
  });
}

export const taskRoutes: readonly Route[] = [...ownRoutes, ...claimRoutes, ...treeRoutes];
