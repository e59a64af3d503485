import type { CreateFlags, MoveFlags, UpdateFlags } from "../actions/task.ts";
import type { DeleteFlags } from "../actions/task_delete.ts";
import { command } from "../command.ts";
import type { ByFlag } from "../task_lookup.ts";
import {
  AGENT_FLAG,
  anyText,
  BODY_FLAGS,
  ONE_TASK,
  switchFlag,
  tagWords,
  textFlag,
  wordsFlag,
} from "./task_flags.ts";

type Id = [id: string];

const load = () => import("../actions/task.ts");
const loadDelete = () => import("../actions/task_delete.ts");

const TYPE = textFlag("What sort of work it is: task, feature, bug", "type");
const PRIORITY = textFlag("How urgent it is: 0 (most) to 4; without it 2", "n");

/** Verbs of `conclaude task` that change what a task is, and where. */
export const TASK_CHANGES = {
  create: command<CreateFlags>({
    load: async () => (await load()).makeTask,
    parameters: {
      flags: {
        title: {
          kind: "parsed",
          parse: anyText,
          brief: "The title, one line",
          placeholder: "text",
        },
        ...BODY_FLAGS,
        type: TYPE,
        priority: PRIORITY,
        parent: textFlag("The task that it is a part of", "id"),
        tags: { ...wordsFlag("Its tags, with commas between", "tags"), parse: tagWords },
        dependsOn: wordsFlag("The tasks that have to be closed first", "ids"),
        workflow: textFlag("The workflow to run; without it the parent's", "name"),
        start: switchFlag("Hand it to the scheduler right away"),
        agentId: AGENT_FLAG,
      },
    },
    brief: "Make a task",
    about:
      "Makes a task, open and unclaimed. It belongs to the repository that it is made in, or else to the folder; a " +
      "part of another task belongs where that one does. Secrets in its texts are masked before they are kept.",
    examples: [
      "conclaude task create --title 'Refuse expired tokens' --type bug --priority 1 --tags auth,api",
      "conclaude task create --title 'Write the tests' --parent 1a2b3c4d --depends-on 5e6f7a8b",
      "conclaude task create --title 'New login page' --body-file login.md --json",
    ],
  }),
  update: command<UpdateFlags, Id>({
    load: async () => (await load()).updateTask,
    parameters: {
      positional: ONE_TASK,
      flags: {
        title: textFlag("The new title"),
        ...BODY_FLAGS,
        type: TYPE,
        priority: textFlag("How urgent it is: 0 (most) to 4", "n"),
        workflow: textFlag("The workflow to run; `none` takes it away", "name"),
        status: textFlag("The new status, where no other verb leads there: open", "status"),
        dependsOn: wordsFlag("Tasks that have to be closed first", "ids"),
        noLongerDependsOn: wordsFlag("Tasks that it need not wait for any more", "ids"),
        agentId: AGENT_FLAG,
      },
    },
    brief: "Change a task",
    about:
      "Changes what is said of a task. --status opens a blocked task again or gives a claimed one back; to what is " +
      "done with a claim, a completion or a merge it names the verb.",
    examples: [
      "conclaude task update 1a2b3c4d --priority 0 --title 'Refuse expired tokens everywhere'",
      "conclaude task update 1a2b3c4d --depends-on 5e6f7a8b",
    ],
  }),
  delete: command<DeleteFlags, Id>({
    load: async () => (await loadDelete()).removeTask,
    parameters: {
      positional: ONE_TASK,
      flags: {
        hard: switchFlag("For good, with its history; asks first"),
        force: switchFlag("Release its claim first, whoever has it"),
        yes: switchFlag("Do not ask"),
        agentId: AGENT_FLAG,
      },
    },
    brief: "Delete a task and all below it",
    about:
      "Deletes a task and all below it. `task restore` brings them back until they are removed after " +
      "`store.taskSoftDeleteDays`. What is in work, or has something below it that is, is not deleted.",
    examples: ["conclaude task delete 1a2b3c4d", "conclaude task delete 1a2b3c4d --hard --yes"],
  }),
  restore: command<ByFlag, Id>({
    load: async () => (await loadDelete()).bringBack,
    parameters: { positional: ONE_TASK, flags: { agentId: AGENT_FLAG } },
    brief: "Bring a deleted task back",
    about: "Brings a deleted task back, with all below it that was deleted with it.",
    examples: ["conclaude task restore 1a2b3c4d"],
  }),
  reparent: command<MoveFlags, Id>({
    load: async () => (await load()).moveTask,
    parameters: {
      positional: ONE_TASK,
      flags: {
        parent: textFlag("The task to move it under", "id"),
        root: switchFlag("Under none"),
        agentId: AGENT_FLAG,
      },
    },
    brief: "Move a task in the tree",
    about: "Moves a task, with all below it, under another one. It cannot be moved below itself.",
    examples: [
      "conclaude task reparent 1a2b3c4d --parent 5e6f7a8b",
      "conclaude task reparent 1a2b3c4d --root",
    ],
  }),
};
