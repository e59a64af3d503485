import { checkTags } from "../../work/task_input.ts";
import { transaction } from "../../db/transaction.ts";
import { changeTags, listTags, needTask, type TagChange } from "../../work/store.ts";
import { AGENT_FLAG, optional, TASK, text } from "../flags.ts";
import { openStore } from "../open_store.ts";
import { beginChange, taskIdOf } from "../work_lookup.ts";
import { changedView, nameOf } from "../task_view.ts";
import { group, many, verb } from "../verb.ts";

const ID_AND_TAGS = text("The task, then the tags, with spaces or commas between", "id and tags");

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
  verbs: {
    add: tagVerb("add", {
      brief: "Add tags",
      about: "Adds tags to a task; those that it has already change nothing.",
      example: "auth area/login",
    }),
    remove: tagVerb("remove", {
      brief: "Remove tags",
      about: "Removes tags from a task; those that it does not have change nothing.",
      example: "auth",
    }),
    set: tagVerb("set", {
      brief: "Give a task these tags and no others",
      about: "Gives a task these tags and no others; without any it has none.",
      example: "auth,urgent",
    }),
    list,
  },
  examples: ["conclaude task tag add 1a2b3c4d auth", "conclaude task tag list"],
});

/** Makes a verb that changes the tags of one task. */
function tagVerb(
  kind: TagChange["kind"],
  { brief, about, example }: Readonly<Record<"brief" | "about" | "example", string>>,
) {
  return verb({
    args: many(ID_AND_TAGS, kind === "set" ? 1 : 2),
    flags: { agentId: AGENT_FLAG },
    brief,
    about,
    examples: [`conclaude task tag ${kind} 1a2b3c4d ${example}`],
    async run(context, flags, text, ...given) {
      const { by, db, mask } = await beginChange(context, flags, "change tags");
      const tags = checkTags(given.flatMap((tag) => tag.split(",")).map(mask));
      const task = transaction(
        db,
        () => changeTags(db, taskIdOf(db, text!), { kind, tags }, { by, atMs: Date.now() }),
      );
      return changedView(task, `Tags of ${nameOf(task)}: ${task.tags.join(", ") || "none"}`);
    },
  });
}
