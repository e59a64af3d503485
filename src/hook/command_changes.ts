import { groundFor } from "../policy/requirements/ground.ts";
import { satisfactionsBySkill } from "../policy/requirements/satisfy.ts";
import { requirementPolicyIn } from "../policy/requirements/requirement_policy.ts";
import type { Proof } from "../policy/requirements/standing.ts";
import type { RequirementChange } from "../policy/store.ts";
import type { HookWork } from "./handler.ts";
import { nameOf } from "./protocol.ts";

/** Returns what a slash command satisfies that the person typed: the same as the skill of that name. */
export function changesOfCommand(work: HookWork): RequirementChange[] {
  const ground = groundFor(work);
  const command = nameOf(work.sent["command_name"]);
  if (ground.repository === null || command === null) return [];
  const id = nameOf(work.event.own["prompt_id"]);
  const proof: Proof = { of: "prompt", id, sessionId: work.sessionId, agentId: null };
  const { requirements } = requirementPolicyIn(work.config.requirements);
  return satisfactionsBySkill(requirements, command, { ...work, ground, proof });
}
