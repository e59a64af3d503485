/** Makes refusals about tasks, agents, workflows and questions, for the command line and the API. */
import { UserError } from "../base/errors.ts";

/** The exit status of the command line, and the status of an HTTP response. */
export const REFUSALS = {
  TASK_NOT_FOUND: { exitCode: 10, httpStatus: 404 },
  PARENT_NOT_FOUND: { exitCode: 10, httpStatus: 404 },
  DEPENDENCY_NOT_FOUND: { exitCode: 10, httpStatus: 404 },
  AGENT_NOT_FOUND: { exitCode: 10, httpStatus: 404 },
  WORKFLOW_NOT_FOUND: { exitCode: 10, httpStatus: 404 },
  QUESTION_NOT_FOUND: { exitCode: 10, httpStatus: 404 },
  NOT_FOUND: { exitCode: 10, httpStatus: 404 },
  AMBIGUOUS_ID: { exitCode: 2, httpStatus: 400 },
  INVALID_INPUT: { exitCode: 2, httpStatus: 400 },
  INVALID_TITLE: { exitCode: 2, httpStatus: 400 },
  INVALID_PRIORITY: { exitCode: 2, httpStatus: 400 },
  INVALID_TYPE: { exitCode: 2, httpStatus: 400 },
  INVALID_TAG: { exitCode: 2, httpStatus: 400 },
  INVALID_STATUS: { exitCode: 11, httpStatus: 409 },
  INVALID_TRANSITION: { exitCode: 11, httpStatus: 400 },
  TASK_ACTIVE: { exitCode: 11, httpStatus: 409 },
  HAS_OPEN_CHILDREN: { exitCode: 11, httpStatus: 409 },
  HAS_ACTIVE_CHILDREN: { exitCode: 11, httpStatus: 409 },
  ALREADY_CLAIMED: { exitCode: 12, httpStatus: 409 },
  NOT_CLAIM_OWNER: { exitCode: 13, httpStatus: 403 },
  WOULD_CREATE_CYCLE: { exitCode: 14, httpStatus: 400 },
  ALREADY_ANSWERED: { exitCode: 11, httpStatus: 409 },
  WORKFLOW_INVALID: { exitCode: 1, httpStatus: 400 },
  TEAM_UNREACHED: { exitCode: 1, httpStatus: 503 },
  MERGE_CONFLICTS: { exitCode: 1, httpStatus: 409 },
  MERGE_FAILED: { exitCode: 1, httpStatus: 409 },
} as const;

export type Refusal = keyof typeof REFUSALS;

/** Makes the error of a refusal. @param message.details Facts for programs, such as who holds a claim. */
export function refusal(
  reason: Refusal,
  message: {
    readonly what: string;
    readonly why: string;
    readonly next: string;
    readonly details?: Readonly<Record<string, unknown>>;
    /** The exit status, when it is not the usual one of the reason. */
    readonly exitCode?: number;
  },
): UserError {
  const { what, ...rest } = message;
  return new UserError(what, { exitCode: REFUSALS[reason].exitCode, ...rest, reason });
}

/** What may be missing: the reason, the noun, the name of its id in the details, and the command that lists it. */
const NOT_FOUND = {
  task: ["TASK_NOT_FOUND", "task", "taskId", "task list"],
  parent: ["PARENT_NOT_FOUND", "task", "parentId", "task list"],
  dependency: ["DEPENDENCY_NOT_FOUND", "task", "dependsOn", "task list"],
  agent: ["AGENT_NOT_FOUND", "agent", "agentId", "agent list --all"],
  workflow: ["WORKFLOW_NOT_FOUND", "workflow", "workflowId", "workflow list"],
  question: ["QUESTION_NOT_FOUND", "question", "questionId", "question list"],
} as const;

const ROLES: Readonly<Record<string, string>> = {
  parent: " to be the parent",
  dependency: " to depend on",
};

export function notFound(
  kind: keyof typeof NOT_FOUND,
  id: string | null,
  { isDeleted = false, why }: { readonly isDeleted?: boolean; readonly why?: string } = {},
): UserError {
  const [reason, name, key, list] = NOT_FOUND[kind];
  const cause = why ?? (isDeleted ? "it was deleted" : `no ${name} has this id`);
  return refusal(reason, {
    what: `There is no ${name} "${id}"${ROLES[kind] ?? ""}`,
    why: `${cause}; nothing was changed`,
    next: `conclaude ${isDeleted ? `task restore ${id}` : list}`,
    details: { [key]: id },
  });
}
