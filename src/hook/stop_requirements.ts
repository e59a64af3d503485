import { decideStop, prepareStop } from "../gate/required_stop.ts";
import type { RequirementPolicy } from "../requirement/policy.ts";
import { transaction } from "../store/database.ts";
import type { HookWork } from "./handler.ts";
import { transcriptOf } from "./protocol.ts";
import { type HeldForRequirements, NOT_HELD } from "./stop_answer.ts";

/** What the requirements say of a stop. Where their state cannot be read, Claude may stop: saving the event says why. */
export async function askRequirements(work: HookWork): Promise<HeldForRequirements> {
  const policy: RequirementPolicy = JSON.parse(work.config.requirements);
  const prepared = await prepareStop(policy, { ...work, transcriptPath: transcriptOf(work.sent) });
  const { db } = work;
  const nothing = { ...NOT_HELD, changes: prepared?.changes ?? [] };
  if (prepared === null || db === null) return nothing;
  try {
    const { names, changes, ...decided } = transaction(db, () => decideStop(prepared, db));
    const rules = names.map((name) => `requirements.${name}`);
    return { ...decided, rules, changes: [...prepared.changes, ...changes] };
  } catch {
    return nothing;
  }
}
