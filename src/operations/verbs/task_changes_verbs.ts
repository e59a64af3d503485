/** `conclaude task create|update|reparent|delete|restore|tag`: change tasks and their tags. */
import { statusesAfter, type Task, wayTo } from "../../work/task.ts";
import { checkStatus } from "../../work/task_input.ts";
import * as work from "../../work/store.ts";
import { confirmOrThrow, listFirst } from "../terminal.ts";
import {
  clearingFlag,
  optional,
  parsed,
  proposing,
  SHARED,
  switchOn,
  tagsOf,
  TASK,
  text,
  wordsFlag,
} from "../flags.ts";
import { nextHere } from "../next_command.ts";
import { beginChange, homeOfTasks, taskIdOf } from "../work_lookup.ts";
import { cleanFields, NEW_TASK, readBody } from "../task_text.ts";
import { changedView, nameOf, shortTaskId, warnOfDepth } from "../task_view.ts";
import { requireOneOfTwo, usageError } from "../usage.ts";
import { readVerb } from "../list_and_show.ts";
import { group, many, verb } from "../verb.ts";
import type { DatabaseSync } from "node:sqlite";

const BODY_FLAGS = {
  body: clearingFlag("The body: what there is to know"),
  bodyFile: clearingFlag("Read the body from this file", "file"),
  stdin: switchOn("Read the body from stdin"),
};

const TYPE = clearingFlag("What sort of work it is: task, feature, bug", "type");
const PRIORITY = clearingFlag("How urgent it is: 0 (most) to 4; without it 2", "n");

