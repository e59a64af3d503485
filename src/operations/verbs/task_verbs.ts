import { group, lazy } from "../verb.ts";

const changes = () => import("./task_changes_verbs.ts");
const lists = () => import("./task_lists_verbs.ts");
const work = () => import("./task_work_verbs.ts");

export const task = group({
  verbs: {
    create: lazy("Make a task", async () => (await changes()).create),
    list: lazy("List tasks", async () => (await lists()).list),
    ready: lazy("List what can be done now", async () => (await lists()).ready),
    show: lazy("Show a task", async () => (await lists()).show),
    update: lazy("Change a task", async () => (await changes()).update),
    claim: lazy("Take a task up", async () => (await work()).claim),
    renew: lazy("Let a claim count longer", async () => (await work()).renew),
    release: lazy("Give a task back", async () => (await work()).release),
    complete: lazy("Close a task", async () => (await work()).complete),
    block: lazy("Say that a task cannot go on", async () => (await work()).block),
    unblock: lazy("Open a blocked task again", async () => (await work()).unblock),
    start: lazy("Hand a task to the scheduler", async () => (await work()).start),
    delete: lazy("Delete a task and all below it", async () => (await changes()).remove),
    restore: lazy("Bring a deleted task back", async () => (await changes()).restore),
    subtree: lazy("Show a task and all below it", async () => (await lists()).subtree),
    ancestors: lazy("List what a task is a part of", async () => (await lists()).ancestors),
    children: lazy("List the parts of a task", async () => (await lists()).children),
    reparent: lazy("Move a task in the tree", async () => (await changes()).reparent),
    tag: lazy("Words to find tasks by", async () => (await import("./task_tag_verbs.ts")).taskTag),
    history: lazy("Show what changed of a task", async () => (await lists()).history),
    bulk: lazy(
      "One change of many tasks, each for itself; exit status 1 when one could not be changed",
      async () => (await import("./task_bulk_verbs.ts")).taskBulk,
    ),
  },
  examples: [
    "conclaude task create --title 'Refuse expired tokens' --priority 1 --tags auth",
    "conclaude task claim --next --agent-id worker-1",
    "conclaude task complete 1a2b3c4d --agent-id worker-1 --summary 'Expired tokens get a 401'",
  ],
});
