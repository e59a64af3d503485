/** The work of a sub-agent in a working tree of its own, beside what is checked out in the repository's main one. */
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { type Review, reviewTree } from "../../system/git/merge.ts";
import { runGit } from "../../system/git/run_git.ts";
import { exists } from "../../system/on_disk.ts";
import type { Agent } from "../agents_table.ts";
import { refusal } from "../refusal.ts";

/**
 * All work in the tree of an agent, committed or not, since it left the main working tree's commit.
 * @throws {UserError} INVALID_STATUS when there is none to look at.
 */
export async function reviewAgent(agent: Agent): Promise<Review> {
  const { worktree, sessionId } = agent;
  const next = sessionId === null
    ? `conclaude agent show ${agent.id}`
    : `conclaude session log ${sessionId}`;
  if (worktree === null) throw nothingToSee(agent, "it had no working tree of its own", next);
  const repository = exists(worktree) ? findRepository(lookUpwards(worktree)) : undefined;
  if (repository === undefined) {
    throw nothingToSee(agent, `its working tree ${worktree} is gone`, next);
  }
  const main = await runGit(["rev-parse", "HEAD"], { folder: repository.commonDir });
  const commit = main.stdout.trim();
  const review = await reviewTree({ path: repository.root }, { base: commit, target: commit });
  if ("kind" in review) throw nothingToSee(agent, review.why, next);
  return review;
}

function nothingToSee({ id, status }: Agent, why: string, next: string) {
  const details = { agentId: id, currentStatus: status };
  return refusal("INVALID_STATUS", {
    what: `There is no work of agent ${id} to be shown`,
    ...{ why, next, details },
  });
}
