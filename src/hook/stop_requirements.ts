/** What requirements say of a stop, and how that is recorded. */
import type { RequirementPolicy } from "../requirement/requirement_policy.ts";
import { transaction } from "../store/database.ts";
import { applyChanges, type RequirementChange } from "../store/requirements.ts";
import { REQUIREMENTS_HELD } from "../store/stop_memory.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";
import { transcriptOf } from "./protocol.ts";

export interface HeldForRequirements {
  /** Why Claude may not stop; empty when they have nothing against it. */
  readonly reason: string;
  readonly rules: readonly string[];
  readonly changes: readonly RequirementChange[];
  readonly notes: Readonly<Record<string, unknown>>;
  readonly notices: readonly string[];
}

/** Requirements have nothing against a stop. */
export const NOT_HELD: HeldForRequirements = {
  reason: "",
  rules: [],
  changes: [],
  notes: {},
  notices: [],
};

/** What is written of it when requirements hold a stop. */
export function heldDraft({ reason, changes }: HeldForRequirements): Draft {
  return {
    ...(reason === "" ? {} : { counters: [REQUIREMENTS_HELD] }),
    ...(changes.length > 0 ? { changes } : {}),
  };
}

/** Records a stop that only requirements may hold. */
export async function saveJudged(
  work: HookWork,
  draft: Draft,
  required: HeldForRequirements,
): Promise<Answer> {
  const { reason, rules } = required;
  await work.save({
    ...draft,
    ...(reason === "" ? {} : {
      status: "blocked",
      errorMessage: rules.join(", "),
      metadata: { ...draft.metadata, rules },
    }),
    ...heldDraft(required),
  }, applyChanges);
  return reason === "" ? null : { decision: "block", reason };
}

/** What the requirements say of a stop. Where their state cannot be read, Claude may stop: saving the event says why. */
export async function askRequirements(work: HookWork): Promise<HeldForRequirements> {
  if (work.config.requirements === "") return NOT_HELD;
  const policy: RequirementPolicy = JSON.parse(work.config.requirements);
  const { decideStop, prepareStop } = await import("../gate/required_stop.ts");
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