export const create = verb({
  args: [optional(parsed(String, "The title, one line", "title"))],
  flags: {
    title: clearingFlag("The title, as a flag"),
    ...BODY_FLAGS,
    type: TYPE,
    priority: PRIORITY,
    parent: proposing("task", clearingFlag("The task that it is a part of", "id")),
    tags: optional(parsed(tagsOf, "Its tags, with commas between", "tags")),
    dependsOn: wordsFlag("The tasks that have to be closed first", "ids"),
    workflow: clearingFlag("The workflow to run; without it the parent's", "name"),
    start: switchOn("Hand it to the scheduler right away"),
    agentId: SHARED.agentId,
  },
  async run(context, flags, titleArgument) {
    requireOneOfTwo("what the title is", {
      given: { "a title": titleArgument !== undefined, "--title": flags.title !== undefined },
      next: CREATE_HELP,
    });
    const { change, db, place, mask } = await beginChange(context, flags, "make a task");
    const { title = titleArgument!, ...rest } = flags;
    const input = {
      ...NEW_TASK,
      ...cleanFields({ ...rest, title, body: readBody(context, flags) }, { mask }),
      ...homeOfTasks(context),
      isQueued: flags.start,
    };
    const checkWorkflow = await workflowCheck(input.workflow);
    const scheduler = flags.start ? await import("../orchestration_here.ts") : null;
    const task = change((author) => {
      const made = work.createTask(db, {
        ...input,
        parentId: flags.parent === undefined ? null : taskIdOf(db, flags.parent),
        dependsOn: (flags.dependsOn ?? []).map((text) => taskIdOf(db, text)),
      }, author);
      checkWorkflow(made);
      scheduler?.checkStart(context, db, made);
      return made;
    });
    warnOfDepth(context, task);
    const made = `Made task ${nameOf(task)}.`;
    const handed = scheduler?.handedOverText(context, { db, place }, task);
    return changedView(task, handed === undefined ? made : `${made} It is ${handed}`);
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
    agentId: SHARED.agentId,
  },
  async run(context, flags, text) {
    const { agentId: _agentId, ...changed } = flags;
    const body = readBody(context, flags);
    if (
      body === undefined &&
      Object.values(changed).every((value) => value === undefined || value === false)
    ) {
      throw usageError(`Cannot update task "${text}"`, {
        why: "nothing says what is to be different",
        next: UPDATE_HELP,
      });
    }
    const { change, db, mask } = await beginChange(context, flags, "update a task");
    const workflow = flags.workflow === NONE ? null : flags.workflow;
    const changes = cleanFields({ ...flags, body, workflow }, { mask, next: UPDATE_HELP });
    const checkWorkflow = await workflowCheck(changes.workflow ?? null);
    const { before, task } = change((author) => {
      const before = work.needTask(db, taskIdOf(db, text));
      checkWorkflow(before);
      const ids = (texts: readonly string[] = []) => texts.map((other) => taskIdOf(db, other));
      work.changeTask(db, before, changes, author);
      const others = { add: ids(flags.dependsOn), remove: ids(flags.noLongerDependsOn) };
      const waiting = work.changeDependencies(db, before.id, others, author);
      const { status } = flags;
      const task = status === undefined ? waiting : changeStatus(db, waiting, status, author);
      return { before, task };
    });
    const isSame = JSON.stringify({ ...before, updatedAtMs: task.updatedAtMs }) ===
      JSON.stringify(task);
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
    parent: proposing("task", clearingFlag("The task to move it under", "id")),
    root: switchOn("Under none"),
    agentId: SHARED.agentId,
  },
  async run(context, flags, text) {
    const { parent, root } = flags;
    requireOneOfTwo(`where to move task "${text}"`, {
      given: { "--parent": parent !== undefined, "--root": root },
      next: "conclaude task reparent --help",
    });
    const { change, db } = await beginChange(context, flags, "move a task");
    const task = change((author) => {
      const parentId = parent === undefined ? null : taskIdOf(db, parent);
      return work.reparentTask(db, taskIdOf(db, text), parentId, author);
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
    yes: SHARED.yes,
    agentId: SHARED.agentId,
  },
  async run(context, flags, text) {
    const { change, db } = await beginChange(context, flags, "delete a task");
    if (flags.hard && !flags.yes) {
      const id = taskIdOf(db, text);
      const task = work.readTask(db, id) ?? work.needTask(db, id);
      confirmOrThrow(context, {
        what: `delete task ${nameOf(task)} for good`,
        shows: listFirst(work.listSubtree(db, id), (tasks) => tasks.map(nameOf)),
        ask: `Delete ${nameOf(task)}, with all below it and its history, for good?`,
        again: `conclaude task delete ${id} --hard --yes`,
      });
    }
    const { deleted, nowReady } = change((author) => {
      const id = taskIdOf(db, text);
      const waiting = work.listWaiting(db, id);
      if (flags.force && work.readTask(db, id)?.status === "in_progress") {
        work.releaseTask(db, id, { ...author, force: true });
      }
      const deleted = work.deleteTask(db, id, { ...author, hard: flags.hard });
      return { deleted, nowReady: waiting.filter((other) => work.isReady(db, other)) };
    });
    const task = flags.hard ? deleted[0]! : work.readTask(db, deleted[0]!.id)!;
    const others = deleted.length === 1 ? "" : ` and ${deleted.length - 1} below it`;
    const back = nextHere(`conclaude task restore ${shortTaskId(task.id)}`, context.globals);
    const way = flags.hard ? " for good." : `; ${back} brings it back.`;
    const names = nowReady.map((other) => nameOf(work.readTask(db, other)!)).join(", ");
    const ready = names === "" ? "" : ` Nothing keeps these from being done any more: ${names}`;
    return {
      json: { task, deleted: deleted.map(({ id }) => id), nowReady },
      text: [`Deleted task ${nameOf(task)}${others}${way}${ready}`],
    };
  },
});

export const restore = verb({
  args: [TASK],
  flags: { agentId: SHARED.agentId },
  async run(context, flags, text) {
    const { change, db } = await beginChange(context, flags, "restore a task");
    const { wasDeleted, back } = change((author) => {
      const id = taskIdOf(db, text);
      const wasDeleted = (work.readTask(db, id)?.deletedAtMs ?? null) !== null;
      return { wasDeleted, back: work.restoreTask(db, id, author) };
    });
    const [task, ...below] = back;
    const others = below.length === 0 ? "" : `, with ${below.length} below it`;
    const done = wasDeleted ? `is back${others}.` : "was not deleted; nothing was changed.";
    return {
      json: { task, restored: wasDeleted ? back.map(({ id }) => id) : [] },
      text: [`Task ${nameOf(task!)} ${done}`],
    };
  },
});

const NONE = "none";
const CREATE_HELP = "conclaude task create --help";
const UPDATE_HELP = "conclaude task update --help";

/** Opens a blocked task again, or gives a claim back. @throws {UserError} INVALID_TRANSITION, with the verb to use. */
function changeStatus(db: DatabaseSync, task: Task, status: string, author: work.Author): Task {
  const to = checkStatus(status, UPDATE_HELP);
  if (!statusesAfter(task.status).includes(to) || wayTo(task, to) !== undefined) {
    throw work.badTransition(task, to);
  }
  return task.status === "blocked"
    ? work.unblockTask(db, task.id, author)
    : work.releaseTask(db, task.id, { ...author, force: false });
}

/** Returns a check that a task's project has the workflow. Only a name loads the code that finds workflows. */
async function workflowCheck(
  name: string | null,
): Promise<(task: Pick<Task, "projectDir">) => void> {
  if (name === null) return () => {};
  const { findWorkflowFile } = await import("../../work/engine/workflow_files.ts");
  return ({ projectDir }) => {
    if (projectDir !== null) findWorkflowFile(name, projectDir);
  };
}

const ID_AND_TAGS = text("The task, then the tags, with spaces or commas between", "id and tags");

const list = readVerb({
  args: [optional(TASK)],
  run({ db }, _flags, text) {
    const tags = text === undefined
      ? work.listTags(db)
      : work.needTask(db, taskIdOf(db, text)).tags;
    return { json: { tags }, text: tags.length === 0 ? "No tags." : tags };
  },
});

export const taskTag = group({
  add: tagVerb("add"),
  remove: tagVerb("remove"),
  set: tagVerb("set"),
  list,
});

function tagVerb(kind: work.TagChange["kind"]) {
  return verb({
    args: many(ID_AND_TAGS, kind === "set" ? 1 : 2),
    flags: { agentId: SHARED.agentId },
    async run(context, flags, text, ...input) {
      const { change, db, mask } = await beginChange(context, flags, "change tags");
      const { tags } = cleanFields({ tags: input.flatMap((tag) => tag.split(",")) }, { mask });
      const task = change((author) =>
        work.changeTags(db, taskIdOf(db, text!), { kind, tags }, author)
      );
      return changedView(task, `Tags of ${nameOf(task)}: ${task.tags.join(", ") || "none"}`);
    },
  });
}
