import type { BulkFlags, PriorityFlags, TagFlags } from "../actions/task_bulk.ts";
import { command, group, someText } from "../command.ts";
import { AGENT_FLAG, anyText, switchFlag, tagWords } from "./task_flags.ts";

const load = () => import("../actions/task_bulk.ts");

const MANY_TASKS = {
  kind: "array",
  parameter: { parse: someText, brief: "The tasks, by their ids", placeholder: "id" },
} as const;

const COMMON = {
  stdin: switchFlag("Read the ids from stdin, with spaces or line breaks between"),
  agentId: AGENT_FLAG,
} as const;

const TAGS = {
  kind: "parsed",
  parse: tagWords,
  brief: "The tags, with commas between",
  placeholder: "tags",
} as const;

/** `conclaude task bulk …` */
export const TASK_BULK = group({
  verbs: {
    close: command<BulkFlags, string[]>({
      load: async () => (await load()).closeAll,
      parameters: { positional: MANY_TASKS, flags: COMMON },
      brief: "Close tasks",
      about: "Closes tasks as `task complete` does, each for itself.",
      examples: ["conclaude task bulk close 1a2b3c4d 5e6f7a8b --agent-id worker-1"],
    }),
    delete: command<BulkFlags, string[]>({
      load: async () => (await load()).deleteAll,
      parameters: { positional: MANY_TASKS, flags: COMMON },
      brief: "Delete tasks",
      about: "Deletes tasks as `task delete` does, each for itself.",
      examples: ["conclaude task bulk delete 1a2b3c4d 5e6f7a8b"],
    }),
    setPriority: command<PriorityFlags, string[]>({
      load: async () => (await load()).setPriorities,
      parameters: {
        positional: MANY_TASKS,
        flags: {
          priority: {
            kind: "parsed",
            parse: anyText,
            brief: "How urgent they are: 0 (most) to 4",
            placeholder: "n",
          },
          ...COMMON,
        },
      },
      brief: "Give tasks a priority",
      about: "Gives tasks a priority, each for itself.",
      examples: ["conclaude task bulk set-priority --priority 1 1a2b3c4d 5e6f7a8b"],
    }),
    addTags: command<TagFlags, string[]>({
      load: async () => (await load()).tagAll("add"),
      parameters: { positional: MANY_TASKS, flags: { tags: TAGS, ...COMMON } },
      brief: "Add tags to tasks",
      about: "Adds tags to tasks, each for itself.",
      examples: ["conclaude task bulk add-tags --tags auth,urgent --stdin < ids.txt"],
    }),
    removeTags: command<TagFlags, string[]>({
      load: async () => (await load()).tagAll("remove"),
      parameters: { positional: MANY_TASKS, flags: { tags: TAGS, ...COMMON } },
      brief: "Remove tags from tasks",
      about: "Removes tags from tasks, each for itself.",
      examples: ["conclaude task bulk remove-tags --tags urgent 1a2b3c4d 5e6f7a8b"],
    }),
  },
  brief: "One change of many tasks, each for itself; exit status 1 when one could not be changed",
  examples: ["conclaude task bulk set-priority --priority 1 1a2b3c4d 5e6f7a8b"],
});
