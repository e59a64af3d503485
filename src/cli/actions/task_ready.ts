import { takeBackToLook } from "../../store/task_claims.ts";
import { listReady } from "../../store/tasks.ts";
import type { CliContext } from "../context.ts";
import { openStore } from "../store.ts";
import { projectOfTasks } from "../task_lookup.ts";
import { pageOfTasks } from "../task_view.ts";
import type { View } from "../view.ts";

/** How many, and of which projects. */
export type ReadyFlags = { readonly allProjects: boolean; readonly limit: number };

/** `conclaude task ready` */
export async function listNext(
  context: CliContext,
  flags: ReadyFlags,
): Promise<View> {
  const { db } = await openStore(context, "read");
  // What `task claim --next` would take has to be here.
  takeBackToLook(db, Date.now());
  const found = listReady(db, { project: projectOfTasks(context, flags), limit: flags.limit + 1 });
  return pageOfTasks(found, {
    ...flags,
    globals: context.globals,
    empty: "Nothing is ready.",
    onwards: "--limit",
  });
}
