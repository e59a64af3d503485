/** Steps with one task, each defined once: `task_work_verbs.ts` makes its verb of a row, the daemon its route. */
import type { DatabaseSync } from "node:sqlite";
import type { Refusal } from "../work/refusal.ts";
import type { Task } from "../work/task.ts";
import {
  type Author,
  blockTask,
  claimNext,
  claimTask,
  completeTask,
  type Grant,
  queueTask,
  releaseTask,
  renewTask,
  unblockTask,
} from "../work/store.ts";
import {
  AGENT_FLAG,
  clearingFlag,
  OFFLINE_FLAG,
  type Parameter,
  switchOn,
  text,
  TOKEN_FLAG,
} from "./flags.ts";
import {
  type Asked,
  type Asker,
  askForTask,
  type AskPlace,
  askToKeep,
  sharedTask,
} from "./shared_claims.ts";

/** Who takes a step, and on which terms. */
export interface Terms extends Author {
  /** The number of the claim that is meant; null for any. */
  readonly token: number | null;
  /** Whether somebody else may have the claim, or tasks below a closed one stay open. */
  readonly force: boolean;
  /** Whether the open tasks below are closed as well. */
  readonly withChildren: boolean;
  readonly leaseMs: number;
  /** The summary or the reason, without secrets; null without one. */
  readonly words: string | null;
  /** What the team's server said of the claim, where it was asked. */
  readonly grant?: Grant | null;
}

/** What a step is given by a person or a program; each step takes some of it. */
export interface StepInput {
  readonly claimToken?: number | null | undefined;
  readonly force?: boolean | undefined;
  readonly offline?: boolean | undefined;
  readonly withChildren?: boolean | undefined;
  readonly summary?: string | null | undefined;
  readonly reason?: string | undefined;
}

export interface TaskStep {
  /** What cannot be done where it fails: `renew a claim`. */
  readonly what: string;
  /** Its input: flags of the verb; but for `agentId`, the fields of a request. */
  readonly flags: Readonly<Record<string, Parameter>>;
  readonly errors: readonly Refusal[];
  /** What a team's server has to agree with first, where the task is shared; what other steps do to a claim it is told. */
  readonly asks?: "claim" | "renew" | "complete" | undefined;
  /** Changes the task in the caller's transaction. */
  readonly take: (db: DatabaseSync, id: string, terms: Terms) => Task;
  /** What became of it. */
  readonly told: (name: string, task: Task) => string;
}

/** The refusals of a step that wants the claim. */
export const HOLDER_ERRORS = ["TASK_NOT_FOUND", "NOT_CLAIM_OWNER", "INVALID_TRANSITION"] as const;

export const TASK_STEPS = {
  claim: {
    what: "claim a task",
    flags: { offline: OFFLINE_FLAG, agentId: AGENT_FLAG },
    asks: "claim",
    errors: ["TASK_NOT_FOUND", "ALREADY_CLAIMED", "INVALID_STATUS", "TEAM_UNREACHED"],
    take: claimTask,
    told: (name, task) => `${task.claimedBy} has claimed ${name}, until ${untilText(task)}.`,
  },
  renew: {
    what: "renew a claim",
    flags: { agentId: AGENT_FLAG, claimToken: TOKEN_FLAG, offline: OFFLINE_FLAG },
    asks: "renew",
    errors: [...HOLDER_ERRORS, "TEAM_UNREACHED"],
    take: (db, id, terms) => renewTask(db, id, withGrant(db, id, terms)),
    told: (name, task) => `The claim on ${name} counts until ${untilText(task)}.`,
  },
  release: {
    what: "release a task",
    flags: { force: switchOn("Also another one's"), agentId: AGENT_FLAG },
    errors: HOLDER_ERRORS,
    take: releaseTask,
    told: (name) => `Task ${name} is open again.`,
  },
  complete: {
    what: "complete a task",
    flags: {
      summary: clearingFlag("What was done"),
      withChildren: switchOn("Close the open tasks below it as well"),
      force: switchOn("Leave the tasks below it open"),
      claimToken: TOKEN_FLAG,
      offline: OFFLINE_FLAG,
      agentId: AGENT_FLAG,
    },
    asks: "complete",
    errors: [...HOLDER_ERRORS, "HAS_OPEN_CHILDREN", "HAS_ACTIVE_CHILDREN", "TEAM_UNREACHED"],
    take: (db, id, terms) =>
      completeTask(db, id, { ...withGrant(db, id, terms), summary: terms.words }),
    told: (name) => `Task ${name} is closed.`,
  },
  block: {
    what: "block a task",
    flags: {
      reason: text("Why it cannot go on", "text"),
      claimToken: TOKEN_FLAG,
      agentId: AGENT_FLAG,
    },
    errors: HOLDER_ERRORS,
    take: (db, id, { words, ...terms }) => blockTask(db, id, { ...terms, reason: words ?? "" }),
    told: (name, { reason }) => `Task ${name} is blocked: ${reason}`,
  },
  unblock: {
    what: "unblock a task",
    flags: { agentId: AGENT_FLAG },
    errors: ["TASK_NOT_FOUND", "INVALID_TRANSITION"],
    take: unblockTask,
    told: (name) => `Task ${name} is open again.`,
  },
  start: {
    what: "start a task",
    flags: { agentId: AGENT_FLAG },
    errors: ["TASK_NOT_FOUND", "INVALID_TRANSITION"],
    take: queueTask,
    told: (name) => `Task ${name} is in work already.`,
  },
} as const satisfies Readonly<Record<string, TaskStep>>;

/** Asks a team's server for what a step needs of it. @returns Null where nothing has to be asked. @throws {UserError} */
export async function askBefore(
  place: AskPlace,
  { asks }: Pick<TaskStep, "asks">,
  { id, offline, ...asker }: Asker & Pick<Terms, "token"> & {
    readonly id: string;
    readonly offline: boolean;
  },
): Promise<Asked | null> {
  if (offline || asks === undefined) return null;
  if (asks === "claim") return await askForTask(place, id, asker);
  const shared = sharedTask(place.db, id);
  if (shared === null) return null;
  const grant = await askToKeep(place, shared, { ...asker, what: asks });
  return { id, grant, giveBack: () => Promise.resolve() };
}

/** Claims the first task that is ready, or the one that the server named where it was asked; undefined for none. */
export function takeNext(
  db: DatabaseSync,
  terms: Author & Pick<Terms, "leaseMs">,
  { project, asked }: { readonly project: string | null; readonly asked: Asked | null },
): Task | undefined {
  if (asked === null) return claimNext(db, terms, project);
  return asked.id === null ? undefined : claimTask(db, asked.id, { ...terms, grant: asked.grant });
}

/** Makes the claim here what the server said of it, before it is used. */
function withGrant(db: DatabaseSync, id: string, terms: Terms): Terms {
  const { grant = null } = terms;
  if (grant === null) return terms;
  claimTask(db, id, terms);
  return { ...terms, token: grant.fence, leaseMs: grant.leaseUntilMs - terms.atMs };
}

/** When a claim runs out. */
export function untilText({ leaseUntilMs }: Task): string {
  return new Date(leaseUntilMs ?? 0).toISOString();
}
