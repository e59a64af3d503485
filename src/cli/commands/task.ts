import { group } from "../command.ts";
import { TASK_BULK } from "./task_bulk.ts";
import { TASK_CHANGES } from "./task_changes.ts";
import { TASK_LISTS } from "./task_lists.ts";
import { TASK_TAG } from "./task_tag.ts";
import { TASK_WORK } from "./task_work.ts";

const { create, update, delete: remove, restore, reparent } = TASK_CHANGES;
const { list, ready, show, subtree, ancestors, children, history } = TASK_LISTS;

/** `conclaude task …` */
export const task = group({
  verbs: {
    create,
    list,
    ready,
    show,
    update,
    ...TASK_WORK,
    delete: remove,
    restore,
    subtree,
    ancestors,
    children,
    reparent,
    tag: TASK_TAG,
    history,
    bulk: TASK_BULK,
  },
  brief: "What is to be done, and who does it",
  examples: [
    "conclaude task create --title 'Refuse expired tokens' --priority 1 --tags auth",
    "conclaude task claim --next --agent-id worker-1",
    "conclaude task complete 1a2b3c4d --agent-id worker-1 --summary 'Expired tokens get a 401'",
  ],
});
