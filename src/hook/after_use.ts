/** After a tool use: a skill satisfies requirements, an action uses satisfactions up. */
import { groundFor } from "../policy/requirements/ground.ts";
import { usedUp } from "../policy/requirements/used_up.ts";
import { satisfactionsBySkill } from "../policy/requirements/satisfy.ts";
import { standOf } from "../policy/requirements/stand.ts";
import {
  type RequirementPolicy,
  requirementPolicyIn,
} from "../policy/requirements/requirement_policy.ts";
import type { Proof } from "../policy/requirements/standing.ts";
import { usedSkill } from "../policy/requirements/skills.ts";
import { planText } from "../policy/requirements/requirement_text.ts";
import type { RequirementChange } from "../policy/store.ts";
import { askedUse } from "./asked_use.ts";
import type { Answer, HookWork } from "./handler.ts";
import { goesOn, nameOf } from "./protocol.ts";

export interface FollowUp {
  /** To be written with the event. */
  readonly changes: readonly RequirementChange[];
  /** To be called once the event is saved; null when there is nothing to tell. */
  answer(): Promise<Answer>;
}

export async function followUp(work: HookWork): Promise<FollowUp> {
  const { config, sent } = work;
  const policy = requirementPolicyIn(config.requirements);
  const tool = nameOf(sent["tool_name"]) ?? "";
  const changes = await changesOf(work, policy, tool);
  return {
    changes,
    answer: () => tool === "ExitPlanMode" ? answerPlan(work, policy) : Promise.resolve(null),
  };
}

async function changesOf(
  work: HookWork,
  policy: RequirementPolicy,
  tool: string,
): Promise<RequirementChange[]> {
  const ground = groundFor(work);
  const { event, sent, sessionId, db } = work;
  const isReported = event.name === "PostToolUse";
  if (tool === "Skill") {
    const skill = isReported ? usedSkill(sent["tool_input"]) : null;
    if (skill === null) return [];
    const agentId = nameOf(event.own["agent_id"]);
    const proof: Proof = { of: "skill", id: event.toolUseId, sessionId, agentId };
    return satisfactionsBySkill(policy.requirements, skill, { ...work, ground, proof });
  }
  // This counts without a branch too: the command itself may have left the branch.
  const response = sent["tool_response"];
  const hasSucceeded = isReported && Object(response).interrupted !== true && !goesOn(response);
  if (ground.repository === null || !hasSucceeded) return [];
  const repository = ground.kind === "branch"
    ? { ...ground.repository, branch: ground.branch }
    : ground.repository;
  const asked = await askedUse({ ...work, repository });
  if (asked === null) return [];
  const use = { ...asked, toolUseId: event.toolUseId };
  return await usedUp(policy.requirements, use, { repository, db, sessionId });
}

/** A plan was approved: what is still open before it can be carried out. */
async function answerPlan(work: HookWork, policy: RequirementPolicy): Promise<Answer> {
  const db = work.spareDb();
  const ground = groundFor(work);
  if (db === null || ground.kind === "none") return null;
  const gates = policy.requirements.filter(({ stopOnly }) => !stopOnly);
  const { open, to } = await standOf(gates, { ...work, ...ground, db });
  if (open.length === 0) return null;
  const context = planText(open, to);
  return { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: context } };
}
