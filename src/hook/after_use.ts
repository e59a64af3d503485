/** What a tool use that has succeeded means for the requirements: a skill satisfies some, an action uses some up. */
import { gatherFacts, groundOf, requirementsFor } from "../gate/requirements.ts";
import { shortSessionId } from "../ids.ts";
import { openOf } from "../requirement/judge.ts";
import type { RequirementPolicy } from "../requirement/policy.ts";
import { satisfiedBySkill } from "../requirement/satisfy.ts";
import { usedSkill } from "../requirement/skills.ts";
import { planText } from "../requirement/text.ts";
import type { ApplyChanges } from "../store/captures.ts";
import { applyChanges, readOwnStandings, type RequirementChange } from "../store/requirements.ts";
import type { Answer, HookWork } from "./handler.ts";
import { folderOf, nameOf } from "./protocol.ts";

/** What follows from a tool use. */
export interface FollowUp {
  /** To be written with the event, by `apply`. */
  readonly changes: readonly RequirementChange[];
  readonly apply: ApplyChanges;
  /** To be called once the event is saved; null when there is nothing to tell. */
  answer(): Promise<Answer>;
}

/** Finds out what follows from a tool use that was reported with PostToolUse. */
export async function followUp(work: HookWork): Promise<FollowUp> {
  const { config, sent } = work;
  const policy: RequirementPolicy = JSON.parse(config.requirements);
  const tool = nameOf(sent["tool_name"]) ?? "";
  const changes = work.event.name === "PostToolUse" ? await changesOf(work, policy, tool) : [];
  return {
    changes,
    apply: applyChanges,
    answer: () => tool === "ExitPlanMode" ? answerPlan(work, policy) : Promise.resolve(null),
  };
}

async function changesOf(
  work: HookWork,
  policy: RequirementPolicy,
  tool: string,
): Promise<RequirementChange[]> {
  const ground = groundOf(work.repository);
  if (ground.kind === "none") return [];
  const { sent, sessionId, projectDir, home, atMs } = work;
  const key = { repository: ground.repository.commonDir, branch: ground.branch };
  const input = sent["tool_input"];
  if (tool === "Skill") {
    const skill = usedSkill(input);
    return skill === null ? [] : satisfiedBySkill(policy.requirements, skill, { sessionId, atMs })
      .map((told): RequirementChange => ({ kind: "satisfy", ...key, ...told }));
  }
  const singleUse = policy.requirements.filter(({ scope }) => scope === "single_use");
  const use = { tool, input, agents: [], folder: folderOf(sent) ?? projectDir, projectDir, home };
  const { triggered, repository: { branch } } = await requirementsFor(
    singleUse,
    use,
    ground.repository,
  );
  const at = { ...key, branch: branch ?? key.branch };
  return triggered.map(({ name }) => ({ kind: "clear", ...at, requirement: name, sessionId }));
}

/** A plan was approved: what is still open before it can be carried out. */
async function answerPlan(work: HookWork, policy: RequirementPolicy): Promise<Answer> {
  const db = work.spareDb();
  const ground = groundOf(work.repository);
  if (db === null || ground.kind === "none") return null;
  const { sessionId, atMs, projectDir } = work;
  const { repository, branch } = ground;
  const gates = policy.requirements.filter(({ stopOnly }) => !stopOnly);
  const { facts } = await gatherFacts(gates, {
    db,
    repository,
    branch,
    sessionId,
    atMs,
    projectDir,
  });
  const key = { repository: repository.commonDir, branch };
  const open = openOf(gates, readOwnStandings(db, key, sessionId), facts);
  if (open.length === 0) return null;
  const context = planText(open, { session: shortSessionId(sessionId), facts });
  return { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: context } };
}
