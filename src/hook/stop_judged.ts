import { beginRow, haveRequirementsHeld, type Remembering } from "../gate/stop_row.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";
import { handleOnce } from "./twin.ts";
import type { RequirementPolicy } from "../requirement/requirement_policy.ts";
import { transaction } from "../store/database.ts";
import { applyChanges, type RequirementChange } from "../store/requirements.ts";
import { REQUIREMENTS_HELD } from "../store/stop_memory.ts";
import { transcriptOf } from "./protocol.ts";

/**
 * Judges a stop and records it: requirements once a turn, guards as often as they are asked.
 * @param usual What is recorded of every stop. @returns Null when Claude may stop.
 */
export function answerStop(work: HookWork, usual: Draft): Promise<Answer> {
  return handleOnce(work, usual, () => judge(work, usual));
}

async function judge(work: HookWork, usual: Draft): Promise<Answer> {
  const { config } = work;
  const memory = memoryOf(work);
  if (!memory.isContinued) beginRow(memory);
  // Guards may have held the stop before requirements were triggered.
  const isAsked = !memory.isContinued || !haveRequirementsHeld(memory);
  const required = isAsked ? await askRequirements(work) : NOT_HELD;
  required.notices.forEach(work.tell);
  const noted = { ...usual.metadata, ...required.notes };
  if (config.stop === "") return await saveJudged(work, { ...usual, metadata: noted }, required);
  const { holdBack, judgeGuards } = await import("./stop_guards.ts");
  const guards = await judgeGuards(work, memory);
  const draft = { ...usual, ...guards.draft, metadata: { ...noted, ...guards.notes } };
  const isInOrder = guards.blocks.length === 0 && required.reason === "";
  const blocks = isInOrder ? guards.goOn() : guards.blocks;
  const answer = blocks.length > 0
    ? await holdBack(work, blocks, {
      ...guards,
      memory,
      draft,
      required,
      stillOpen: async () => isAsked ? [] : (await askRequirements(work)).rules,
    })
    : await saveJudged(work, draft, required);
  await guards.gone;
  return answer;
}

function memoryOf({ db, sessionId, atMs, event }: HookWork): Remembering {
  return { db, sessionId, atMs, isContinued: event.stopHookActive };
}

export interface HeldForRequirements {
  /** Why Claude may not stop; empty when they have nothing against it. */
  readonly reason: string;
  readonly rules: readonly string[];
  readonly changes: readonly RequirementChange[];
  readonly notes: Readonly<Record<string, unknown>>;
  readonly notices: readonly string[];
}

/** The requirements let a stop pass. */
const NOT_HELD: HeldForRequirements = {
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
async function askRequirements(work: HookWork): Promise<HeldForRequirements> {
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
