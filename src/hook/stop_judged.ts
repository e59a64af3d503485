import { beginRow, haveRequirementsHeld, type Remembering } from "../gate/stop_row.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";
import { askRequirements, NOT_HELD, saveJudged } from "./stop_requirements.ts";
import { handleOnce } from "./twin.ts";

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
