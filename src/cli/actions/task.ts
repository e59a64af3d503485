/** What is changed of a task: its fields, its place in the tree, its tags. */
import type { DatabaseSync } from "node:sqlite";
import { DEFAULT_PRIORITY, type Task } from "../../orchestration/task.ts";
import {
  checkBody,
  checkPriority,
  checkTags,
  checkTitle,
  checkType,
} from "../../orchestration/task_input.ts";
import { transaction } from "../../store/database.ts";
import { type Author, changeTask, needTask, type TaskChanges } from "../../store/task_changes.ts";
import { changeDependencies } from "../../store/task_dependencies.ts";
import { createTask } from "../../store/task_life.ts";
import { changeTags, type TagChange } from "../../store/task_tags.ts";
import { reparentTask } from "../../store/task_tree.ts";
import { listTags } from "../../store/tasks.ts";
import type { CliContext } from "../context.ts";
import { openKeptStore, openStore } from "../store.ts";
import { taskIdOf } from "../id_lookup.ts";
import { authorOf, type ByFlag, homeOfTasks } from "../task_lookup.ts";
import { changeStatus } from "../task_status.ts";
import { type BodyFlags, maskerOf, readBody } from "../task_text.ts";
import { changedView, nameOf, warnOfDepth } from "../task_view.ts";
import { workflowCheck } from "../task_workflow.ts";
import { usageError } from "../usage.ts";
import type { View } from "../view.ts";

/** Takes the workflow away again. */
const NONE = "none";

/** What a new task is to be. */
export type CreateFlags = BodyFlags & ByFlag & {
  readonly title: string;
  readonly type?: string;
  readonly priority?: string;
  readonly parent?: string;
  readonly tags?: readonly string[];
  readonly dependsOn?: readonly string[];
  readonly workflow?: string;
  readonly start: boolean;
};

/** Names what a task can be given when it is made. */
const CREATE_HELP = "conclaude task create --help";

/** Names what can be changed of a task. */
const UPDATE_HELP = "conclaude task update --help";

/** `conclaude task create` */
export async function makeTask(context: CliContext, flags: CreateFlags): Promise<View> {
  const by = authorOf(context, flags);
  const { db, place } = await openKeptStore(context, "make a task");
  const mask = await maskerOf(place.config);
  const given = {
    title: checkTitle(mask(flags.title)),
    body: checkBody(mask(readBody(context, flags) ?? "")),
    type: checkType(flags.type ?? "task"),
    priority: checkPriority(flags.priority ?? DEFAULT_PRIORITY),
    tags: checkTags((flags.tags ?? []).map(mask)),
    workflow: flags.workflow ?? null,
    ...homeOfTasks(context),
    isQueued: flags.start,
  };
  const checkWorkflow = await workflowCheck(given.workflow, CREATE_HELP);
  const checkStart = flags.start ? (await import("../start_check.ts")).checkStart : () => {};
  const task = transaction(db, () => {
    const made = createTask(db, {
      ...given,
      parentId: flags.parent === undefined ? null : taskIdOf(db, flags.parent),
      dependsOn: (flags.dependsOn ?? []).map((text) => taskIdOf(db, text)),
    }, { by, atMs: Date.now() });
    checkWorkflow(made);
    checkStart(context, db, made);
    return made;
  });
  warnOfDepth(context, task);
  const made = `Made task ${nameOf(task)}.`;
  if (!flags.start) return changedView(task, made);
  const { handedOver } = await import("../daemon_here.ts");
  return changedView(task, `${made} It is ${handedOver(context, { db, place }, task)}`);
}

/** What is to be different. */
export type UpdateFlags = BodyFlags & ByFlag & {
  readonly title?: string;
  readonly type?: string;
  readonly priority?: string;
  readonly workflow?: string;
  readonly status?: string;
  readonly dependsOn?: readonly string[];
  readonly noLongerDependsOn?: readonly string[];
};

