/** The same change of many tasks, each for itself: one that cannot be changed does not keep the others from it. */
import { count } from "../../counts.ts";
import type { DatabaseSync } from "node:sqlite";
import { isUserError } from "../../errors.ts";
import { checkPriority, checkTags } from "../../orchestration/task_input.ts";
import { transaction } from "../../store/database.ts";
import { type Author, changeTask, needTask } from "../../store/task_changes.ts";
import { completeTask } from "../../store/task_life.ts";
import { changeTags } from "../../store/task_tags.ts";
import { deleteTask } from "../../store/task_tree.ts";
import type { CliContext } from "../context.ts";
import { openKeptStore } from "../store.ts";
import { taskIdOf } from "../id_lookup.ts";
import { authorOf, type ByFlag } from "../task_lookup.ts";
import { maskerOf, readStdin } from "../task_text.ts";
import { shortTaskId } from "../task_view.ts";
import { usageError } from "../usage.ts";
import type { View } from "../view.ts";

/** What every verb of `task bulk` takes. */
export type BulkFlags = ByFlag & {
  readonly stdin: boolean;
};

/** Which priority they get. */
export type PriorityFlags = BulkFlags & { readonly priority: string };

/** Which tags it is about. */
export type TagFlags = BulkFlags & { readonly tags: readonly string[] };

/** What became of one task. */
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

/** `conclaude task bulk close IDS…` */
export function closeAll(context: CliContext, flags: BulkFlags, ...ids: string[]): Promise<View> {
  return each(
    context,
    { flags, ids, verb: "close" },
    () => (db, id, author) => completeTask(db, id, { ...author, token: null, summary: null }),
  );
}

/** `conclaude task bulk delete IDS…` */
export function deleteAll(context: CliContext, flags: BulkFlags, ...ids: string[]): Promise<View> {
  return each(
    context,
    { flags, ids, verb: "delete" },
    () => (db, id, author) => deleteTask(db, id, { ...author, hard: false }),
  );
}

/** `conclaude task bulk set-priority IDS…` */
export function setPriorities(
  context: CliContext,
  flags: PriorityFlags,
  ...ids: string[]
): Promise<View> {
  const priority = checkPriority(flags.priority, "conclaude task bulk set-priority --help");
  return each(
    context,
    { flags, ids, verb: "set-priority" },
    () => (db, id, author) => changeTask(db, needTask(db, id), { priority }, author),
  );
}

/** `conclaude task bulk add-tags|remove-tags IDS…` */
export function tagAll(kind: "add" | "remove") {
  return (
    context: CliContext,
    flags: TagFlags,
    ...ids: string[]
  ): Promise<View> =>
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
      .join(
        "\n",
      ),
    exitCode: failed.length === 0 ? 0 : 1,
  };
}
