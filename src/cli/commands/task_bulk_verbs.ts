/** The same change of many tasks, each for itself: one that cannot be changed does not keep the others from it. */
import { count } from "../../counts.ts";
import { isUserError } from "../../errors.ts";
import { checkPriority, checkTags } from "../../orchestration/task_input.ts";
import { transaction } from "../../store/database.ts";
import { type Author, changeTags, changeTask, needTask } from "../../store/task_changes.ts";
import { completeTask } from "../../store/task_life.ts";
import { deleteTask } from "../../store/task_tree.ts";
import type { CliContext } from "../context.ts";
import { AGENT_FLAG, anyText, parsed, switchOn, tagsOf, text } from "../flags.ts";
import { openKeptStore } from "../store.ts";
import { authorOf, type ByFlag } from "../task_lookup.ts";
import { maskerOf, readStdin } from "../task_text.ts";
import { shortTaskId } from "../task_view.ts";
import { usageError } from "../usage.ts";
import { group, many, verb } from "../verb.ts";
import type { View } from "../view.ts";
import { taskIdOf } from "../work_lookup.ts";
import type { DatabaseSync } from "node:sqlite";

const MANY_TASKS = many(text("The tasks, by their ids", "id"));

const COMMON = {
  stdin: switchOn("Read the ids from stdin, with spaces or line breaks between"),
  agentId: AGENT_FLAG,
} as const;

const TAGS = parsed(tagsOf, "The tags, with commas between", "tags");

const close = verb({
  args: MANY_TASKS,
  flags: COMMON,
  brief: "Close tasks",
  about: "Closes tasks as `task complete` does, each for itself.",
  examples: ["conclaude task bulk close 1a2b3c4d 5e6f7a8b --agent-id worker-1"],
  run(context, flags, ...ids) {
    return each(
      context,
      { flags, ids, verb: "close" },
      () => (db, id, author) => completeTask(db, id, { ...author, token: null, summary: null }),
    );
  },
});

const deleteAll = verb({
  args: MANY_TASKS,
  flags: COMMON,
  brief: "Delete tasks",
  about: "Deletes tasks as `task delete` does, each for itself.",
  examples: ["conclaude task bulk delete 1a2b3c4d 5e6f7a8b"],
  run(context, flags, ...ids) {
    return each(
      context,
      { flags, ids, verb: "delete" },
      () => (db, id, author) => deleteTask(db, id, { ...author, hard: false }),
    );
  },
});

const setPriority = verb({
  args: MANY_TASKS,
  flags: { priority: parsed(anyText, "How urgent they are: 0 (most) to 4", "n"), ...COMMON },
  brief: "Give tasks a priority",
  about: "Gives tasks a priority, each for itself.",
  examples: ["conclaude task bulk set-priority --priority 1 1a2b3c4d 5e6f7a8b"],
  run(context, flags, ...ids) {
    const priority = checkPriority(flags.priority, "conclaude task bulk set-priority --help");
    return each(
      context,
      { flags, ids, verb: "set-priority" },
      () => (db, id, author) => changeTask(db, needTask(db, id), { priority }, author),
    );
  },
});

const addTags = verb({
  args: MANY_TASKS,
  flags: { tags: TAGS, ...COMMON },
  brief: "Add tags to tasks",
  about: "Adds tags to tasks, each for itself.",
  examples: ["conclaude task bulk add-tags --tags auth,urgent --stdin < ids.txt"],
  run: tagAll("add"),
});

const removeTags = verb({
  args: MANY_TASKS,
  flags: { tags: TAGS, ...COMMON },
  brief: "Remove tags from tasks",
  about: "Removes tags from tasks, each for itself.",
  examples: ["conclaude task bulk remove-tags --tags urgent 1a2b3c4d 5e6f7a8b"],
  run: tagAll("remove"),
});

export const taskBulk = group({
  verbs: { close, delete: deleteAll, setPriority, addTags, removeTags },
  examples: ["conclaude task bulk set-priority --priority 1 1a2b3c4d 5e6f7a8b"],
});

type BulkFlags = ByFlag & {
  readonly stdin: boolean;
};

type TagFlags = BulkFlags & { readonly tags: readonly string[] };

interface Result {
  readonly id: string;
  readonly ok: boolean;
  readonly error?: {
    readonly what: string;
    readonly why: string;
    readonly next: string;
    readonly code: number;
    readonly reason?: string;
  };
}

type Change = (db: DatabaseSync, id: string, author: Author) => unknown;

function tagAll(kind: "add" | "remove") {
  return (context: CliContext, flags: TagFlags, ...ids: string[]): Promise<View> =>
    each(context, { flags, ids, verb: `${kind}-tags` }, (mask) => {
      const tags = checkTags(flags.tags.map(mask));
      return (db, id, author) => changeTags(db, id, { kind, tags }, author);
    });
}

async function each(
  context: CliContext,
  asked: { readonly flags: BulkFlags; readonly ids: readonly string[]; readonly verb: string },
  changeOf: (mask: (text: string) => string) => Change,
): Promise<View> {
  const { flags, verb } = asked;
  const by = authorOf(context, flags);
  const given = flags.stdin
    ? readStdin(context).split(/\s+/).filter((word) => word !== "")
    : asked.ids;
  if (given.length === 0) {
    throw usageError("Cannot tell which tasks are meant", {
      why: flags.stdin ? "stdin holds no id" : "there is no id",
      next: `conclaude task bulk ${verb} --help`,
    });
  }
  const { db, place } = await openKeptStore(context, "change tasks");
  const change = changeOf(await maskerOf(place.config));
  const results = given.map((text): Result => {
    try {
      return transaction(db, () => {
        const id = taskIdOf(db, text);
        change(db, id, { by, atMs: Date.now() });
        return { id, ok: true };
      });
    } catch (thrown) {
      if (!isUserError(thrown)) throw thrown;
      const { what, why, next, exitCode: code, reason } = thrown;
      return {
        id: text,
        ok: false,
        error: { what, why, next, code, ...(reason === null ? {} : { reason }) },
      };
    }
  });
  const failed = results.filter(({ ok }) => !ok);
  const lines = failed.map(({ id, error }) => `${shortTaskId(id)}: ${error?.what}; ${error?.why}`);
  return {
    json: { results },
    text: [`${results.length - failed.length} of ${count(results.length, "task")} done.`, ...lines]
      .join("\n"),
    exitCode: failed.length === 0 ? 0 : 1,
  };
}
