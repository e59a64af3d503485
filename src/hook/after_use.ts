/** Updates requirements after a tool use: a skill satisfies them, an action uses their satisfactions up. */
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
import type { Answer, HookWork } from "./handler.ts";
import { goesOn, nameOf, withContext } from "./protocol.ts";

/** Returns the changes to write with the event, and what makes the answer once the event is saved. */
export function followUp(work: HookWork) {
  const policy = requirementPolicyIn(work.config.requirements);
  const tool = nameOf(work.sent["tool_name"]) ?? "";
  return {
    changes: changesOf(work, policy, tool),
    answer: async () => tool === "ExitPlanMode" ? await answerPlan(work, policy) : null,
  };
}

function changesOf(work: HookWork, policy: RequirementPolicy, tool: string): RequirementChange[] {
  const ground = groundFor(work);
  const { event, sent, sessionId } = work;
  const isReported = event.name === "PostToolUse";
  if (tool === "Skill") {
    const skill = isReported ? usedSkill(sent["tool_input"]) : null;
    if (skill === null) return [];
    const agentId = nameOf(event.own["agent_id"]);
    const proof: Proof = { of: "skill", id: event.toolUseId, sessionId, agentId };
    return satisfactionsBySkill(policy.requirements, skill, { ...work, ground, proof });
  }
  // An action counts without a branch too, since the command itself may have left the branch.
  const response = sent["tool_response"];
  const hasSucceeded = isReported && Object(response).interrupted !== true && !goesOn(response);
  return ground.repository !== null && hasSucceeded ? usedUp(event.toolUseId, work) : [];
}

/** Answers an approved plan with the open requirements, which Claude must meet before it carries out the plan. */
async function answerPlan(work: HookWork, policy: RequirementPolicy): Promise<Answer> {
  const db = work.spareDb();
  const ground = groundFor(work);
  if (db === null || ground.kind === "none") return null;
  const gates = policy.requirements.filter(({ stopOnly }) => !stopOnly);
  const { open, to } = await standOf(gates, { ...work, ...ground, db });
  if (open.length === 0) return null;
  return withContext(null, "PostToolUse", planText(open, to));
}
