/** What is sent to make a task, and the task that it describes. */
import * as z from "zod/mini";
import { findWorkflowFile } from "../../engine/workflow_files.ts";
import { findRepository, lookUpwards } from "../../git/repository.ts";
import {
  checkBody,
  checkPriority,
  checkTags,
  checkTitle,
  checkType,
  checkWorkflowName,
} from "../../orchestration/task_input.ts";
import { isAbsolutePath } from "../../paths.ts";
import { exists } from "../../project/on_disk.ts";
import { inField, invalidInput } from "../input.ts";
import type { Daemon } from "../route.ts";
import { fields } from "../schemas.ts";

/** The body that makes a task. */
export const newTask = z.strictObject({
  title: fields.title,
  body: z.optional(fields.body),
  type: z.optional(fields.type),
  priority: z.optional(fields.priority),
  parentId: z.optional(z.nullable(fields.id)),
  tags: z.optional(fields.tags),
  dependsOn: z.optional(fields.ids),
  workflow: z.optional(z.nullable(fields.name)),
  projectDir: z.optional(z.nullable(fields.path)),
  repository: z.optional(z.nullable(fields.path)),
  start: z.optional(z.boolean()),
});

/** Tags without their secrets, each once. */
export function cleanTags(daemon: Pick<Daemon, "redact">, tags: readonly string[]): string[] {
  return inField("tags", () => checkTags(checkTags(tags).map(daemon.redact)));
}

/** A title without its secrets. */
export function titleOf(daemon: Pick<Daemon, "redact">, title: string): string {
  return inField("title", () => checkTitle(daemon.redact(checkTitle(title))));
}

/** The task that a body makes: checked, without secrets, in its project. */
export function newTaskOf(daemon: Daemon, body: z.output<typeof newTask>, parentId: string | null) {
  return {
    title: titleOf(daemon, body.title),
    body: inField("body", () => checkBody(daemon.redact(checkBody(body.body ?? "")))),
    type: checkType(body.type ?? "task"),
    priority: checkPriority(body.priority ?? 2),
    parentId,
    tags: cleanTags(daemon, body.tags ?? []),
    dependsOn: body.dependsOn ?? [],
    workflow: workflowNameOf(body.workflow ?? null),
    ...placeOf(body, parentId),
    isQueued: body.start ?? false,
  };
}

/** Whether there is a workflow of this name is seen when it begins: only then its project is sure. */
export function workflowNameOf(workflow: string | null): string | null {
  return workflow === null ? null : inField("workflow", () => checkWorkflowName(workflow));
}

/** The project that a task belongs to: the repository is found where only the folder is named. */
function placeOf(body: z.output<typeof newTask>, parentId: string | null) {
  const { projectDir = null, repository = null, workflow = null } = body;
  checkFolder("projectDir", projectDir);
  checkFolder("repository", repository);
  if (projectDir === null) return { projectDir, repository };
  // A part of another task belongs where that one does.
  if (workflow !== null && parentId === null) findWorkflowFile(workflow, projectDir);
  const found = repository === null ? findRepository(lookUpwards(projectDir)) : undefined;
  return {
    projectDir: found?.root ?? projectDir,
    repository: repository ?? found?.commonDir ?? null,
  };
}

function checkFolder(field: string, path: string | null): void {
  if (path === null || isAbsolutePath(path) && exists(path)) return;
  throw invalidInput(field, "it is the absolute path of a folder that is there");
}