/** `conclaude task update ID` */
export async function updateTask(
  context: CliContext,
  { agentId, ...flags }: UpdateFlags,
  text: string,
): Promise<View> {
  const body = readBody(context, flags);
  if (
    body === undefined &&
    Object.values(flags).every((value) => value === undefined || value === false)
  ) {
    throw usageError(`Cannot update task "${text}"`, {
      why: "nothing says what is to be different",
      next: UPDATE_HELP,
    });
  }
  const by = authorOf(context, agentId === undefined ? {} : { agentId });
  const { db, place } = await openKeptStore(context, "update a task");
  const mask = await maskerOf(place.config);
  const changes: TaskChanges = {
    ...(flags.title === undefined ? {} : { title: checkTitle(mask(flags.title), UPDATE_HELP) }),
    ...(body === undefined ? {} : { body: checkBody(mask(body)) }),
    ...(flags.type === undefined ? {} : { type: checkType(flags.type, UPDATE_HELP) }),
    ...(flags.priority === undefined
      ? {}
      : { priority: checkPriority(flags.priority, UPDATE_HELP) }),
    ...(flags.workflow === undefined
      ? {}
      : { workflow: flags.workflow === NONE ? null : flags.workflow }),
  };
  const checkWorkflow = await workflowCheck(changes.workflow ?? null, UPDATE_HELP);
  let before: Task | undefined;
  const task = transaction(db, () => {
    const author = { by, atMs: Date.now() };
    const found = before = needTask(db, taskIdOf(db, text));
    checkWorkflow(found);
    const ids = (texts: readonly string[] = []) => texts.map((other) => taskIdOf(db, other));
    changeTask(db, found, changes, author);
    const change = { add: ids(flags.dependsOn), remove: ids(flags.noLongerDependsOn) };
    const changed = changeDependencies(db, found.id, change, author);
    return flags.status === undefined ? changed : changeStatus(db, changed, flags.status, author);
  });
  const isSame = JSON.stringify({ ...before, updatedAtMs: 0 }) ===
    JSON.stringify({ ...task, updatedAtMs: 0 });
  return changedView(
    task,
    isSame
      ? `Task ${nameOf(task)} is like that already; nothing was changed.`
      : `Changed task ${nameOf(task)}.`,
  );
}

/** Where a task is moved. */
export type MoveFlags = ByFlag & { readonly parent?: string; readonly root: boolean };

/** `conclaude task reparent ID` */
export async function moveTask(
  context: CliContext,
  flags: MoveFlags,
  text: string,
): Promise<View> {
  const { parent, root } = flags;
  if (root === (parent !== undefined)) {
    throw usageError(`Cannot tell where to move task "${text}"`, {
      why: root ? "there is a parent beside --root" : "there is neither --parent nor --root",
      next: "conclaude task reparent --help",
    });
  }
  const task = await change(
    context,
    { ...flags, text, what: "move a task" },
    (db, id, author) =>
      reparentTask(db, id, parent === undefined ? null : taskIdOf(db, parent), author),
  );
  warnOfDepth(context, task);
  return changedView(task, `Task ${nameOf(task)} lies at depth ${task.depth} now.`);
}

/** `conclaude task tag add|remove|set ID TAGS…` */
export function tagTask(kind: TagChange["kind"]) {
  return async (
    context: CliContext,
    flags: ByFlag,
    text: string,
    ...tags: string[]
  ): Promise<View> => {
    const by = authorOf(context, flags);
    const { db, place } = await openKeptStore(context, "change tags");
    const checked = checkTags(
      tags.flatMap((tag) => tag.split(",")).map(await maskerOf(place.config)),
    );
    const task = transaction(
      db,
      () => changeTags(db, taskIdOf(db, text), { kind, tags: checked }, { by, atMs: Date.now() }),
    );
    return changedView(task, `Tags of ${nameOf(task)}: ${task.tags.join(", ") || "none"}`);
  };
}

/** `conclaude task tag list [ID]` */
export async function showTags(
  context: CliContext,
  _flags: object,
  text?: string,
): Promise<View> {
  const { db } = await openStore(context, "read");
  const tags = text === undefined ? listTags(db) : needTask(db, taskIdOf(db, text)).tags;
  return { json: { tags }, text: tags.length === 0 ? "No tags." : tags.join("\n") };
}

/** One change of one task in one transaction. */
async function change(
  context: CliContext,
  { text, what, ...flags }: ByFlag & { readonly text: string; readonly what: string },
  work: (db: DatabaseSync, id: string, author: Author) => Task,
): Promise<Task> {
  const by = authorOf(context, flags);
  const { db } = await openKeptStore(context, what);
  return transaction(db, () => work(db, taskIdOf(db, text), { by, atMs: Date.now() }));
}
