/** `conclaude task bulk …`: one change of many tasks. A task that cannot be changed does not stop the others. */
import { count } from "../../base/counts.ts";
import { isUserError } from "../../base/errors.ts";
import { transaction } from "../../db/transaction.ts";
import * as work from "../../work/store.ts";
import {
  type Parameter,
  parsed,
  proposing,
  SHARED,
  switchOn,
  tagsOf,
  text,
  type Values,
} from "../flags.ts";
import { beginChange, taskIdOf } from "../work_lookup.ts";
import { cleanFields, readStdin } from "../task_text.ts";
import { shortTaskId } from "../task_view.ts";
import { kebab, usageError } from "../usage.ts";
import { group, many, verb, type View } from "../verb.ts";
import type { DatabaseSync } from "node:sqlite";

const COMMON = {
  stdin: switchOn("Read the ids from stdin, with spaces or line breaks between"),
  agentId: SHARED.agentId,
} as const;

const TAGS = { tags: parsed(tagsOf, "The tags, with commas between", "tags") };

/** The input of a change of many tasks, checked and with secrets masked. */
interface BulkInput {
  readonly tags?: readonly string[] | undefined;
  readonly priority?: number | undefined;
  /** Whether a task is deleted for good. */
  readonly hard?: boolean | undefined;
}

export interface BulkChange {
  readonly flags: Readonly<Record<string, Parameter>>;
  /** Changes one task in the caller's transaction. */
  readonly change: (db: DatabaseSync, id: string, given: BulkInput & work.Author) => unknown;
}

/** The table of changes of many tasks, for the verbs and for the daemon's routes. */
export const BULK_CHANGES = {
  close: {
    flags: {},
    change: (db, id, author) =>
      work.completeTask(db, id, { ...author, token: null, summary: null }),
  },
  delete: {
    flags: {},
    change: (db, id, { hard = false, ...author }) => work.deleteTask(db, id, { ...author, hard }),
  },
  setPriority: {
    flags: { priority: parsed(String, "How urgent they are: 0 (most) to 4", "n") },
    change: (db, id, { priority, ...author }) =>
      work.changeTask(db, work.needTask(db, id), { priority }, author),
  },
  addTags: {
    flags: TAGS,
    change: (db, id, { tags = [], ...author }) =>
      work.changeTags(db, id, { kind: "add", tags }, author),
  },
  removeTags: {
    flags: TAGS,
    change: (db, id, { tags = [], ...author }) =>
      work.changeTags(db, id, { kind: "remove", tags }, author),
  },
} as const satisfies Readonly<Record<string, BulkChange>>;

function bulkVerb(name: string, { flags, change }: BulkChange) {
  const usage = `conclaude task bulk ${kebab(name)}`;
  return verb({
    args: many(proposing("task", text("The tasks, by their ids", "id"))),
    flags: { ...flags, ...COMMON },
    async run(context, all, ...given: string[]) {
      const { tags, priority, ...flags } = all as unknown as Values<typeof COMMON> & {
        readonly tags?: readonly string[];
        readonly priority?: string;
      };
      const ids = flags.stdin ? readStdin(context).split(/\s+/).filter(Boolean) : given;
      if (ids.length === 0) {
        throw usageError("Cannot tell which tasks are meant", {
          why: flags.stdin ? "stdin holds no id" : "there is no id",
          next: `${usage} --help`,
        });
      }
      const { by, db, mask } = await beginChange(context, flags, "change tasks");
      const input: BulkInput = cleanFields({ tags, priority }, { mask, next: `${usage} --help` });
      return bulkView(changeEach(db, ids, (text) => {
        const id = taskIdOf(db, text);
        change(db, id, { by, atMs: Date.now(), ...input });
        return id;
      }));
    },
  });
}

export const taskBulk = group(Object.fromEntries(
  Object.entries(BULK_CHANGES).map(([name, change]) => [name, bulkVerb(name, change)]),
));

/** Changes each task in its own transaction. @param change Returns the task's id. @returns Each id, with its error. */
export function changeEach(
  db: DatabaseSync,
  ids: readonly string[],
  change: (text: string) => string,
) {
  return ids.map((text) => {
    try {
      return { id: transaction(db, () => change(text)), error: null };
    } catch (thrown) {
      if (!isUserError(thrown)) throw thrown;
      return { id: text, error: thrown };
    }
  });
}

function bulkView(results: ReturnType<typeof changeEach>): View {
  const failed = results.flatMap(({ id, error }) => error === null ? [] : [{ id, error }]);
  return {
    json: {
      results: results.map(({ id, error }) => {
        if (error === null) return { id, ok: true };
        const { what, why, next, exitCode: code, reason } = error;
        return {
          id,
          ok: false,
          error: { what, why, next, code, ...reason !== null && { reason } },
        };
      }),
    },
    text: [
      `${results.length - failed.length} of ${count(results.length, "task")} done.`,
      ...failed.map(({ id, error }) => `${shortTaskId(id)}: ${error.what}; ${error.why}`),
    ].join("\n"),
    exitCode: failed.length === 0 ? 0 : 1,
  };
}
