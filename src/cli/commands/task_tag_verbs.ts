import { checkTags } from "../../orchestration/task_input.ts";
import { transaction } from "../../store/database.ts";
import { changeTags, needTask, type TagChange } from "../../store/task_changes.ts";
import { listTags } from "../../store/tasks.ts";
import type { CliContext } from "../context.ts";
import { AGENT_FLAG, optional, TASK, text } from "../flags.ts";
import { openKeptStore, openStore } from "../store.ts";
import { authorOf, type ByFlag } from "../task_lookup.ts";
import { maskerOf } from "../task_text.ts";
import { changedView, nameOf } from "../task_view.ts";
import { group, many, verb } from "../verb.ts";
import type { View } from "../view.ts";
import { taskIdOf } from "../work_lookup.ts";

function idAndTags(minimum: number) {
  return many(
    text("The task, then the tags, with spaces or commas between", "id and tags"),
    minimum,
  );
}

const add = verb({
  args: idAndTags(2),
  flags: { agentId: AGENT_FLAG },
  brief: "Add tags",
  about: "Adds tags to a task; those that it has already change nothing.",
  examples: ["conclaude task tag add 1a2b3c4d auth area/login"],
  run: tagTask("add"),
});

const remove = verb({
  args: idAndTags(2),
  flags: { agentId: AGENT_FLAG },
  brief: "Remove tags",
  about: "Removes tags from a task; those that it does not have change nothing.",
  examples: ["conclaude task tag remove 1a2b3c4d auth"],
  run: tagTask("remove"),
});

const set = verb({
  args: idAndTags(1),
  flags: { agentId: AGENT_FLAG },
  brief: "Give a task these tags and no others",
  about: "Gives a task these tags and no others; without any it has none.",
  examples: ["conclaude task tag set 1a2b3c4d auth,urgent"],
  run: tagTask("set"),
});

const list = verb({
  args: [optional(TASK)],
  brief: "List tags",
  about: "Lists the tags of a task, or every tag that a task has.",
  examples: ["conclaude task tag list", "conclaude task tag list 1a2b3c4d --json"],
  async run(context, _flags, text) {
    const { db } = await openStore(context, "read");
    const tags = text === undefined ? listTags(db) : needTask(db, taskIdOf(db, text)).tags;
    return { json: { tags }, text: tags.length === 0 ? "No tags." : tags.join("\n") };
  },
});

export const taskTag = group({
  verbs: { add, remove, set, list },
  examples: ["conclaude task tag add 1a2b3c4d auth", "conclaude task tag list"],
});

function tagTask(kind: TagChange["kind"]) {
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
