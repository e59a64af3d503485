/** Whether a task is there: deleting it, and bringing it back. */
import { transaction } from "../../store/database.ts";
import { needTask } from "../../store/task_changes.ts";
import { releaseTask } from "../../store/task_claims.ts";
import { listWaiting } from "../../store/task_dependencies.ts";
import { deleteTask, restoreTask } from "../../store/task_tree.ts";
import { isReady, readTask } from "../../store/tasks.ts";
import { confirmOrThrow } from "../terminal.ts";
import { AGENT_FLAG, switchOn, TASK } from "../flags.ts";
import { nextHere } from "../next_command.ts";
import { openKeptStore } from "../store.ts";
import { authorOf, taskIdOf } from "../work_lookup.ts";
import { changedView, nameOf, shortTaskId } from "../task_view.ts";
import { verb } from "../verb.ts";

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
    const by = authorOf(context, flags);
    const { db } = await openKeptStore(context, "delete a task");
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
      text: changedView(
        task,
        names === "" ? done : `${done} Nothing keeps these from being done any more: ${names}`,
      ).text,
    };
  },
});

export const restore = verb({
  args: [TASK],
  flags: { agentId: AGENT_FLAG },
  about: "Brings a deleted task back, with all below it that was deleted with it.",
  examples: ["conclaude task restore 1a2b3c4d"],
  async run(context, flags, text) {
    const by = authorOf(context, flags);
    const { db } = await openKeptStore(context, "restore a task");
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
      text: changedView(
        task,
        wasDeleted
          ? `Task ${nameOf(task)} is back${others}.`
          : `Task ${nameOf(task)} was not deleted; nothing was changed.`,
      ).text,
    };
  },
});
