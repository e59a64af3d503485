import { checkPriority, checkStatus, checkType } from "../../orchestration/task_input.ts";
import { listTags, listTasks } from "../../store/tasks.ts";
import type { CliContext } from "../context.ts";
import { openStore } from "../store.ts";
import { knownTaskId } from "../id_lookup.ts";
import { projectOfTasks } from "../task_lookup.ts";
import { pageOfTasks } from "../task_view.ts";
import type { View } from "../view.ts";

/** The word that stands for nobody, and for no task. */
const NONE = "none";

/** Which tasks are wanted. */
export type ListFlags = {
  readonly status?: readonly string[];
  readonly priority?: readonly string[];
  readonly type?: readonly string[];
  readonly tag?: string;
  readonly tagPattern?: string;
  readonly parent?: string;
  readonly claimedBy?: string;
  readonly deleted: boolean;
  readonly allProjects: boolean;
  readonly limit: number;
  readonly offset: number;
};

/** Where the values of the filters are named. */
const HELP = "conclaude task list --help";

/** `conclaude task list` */
export async function listAll(context: CliContext, flags: ListFlags): Promise<View> {
  const { db } = await openStore(context, "read");
  const filter = {
    project: projectOfTasks(context, flags),
    statuses: flags.status?.map((status) => checkStatus(status, HELP)) ?? null,
    priorities: flags.priority?.map((one) => checkPriority(one, HELP)) ?? null,
    types: flags.type?.map((type) => checkType(type, HELP)) ?? null,
    tag: flags.tag ?? null,
    anyTag: flags.tagPattern === undefined ? null : await likeTags(flags.tagPattern, listTags(db)),
    parentId: flags.parent === undefined
      ? null
      : flags.parent === NONE
      ? ""
      : knownTaskId(db, flags.parent),
    claimedBy: flags.claimedBy === NONE ? "" : flags.claimedBy ?? null,
    includeDeleted: flags.deleted,
  };
  const found = listTasks(db, { ...filter, limit: flags.limit + 1, offset: flags.offset });
  return pageOfTasks(found, {
    ...flags,
    globals: context.globals,
    empty: "No tasks here.",
    onwards: "--limit, --offset",
  });
}

/** The library of globs is loaded only where there is one. */
async function likeTags(pattern: string, tags: readonly string[]): Promise<string[]> {
  const { tagsLike } = await import("../../orchestration/tag_pattern.ts");
  return tagsLike(pattern, tags);
}
