import { group, lazyFrom } from "../verb.ts";

const bulk = lazyFrom(() => import("./task_bulk_verbs.ts"));
const changes = lazyFrom(() => import("./task_changes_verbs.ts"));
const lists = lazyFrom(() => import("./task_lists_verbs.ts"));
const work = lazyFrom(() => import("./task_work_verbs.ts"));

export const task = group({
  verbs: {
    create: changes("Make a task", "create"),
    list: lists("List tasks", "list"),
    ready: lists("List what can be done now", "ready"),
    show: lists("Show a task", "show"),
    update: changes("Change a task", "update"),
    claim: work("Take a task up", "claim"),
    renew: work("Let a claim count longer", "renew"),
    release: work("Give a task back", "release"),
    complete: work("Close a task", "complete"),
    block: work("Say that a task cannot go on", "block"),
    unblock: work("Open a blocked task again", "unblock"),
    start: work("Hand a task to the scheduler", "start"),
    delete: changes("Delete a task and all below it", "remove"),
    restore: changes("Bring a deleted task back", "restore"),
    subtree: lists("Show a task and all below it", "subtree"),
    ancestors: lists("List what a task is a part of", "ancestors"),
    children: lists("List the parts of a task", "children"),
    reparent: changes("Move a task in the tree", "reparent"),
    tag: changes("Words to find tasks by", "taskTag"),
    history: lists("Show what changed of a task", "history"),
    bulk: bulk("One change of many tasks; exit status 1 when one could not be changed", "taskBulk"),
  },
  examples: [
    "conclaude task create --title 'Refuse expired tokens' --priority 1 --tags auth",
    "conclaude task claim --next --agent-id worker-1",
    "conclaude task complete 1a2b3c4d --agent-id worker-1 --summary 'Expired tokens get a 401'",
  ],
});
