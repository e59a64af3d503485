import { applyChanges, type RequirementChange } from "../store/requirements.ts";
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
  const required = config.requirements === "" || event.stopHookActive
    ? MAY_STOP
    : await (await import("./stop_requirements.ts")).askRequirements(work);
  if (config.stop === "") return await saveJudged(work, usual, required);
  const { holdBack, judgeGuards } = await import("./stop_guards.ts");
  const guards = await judgeGuards(work);
  const draft = { ...usual, ...guards.draft, metadata: { ...usual.metadata, ...guards.notes } };
  const isInOrder = guards.blocks.length === 0 && required.reason === "";
  const blocks = isInOrder ? guards.goOn() : guards.blocks;
  return blocks.length > 0
    ? await holdBack(work, blocks, { ...guards, draft, required })
    : await saveJudged(work, draft, required);
}

/** Records a stop that only requirements may hold. */
export async function saveJudged(
  work: HookWork,
  draft: Draft,
  { reason, rules, changes }: HeldForRequirements,
): Promise<Answer> {
  await work.save({
    ...draft,
    ...(reason === "" ? {} : {
      status: "blocked",
      errorMessage: rules.join(", "),
      metadata: { ...draft.metadata, rules },
    }),
    ...(changes.length > 0 ? { changes } : {}),
  }, applyChanges);
  return reason === "" ? null : { decision: "block", reason };
}
