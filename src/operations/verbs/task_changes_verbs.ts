/** `conclaude task create|update|reparent|delete|restore`. */
import { plain } from "../../base/plain.ts";
import {
  DEFAULT_PRIORITY,
  statusesAfter,
  type Task,
  type TaskStatus,
  wayTo,
} from "../../work/task.ts";
import {
  checkBody,
  checkPriority,
  checkStatus,
  checkTags,
  checkTitle,
  checkType,
  checkWorkflowName,
} from "../../work/task_input.ts";
import { transaction } from "../../db/transaction.ts";
import {
  type Author,
  badTransition,
  changeDependencies,
  changeTask,
  createTask,
  deleteTask,
  isReady,
  listWaiting,
  needTask,
  readTask,
  releaseTask,
  reparentTask,
  restoreTask,
  type TaskChanges,
  unblockTask,
} from "../../work/store.ts";
import { confirmOrThrow } from "../terminal.ts";
import {
  AGENT_FLAG,
  anyText,
  clearingFlag,
  optional,
  parsed,
  switchOn,
  tagsOf,
  TASK,
  wordsFlag,
} from "../flags.ts";
import { nextHere } from "../next_command.ts";
import { beginChange, homeOfTasks, taskIdOf } from "../work_lookup.ts";
import { readBody } from "../task_text.ts";
import { changedView, nameOf, shortTaskId, warnOfDepth } from "../task_view.ts";
import { requireOneOfTwo, usageError } from "../usage.ts";
import { verb } from "../verb.ts";
import type { DatabaseSync } from "node:sqlite";

/** The ways to give the body of a task. */
const BODY_FLAGS = {
  body: clearingFlag("The body: what there is to know"),
  bodyFile: clearingFlag("Read the body from this file", "file"),
  stdin: switchOn("Read the body from stdin"),
};

const TYPE = clearingFlag("What sort of work it is: task, feature, bug", "type");
const PRIORITY = clearingFlag("How urgent it is: 0 (most) to 4; without it 2", "n");

export const create = verb({
  flags: {
    title: parsed(anyText, "The title, one line", "text"),
    ...BODY_FLAGS,
    type: TYPE,
    priority: PRIORITY,
    parent: clearingFlag("The task that it is a part of", "id"),
    tags: optional(parsed(tagsOf, "Its tags, with commas between", "tags")),
    dependsOn: wordsFlag("The tasks that have to be closed first", "ids"),
    workflow: clearingFlag("The workflow to run; without it the parent's", "name"),
    start: switchOn("Hand it to the scheduler right away"),
    agentId: AGENT_FLAG,
  },
  about:
    "Makes a task, open and unclaimed. It belongs to the repository that it is made in, or else to the folder; a " +
    "part of another task belongs where that one does. Secrets in its texts are masked before they are kept.",
  examples: [
    "conclaude task create --title 'Refuse expired tokens' --type bug --priority 1 --tags auth,api",
    "conclaude task create --title 'Write the tests' --parent 1a2b3c4d --depends-on 5e6f7a8b",
    "conclaude task create --title 'New login page' --body-file login.md --json",
  ],
  async run(context, flags) {
    const { by, db, place, mask } = await beginChange(context, flags, "make a task");
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
    const checkStart = flags.start
      ? (await import("../orchestration_here.ts")).checkStart
      : () => {};
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
  },
});

