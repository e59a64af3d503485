import { decideStop, prepareStop, type StopDecision } from "../gate/stop_requirements.ts";
import type { RequirementPolicy } from "../requirement/policy.ts";
import { applyChanges } from "../store/requirements.ts";
import type { Answer, HookWork } from "./handler.ts";

/** Judges a stop. @param metadata What is noted of it anyway. @returns Null when Claude may stop. */
export async function judgeStop(
  work: HookWork,
  metadata: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  const policy: RequirementPolicy = JSON.parse(work.config.requirements);
  const prepared = await prepareStop(policy, work);
  let decision: StopDecision = { open: [], reason: "" };
  await work.save((db) => {
    if (prepared === null || db === null) return { metadata };
    decision = decideStop(prepared, db);
    const rules = decision.open.map(({ requirement }) => `requirements.${requirement.name}`);
    return {
      ...(rules.length > 0 ? { status: "blocked", errorMessage: rules.join(", ") } : {}),
      metadata: rules.length > 0 ? { ...metadata, rules } : metadata,
      ...(prepared.changes.length > 0 ? { changes: prepared.changes } : {}),
    };
  }, applyChanges);
  return decision.open.length === 0 ? null : { decision: "block", reason: decision.reason };
}
