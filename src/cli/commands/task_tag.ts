import { command, group, someText } from "../command.ts";
import type { ByFlag } from "../task_lookup.ts";
import { AGENT_FLAG, ONE_TASK } from "./task_flags.ts";

type NoFlags = Readonly<Record<never, never>>;
type IdAndTags = [id: string, ...tags: string[]];

const load = () => import("../actions/task.ts");

/** The task, then its tags. */
function idAndTags(minimum: number) {
  return {
    kind: "array",
    parameter: {
      parse: someText,
      brief: "The task, then the tags, with spaces or commas between",
      placeholder: "id and tags",
    },
    minimum,
  } as const;
}

/** `conclaude task tag …` */
export const TASK_TAG = group({
  verbs: {
    add: command<ByFlag, IdAndTags>({
      load: async () => (await load()).tagTask("add"),
      parameters: { positional: idAndTags(2), flags: { agentId: AGENT_FLAG } },
      brief: "Add tags",
      about: "Adds tags to a task; those that it has already change nothing.",
      examples: ["conclaude task tag add 1a2b3c4d auth area/login"],
    }),
    remove: command<ByFlag, IdAndTags>({
      load: async () => (await load()).tagTask("remove"),
      parameters: { positional: idAndTags(2), flags: { agentId: AGENT_FLAG } },
      brief: "Remove tags",
      about: "Removes tags from a task; those that it does not have change nothing.",
      examples: ["conclaude task tag remove 1a2b3c4d auth"],
    }),
    set: command<ByFlag, IdAndTags>({
      load: async () => (await load()).tagTask("set"),
      parameters: { positional: idAndTags(1), flags: { agentId: AGENT_FLAG } },
      brief: "Give a task these tags and no others",
      about: "Gives a task these tags and no others; without any it has none.",
      examples: ["conclaude task tag set 1a2b3c4d auth,urgent"],
    }),
    list: command<NoFlags, [id?: string]>({
      load: async () => (await load()).showTags,
      parameters: {
        positional: {
          kind: "tuple",
          parameters: [{ ...ONE_TASK.parameters[0], optional: true }],
        },
        flags: {},
      },
      brief: "List tags",
      about: "Lists the tags of a task, or every tag that a task has.",
      examples: ["conclaude task tag list", "conclaude task tag list 1a2b3c4d --json"],
    }),
  },
  brief: "Words to find tasks by",
  examples: ["conclaude task tag add 1a2b3c4d auth", "conclaude task tag list"],
});
