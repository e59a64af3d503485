/**
 * What an earlier daemon left: agents that run on are followed again, those that have ended are settled, and what became
 * of those that died is read from their files and their working tree (seed 002).
 */
import type { DatabaseSync } from "node:sqlite";
import { lookAtTree } from "../git/task_trees.ts";
import { endGroupOf } from "../process/start.ts";
import { type Agent, endAgent } from "../store/agents.ts";
import { transaction } from "../store/database.ts";
import { changeTask } from "../store/task_changes.ts";
import { SYSTEM, UNCLAIMED } from "../store/task_claims.ts";
import { readTask } from "../store/tasks.ts";
import { changeWorkflow, readWorkflow, type WorkflowRow } from "../store/workflows.ts";
import { awaitReview, holdsClaim, stop } from "./advance.ts";
import { type AgentFiles, hasBegun, readExit } from "./agent_files.ts";
import { environmentMark, isAlive, isReused } from "./identity.ts";
import { OutputReader } from "./output.ts";
import { takeRest } from "./supervise.ts";

/** What is found of an agent that had not ended as far as was known. */
export type Found =
  /** It has to be started still: it was never let go. */
  | "unstarted"
  /** It runs, and is followed again. */
  | "running"
  /** It has ended, and says how. */
  | "ended"
  /** It is gone without a word. */
  | "dead";

/** Looks at an agent that an earlier daemon started. */
export async function findAgent(agent: Agent, files: AgentFiles): Promise<Found> {
  if (readExit(files) !== null) return "ended";
  if (agent.pid === null) return "unstarted";
  if (await isAlive(agent)) return "running";
  // It may have left while it was looked at.
  if (readExit(files) !== null) return "ended";
  return hasBegun(files) ? "dead" : "unstarted";
}

/**
 * Settles an agent that died while no daemon ran, with all it had started.
 *
 * What lies uncommitted makes its task wait for a person; what the agent has committed is work that a person can review;
 * with neither, nothing was done, and the task is given back to be taken up again at the step that had not finished. A
 * script is run again whatever lies there: it is a check, or leads to the same, and what an agent did before it stays.
 *
 * @returns What a person is to be told; null when nothing.
 */
export async function settleDead(
  db: DatabaseSync,
  agent: Agent,
  { files, mask }: { readonly files: AgentFiles; readonly mask: (text: string) => string },
): Promise<string | null> {
  if (!await isReused(agent)) {
    await endGroupOf(agent.pid!, { graceMs: 500, mark: environmentMark(agent.id) });
  }
  await takeRest(new OutputReader(files, mask), () => {});
  const workflow = agent.workflowId === null ? undefined : readWorkflow(db, agent.workflowId);
  const state = agent.kind === "agent" && workflow?.worktree && workflow.baseBranch
    ? await lookAtTree(workflow.worktree, `refs/heads/${workflow.baseBranch}`, agent.createdAtMs)
    : null;
  const atMs = Date.now();
  return transaction(db, () => {
    const end = (error: string) =>
      endAgent(db, agent.id, { status: "failed", exitCode: null, error, atMs });
    if (workflow === undefined || workflow.status !== "running" || !holdsClaim(db, workflow)) {
      end("daemon restarted");
      return null;
    }
    if (state?.isDirty) {
      const reason = "daemon restarted with uncommitted work";
      end(reason);
      stop(db, workflow, { status: "blocked", key: agent.stepKey, reason, atMs });
      return `${reason}: ${workflow.worktree}`;
    }
    if (state !== null && state.ahead > 0) {
      const reason = "daemon restarted with committed work";
      end(reason);
      awaitReview(db, workflow, {
        reason: `${reason}: approving it takes step ${agent.name} as done`,
        atMs,
      });
      return `work is committed in ${workflow.worktree} and waits for a review`;
    }
    end("daemon restarted");
    giveBack(db, workflow, agent.stepKey, atMs);
    return null;
  });
}

/** Gives a task back to the scheduler, with its workflow as far as it has come. */
function giveBack(
  db: DatabaseSync,
  workflow: WorkflowRow,
  key: string | null,
  atMs: number,
): void {
  changeTask(db, readTask(db, workflow.taskId)!, {
    ...UNCLAIMED,
    status: "open",
    queuedAtMs: atMs,
  }, { by: SYSTEM, atMs });
  changeWorkflow(db, workflow.id, {
    status: "blocked",
    currentStep: key,
    reason: "its agent died while no daemon ran; the scheduler takes it up again",
  }, { event: "workflow.blocked", atMs });
}
