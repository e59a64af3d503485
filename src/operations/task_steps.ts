/** The table of steps with one task. `task_work_verbs.ts` makes a verb from each row, and the daemon a route. */
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
import { clearingFlag, type Parameter, SHARED, switchOn, text } from "./flags.ts";
import {
  type Asked,
  type Asker,
  askForTask,
  type AskPlace,
  askToKeep,
  sharedTask,
} from "./shared_claims.ts";

/** The author of a step and its options. */
export interface Terms extends Author {
  /** The number of the claim that the author holds; null accepts any. */
  readonly token: number | null;
  /** Whether the step ignores another holder's claim, or leaves the tasks below a completed one open. */
  readonly force: boolean;
  /** Whether the open tasks below the task are closed as well. */
  readonly withChildren: boolean;
  readonly leaseMs: number;
  /** The summary or the reason, with secrets masked; null if there is none. */
  readonly words: string | null;
  /** The server's consent to the claim, if the task's project is shared. */
  readonly grant?: Grant | null;
}

/** The options that a person or a program may give; each step uses some of them. */
export interface StepInput {
  readonly claimToken?: number | null | undefined;
  readonly force?: boolean | undefined;
  readonly offline?: boolean | undefined;
  readonly withChildren?: boolean | undefined;
  readonly summary?: string | null | undefined;
  readonly reason?: string | undefined;
}

export interface TaskStep {
  /** The action for error messages: `renew a claim`. */
  readonly what: string;
  /** The flags of the verb. All but `agentId` are also fields of the daemon's request. */
  readonly flags: Readonly<Record<string, Parameter>>;
  /** The refusals of the step, besides that of an unknown task. */
  readonly errors: readonly Refusal[];
  /** The consent that a shared task needs from the team's server first. Steps without it only report to the server. */
  readonly asks?: "claim" | "renew" | "complete" | undefined;
  /** Changes the task in the caller's transaction. */
  readonly take: (db: DatabaseSync, id: string, terms: Terms) => Task;
  readonly describe: (name: string, task: Task) => string;
}

/** The refusals of a step that only the holder of the claim may take. */
const HOLDER_ERRORS = ["NOT_CLAIM_OWNER", "INVALID_TRANSITION"] as const;

const { agentId, claimToken, offline } = SHARED;

export const TASK_STEPS = {
  claim: {
    what: "claim a task",
    flags: { offline, agentId },
    asks: "claim",
    errors: ["ALREADY_CLAIMED", "INVALID_STATUS", "TEAM_UNREACHED"],
    take: claimTask,
    describe: (name, task) => `${task.claimedBy} has claimed ${name}, until ${untilText(task)}.`,
  },
  renew: {
    what: "renew a claim",
    flags: { agentId, claimToken, offline },
    asks: "renew",
    errors: [...HOLDER_ERRORS, "TEAM_UNREACHED"],
    take: (db, id, terms) => renewTask(db, id, withGrant(db, id, terms)),
    describe: (name, task) => `The claim on ${name} counts until ${untilText(task)}.`,
  },
  release: {
    what: "release a task",
    flags: { force: switchOn("Also another one's"), agentId },
    errors: HOLDER_ERRORS,
    take: releaseTask,
    describe: (name) => `Task ${name} is open again.`,
  },
  complete: {
    what: "complete a task",
    flags: {
      summary: clearingFlag("What was done"),
      withChildren: switchOn("Close the open tasks below it as well"),
      force: switchOn("Leave the tasks below it open"),
      claimToken,
      offline,
      agentId,
    },
    asks: "complete",
    errors: [...HOLDER_ERRORS, "HAS_OPEN_CHILDREN", "HAS_ACTIVE_CHILDREN", "TEAM_UNREACHED"],
    take: (db, id, terms) =>
      completeTask(db, id, { ...withGrant(db, id, terms), summary: terms.words }),
    describe: (name) => `Task ${name} is closed.`,
  },
  block: {
    what: "block a task",
    flags: { reason: text("Why it cannot go on", "text"), claimToken, agentId },
    errors: HOLDER_ERRORS,
    take: (db, id, { words, ...terms }) => blockTask(db, id, { ...terms, reason: words ?? "" }),
    describe: (name, { reason }) => `Task ${name} is blocked: ${reason}`,
  },
  unblock: {
    what: "unblock a task",
    flags: { agentId },
    errors: ["INVALID_TRANSITION"],
    take: unblockTask,
    describe: (name) => `Task ${name} is open again.`,
  },
  start: {
    what: "start a task",
    flags: { agentId },
    errors: ["INVALID_TRANSITION"],
    take: queueTask,
    describe: (name) => `Task ${name} is in work already.`,
  },
} as const satisfies Readonly<Record<string, TaskStep>>;

/** Asks the team's server for the consent that a step needs. @returns Null if it needs none. @throws {UserError} */
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

/** Claims the first ready task, or the task that the server chose; returns undefined if there is none. */
export function takeNext(
  db: DatabaseSync,
  terms: Author & Pick<Terms, "leaseMs">,
  { project, asked }: { readonly project: string | null; readonly asked: Asked | null },
): Task | undefined {
  if (asked === null) return claimNext(db, terms, project);
  return asked.id === null ? undefined : claimTask(db, asked.id, { ...terms, grant: asked.grant });
}

/** Makes the local claim agree with the server's grant before the step uses it. */
function withGrant(db: DatabaseSync, id: string, terms: Terms): Terms {
  const { grant = null } = terms;
  if (grant === null) return terms;
  claimTask(db, id, terms);
  return { ...terms, token: grant.fence, leaseMs: grant.leaseUntilMs - terms.atMs };
}

/** Returns the time at which a claim expires. */
export function untilText({ leaseUntilMs }: Task): string {
  return new Date(leaseUntilMs ?? 0).toISOString();
}