export const update = verb({
  args: [TASK],
  flags: {
    title: clearingFlag("The new title"),
    ...BODY_FLAGS,
    type: TYPE,
    priority: clearingFlag("How urgent it is: 0 (most) to 4", "n"),
    workflow: clearingFlag("The workflow to run; `none` takes it away", "name"),
    status: clearingFlag("The new status, where no other verb leads there: open", "status"),
    dependsOn: wordsFlag("Tasks that have to be closed first", "ids"),
    noLongerDependsOn: wordsFlag("Tasks that it need not wait for any more", "ids"),
    agentId: AGENT_FLAG,
  },
  about:
    "Changes what is said of a task. --status opens a blocked task again or gives a claimed one back; to what is " +
    "done with a claim, a completion or a merge it names the verb.",
  examples: [
    "conclaude task update 1a2b3c4d --priority 0 --title 'Refuse expired tokens everywhere'",
    "conclaude task update 1a2b3c4d --depends-on 5e6f7a8b",
  ],
  async run(context, { agentId, ...flags }, text) {
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
    const named = { ...agentId !== undefined && { agentId } };
    const { by, db, mask } = await beginChange(context, named, "update a task");
    const { title, type, priority, workflow } = flags;
    const changes: TaskChanges = {
      ...title !== undefined && { title: checkTitle(mask(title), UPDATE_HELP) },
      ...body !== undefined && { body: checkBody(mask(body)) },
      ...type !== undefined && { type: checkType(type, UPDATE_HELP) },
      ...priority !== undefined && { priority: checkPriority(priority, UPDATE_HELP) },
      ...workflow !== undefined && { workflow: workflow === NONE ? null : workflow },
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
  },
});

export const reparent = verb({
  args: [TASK],
  flags: {
    parent: clearingFlag("The task to move it under", "id"),
    root: switchOn("Under none"),
    agentId: AGENT_FLAG,
  },
  about: "Moves a task, with all below it, under another one. It cannot be moved below itself.",
  examples: [
    "conclaude task reparent 1a2b3c4d --parent 5e6f7a8b",
    "conclaude task reparent 1a2b3c4d --root",
  ],
  async run(context, flags, text) {
    const { parent, root } = flags;
    requireOneOfTwo(`where to move task "${text}"`, {
      given: { "--parent": parent !== undefined, "--root": root },
      next: "conclaude task reparent --help",
    });
    const { by, db } = await beginChange(context, flags, "move a task");
    const task = transaction(db, () => {
      const parentId = parent === undefined ? null : taskIdOf(db, parent);
      return reparentTask(db, taskIdOf(db, text), parentId, { by, atMs: Date.now() });
    });
    warnOfDepth(context, task);
    return changedView(task, `Task ${nameOf(task)} lies at depth ${task.depth} now.`);
  },
});

export const remove = verb({
  args: [TASK],
  flags: {
    hard: switchOn("For good, with its history; asks first"),
    force: switchOn("Release its claim first, whoever has it"),
    yes: switchOn("Do not ask"),
    agentId: AGENT_FLAG,
  },
  about:
    "Deletes a task and all below it. `task restore` brings them back until they are removed after " +
    "`store.taskSoftDeleteDays`. What is in work, or has something below it that is, is not deleted.",
  examples: ["conclaude task delete 1a2b3c4d", "conclaude task delete 1a2b3c4d --hard --yes"],
  async run(context, flags, text) {
    const { by, db } = await beginChange(context, flags, "delete a task");
    if (flags.hard && !flags.yes) {
      const id = taskIdOf(db, text);
      const task = readTask(db, id) ?? needTask(db, id);
      confirmOrThrow(context, {
        what: `delete task ${nameOf(task)} for good`,
        ask: `Delete ${nameOf(task)}, with all below it and its history, for good?`,
        again: `conclaude task delete ${id} --hard --yes`,
      });
    }
    const { gone, nowReady } = transaction(db, () => {
      const author = { by, atMs: Date.now() };
      const id = taskIdOf(db, text);
      const waiting = listWaiting(db, id);
      if (flags.force && readTask(db, id)?.status === "in_progress") {
        releaseTask(db, id, { ...author, force: true });
      }
      const gone = deleteTask(db, id, { ...author, hard: flags.hard });
      return { gone, nowReady: waiting.filter((other) => isReady(db, other)) };
    });
    const task = flags.hard ? gone[0]! : readTask(db, gone[0]!.id)!;
    const others = gone.length === 1 ? "" : ` and ${gone.length - 1} below it`;
    const done = flags.hard
      ? `Deleted task ${nameOf(task)}${others} for good.`
      : `Deleted task ${nameOf(task)}${others}; ${
        nextHere(`conclaude task restore ${shortTaskId(task.id)}`, context.globals)
      } brings it back.`;
    const names = nowReady.map((other) => nameOf(readTask(db, other)!)).join(", ");
    return {
      json: { task, deleted: gone.map(({ id }) => id), nowReady },
      text: plain(
        names === "" ? done : `${done} Nothing keeps these from being done any more: ${names}`,
      ),
    };
  },
});

export const restore = verb({
  args: [TASK],
  flags: { agentId: AGENT_FLAG },
  about: "Brings a deleted task back, with all below it that was deleted with it.",
  examples: ["conclaude task restore 1a2b3c4d"],
  async run(context, flags, text) {
    const { by, db } = await beginChange(context, flags, "restore a task");
    const { wasDeleted, back } = transaction(db, () => {
      const id = taskIdOf(db, text);
      return {
        wasDeleted: (readTask(db, id)?.deletedAtMs ?? null) !== null,
        back: restoreTask(db, id, { by, atMs: Date.now() }),
      };
    });
    const [task, ...below] = back;
    const others = below.length === 0 ? "" : `, with ${below.length} below it`;
    return {
      json: { task, restored: wasDeleted ? back.map(({ id }) => id) : [] },
      text: plain(
        wasDeleted
          ? `Task ${nameOf(task)} is back${others}.`
          : `Task ${nameOf(task)} was not deleted; nothing was changed.`,
      ),
    };
  },
});

const NONE = "none";
const CREATE_HELP = "conclaude task create --help";
const UPDATE_HELP = "conclaude task update --help";

/**
 * Opens a blocked task again, or gives a claimed one back.
 * @throws {UserError} INVALID_TRANSITION, with the verb for other statuses.
 */
function changeStatus(db: DatabaseSync, task: Task, status: string, author: Author): Task {
  const to: TaskStatus = checkStatus(status, UPDATE_HELP);
  if (!statusesAfter(task.status).includes(to) || wayTo(task, to) !== undefined) {
    throw badTransition(task, to);
  }
  return task.status === "blocked"
    ? unblockTask(db, task.id, author)
    : releaseTask(db, task.id, { ...author, force: false });
}

/** A check that a task's project has a workflow. Where none is named, the code that finds workflows is not loaded. */
async function workflowCheck(
  name: string | null,
  next: string,
): Promise<(task: Pick<Task, "projectDir">) => void> {
  if (name === null) return () => {};
  checkWorkflowName(name, next);
  const { findWorkflowFile } = await import("../../work/engine/workflow_files.ts");
  return ({ projectDir }) => {
    if (projectDir !== null) findWorkflowFile(name, projectDir);
  };
}
