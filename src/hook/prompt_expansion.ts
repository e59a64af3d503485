import { groundFor } from "../policy/requirements/ground.ts";
import { satisfactionsBySkill } from "../policy/requirements/satisfy.ts";
import { requirementPolicyIn } from "../policy/requirements/requirement_policy.ts";
import type { Proof } from "../policy/requirements/standing.ts";
import type { Answer, HookWork } from "./handler.ts";
import { draftOf } from "./other_event.ts";
import { nameOf } from "./protocol.ts";

/** Lets a slash command that the person typed satisfy the same requirements as the skill of that name. */
export async function handle(work: HookWork): Promise<Answer> {
  const draft = await draftOf(work);
  const ground = groundFor(work);
  const command = nameOf(work.sent["command_name"]);
  if (work.config.requirements === "" || ground.repository === null || command === null) {
    await work.save(draft);
    return null;
  }
  const policy = requirementPolicyIn(work.config.requirements);
  const id = nameOf(work.event.own["prompt_id"]);
  const proof: Proof = { of: "prompt", id, sessionId: work.sessionId, agentId: null };
  const changes = satisfactionsBySkill(policy.requirements, command, { ...work, ground, proof });
  await work.save({ ...draft, changes });
  return null;
}
