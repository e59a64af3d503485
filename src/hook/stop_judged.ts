import { applyChanges, type RequirementChange } from "../store/requirements.ts";
import { REQUIREMENTS_HELD } from "../store/stop_counters.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";

/** What requirements say of a stop. */
export interface HeldForRequirements {
  /** Why Claude may not stop; empty when they have nothing against it. */
  readonly reason: string;
  readonly rules: readonly string[];
  readonly changes: readonly RequirementChange[];
}

const MAY_STOP: HeldForRequirements = { reason: "", rules: [], changes: [] };

/**
 * Judges a stop and records it: requirements once a turn, guards as often as they are asked.
 *
 * @param usual What is recorded of it anyway. @returns Null when Claude may stop.
 */
export async function answerStop(work: HookWork, usual: Draft): Promise<Answer> {
  const { config, event } = work;
  const gate = config.stop === "" ? null : await import("./stop_guards.ts");
  // Something else may have held the stop before they were triggered.
  const isAsked = !event.stopHookActive || gate?.mayRequirementsHold(work) === true;
  const required = config.requirements === "" || !isAsked
    ? MAY_STOP
    : await (await import("./stop_requirements.ts")).askRequirements(work);
  if (gate === null) return await saveJudged(work, usual, required);
  const { holdBack, judgeGuards } = gate;
  const guards = await judgeGuards(work);
  const draft = { ...usual, ...guards.draft, metadata: { ...usual.metadata, ...guards.notes } };
  const isInOrder = guards.blocks.length === 0 && required.reason === "";
  const blocks = isInOrder ? guards.goOn() : guards.blocks;
  return blocks.length > 0
    ? await holdBack(work, blocks, { ...guards, draft, required })
    : await saveJudged(work, draft, required);
}

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
