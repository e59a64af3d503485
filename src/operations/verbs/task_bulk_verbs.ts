/** `conclaude task bulk …`: one change of many tasks. A task that cannot be changed does not stop the others. */
import { count } from "../../base/counts.ts";
import { isUserError } from "../../base/errors.ts";
import { checkPriority, checkTags } from "../../work/task_input.ts";
import { transaction } from "../../db/transaction.ts";
import {
  type Author,
  changeTags,
  changeTask,
  completeTask,
  deleteTask,
  needTask,
} from "../../work/store.ts";
import {
  AGENT_FLAG,
  anyText,
  type Parameter,
  parsed,
  proposing,
  switchOn,
  tagsOf,
  text,
  type Values,
} from "../flags.ts";
import { beginChange, taskIdOf } from "../work_lookup.ts";
import { readStdin } from "../task_text.ts";
import { shortTaskId } from "../task_view.ts";
import { usageError } from "../usage.ts";
import { group, many, verb } from "../verb.ts";
import type { View } from "../view.ts";
import type { DatabaseSync } from "node:sqlite";

const COMMON = {
  stdin: switchOn("Read the ids from stdin, with spaces or line breaks between"),
  agentId: AGENT_FLAG,
} as const;

const TAGS = { tags: parsed(tagsOf, "The tags, with commas between", "tags") };
const PRIORITY = { priority: parsed(anyText, "How urgent they are: 0 (most) to 4", "n") };

type Change = (db: DatabaseSync, id: string, author: Author) => unknown;

/** Makes a verb that changes many tasks. @param changeOf Checks the flags and returns the change of one task. */
function bulkVerb<const Flags extends Readonly<Record<string, Parameter>>>(
  name: string,
  { flags, example = "1a2b3c4d 5e6f7a8b", changeOf, ...help }: {
    readonly flags: Flags;
    readonly brief: string;
    readonly about: string;
    readonly example?: string;
    readonly changeOf: (flags: Values<Flags>, mask: (text: string) => string) => Change;
  },
) {
  return verb({
    args: many(proposing("task", text("The tasks, by their ids", "id"))),
    flags: { ...flags, ...COMMON },
    ...help,
    examples: [`conclaude task bulk ${name} ${example}`],
    async run(context, all, ...given: string[]) {
      const flags = all as unknown as Values<Flags> & Values<typeof COMMON>;
      const ids = flags.stdin ? readStdin(context).split(/\s+/).filter(Boolean) : given;
      if (ids.length === 0) {
        throw usageError("Cannot tell which tasks are meant", {
          why: flags.stdin ? "stdin holds no id" : "there is no id",
          next: `conclaude task bulk ${name} --help`,
        });
      }
      const { by, db, mask } = await beginChange(context, flags, "change tasks");
      return changeEach(db, ids, { by, change: changeOf(flags, mask) });
    },
  });
}

function tagChange(kind: "add" | "remove") {
  return (flags: Values<typeof TAGS>, mask: (text: string) => string): Change => {
    const tags = checkTags(flags.tags.map(mask));
    return (db, id, author) => changeTags(db, id, { kind, tags }, author);
  };
}

export const taskBulk = group({
  verbs: {
    close: bulkVerb("close", {
      flags: {},
      brief: "Close tasks",
      about: "Closes tasks as `task complete` does, each for itself.",
      example: "1a2b3c4d 5e6f7a8b --agent-id worker-1",
      changeOf: () => (db, id, author) =>
        completeTask(db, id, { ...author, token: null, summary: null }),
    }),
    delete: bulkVerb("delete", {
      flags: {},
      brief: "Delete tasks",
      about: "Deletes tasks as `task delete` does, each for itself.",
      changeOf: () => (db, id, author) => deleteTask(db, id, { ...author, hard: false }),
    }),
    setPriority: bulkVerb("set-priority", {
      flags: PRIORITY,
      brief: "Give tasks a priority",
      about: "Gives tasks a priority, each for itself.",
      example: "--priority 1 1a2b3c4d 5e6f7a8b",
      changeOf(flags) {
        const priority = checkPriority(flags.priority, "conclaude task bulk set-priority --help");
        return (db, id, author) => changeTask(db, needTask(db, id), { priority }, author);
      },
    }),
    addTags: bulkVerb("add-tags", {
      flags: TAGS,
      brief: "Add tags to tasks",
      about: "Adds tags to tasks, each for itself.",
      example: "--tags auth,urgent --stdin < ids.txt",
      changeOf: tagChange("add"),
    }),
    removeTags: bulkVerb("remove-tags", {
      flags: TAGS,
      brief: "Remove tags from tasks",
      about: "Removes tags from tasks, each for itself.",
      example: "--tags urgent 1a2b3c4d 5e6f7a8b",
      changeOf: tagChange("remove"),
    }),
  },
  examples: ["conclaude task bulk set-priority --priority 1 1a2b3c4d 5e6f7a8b"],
});

function changeEach(
  db: DatabaseSync,
  ids: readonly string[],
  { by, change }: { readonly by: string; readonly change: Change },
): View {
  const results = ids.map((text) => {
    try {
      return transaction(db, () => {
        const id = taskIdOf(db, text);
        change(db, id, { by, atMs: Date.now() });
        return { id, ok: true };
      });
    } catch (thrown) {
      if (!isUserError(thrown)) throw thrown;
      const { what, why, next, exitCode: code, reason } = thrown;
      const error = { what, why, next, code, ...reason !== null && { reason } };
      return { id: text, ok: false, error };
    }
  });
  const failed = results.flatMap((one) => "error" in one ? [one] : []);
  return {
    json: { results },
    text: [
      `${results.length - failed.length} of ${count(results.length, "task")} done.`,
      ...failed.map(({ id, error }) => `${shortTaskId(id)}: ${error.what}; ${error.why}`),
    ].join("\n"),
    exitCode: failed.length === 0 ? 0 : 1,
  };
}
