import {
  acceptAdditions,
  beginRow,
  findStopBlocks,
  haveRequirementsHeld,
  holdOnce,
  judgeRounds,
  letThroughText,
  mostBlocks,
  type Remembering,
  type StopFindings,
  type StopPolicy,
  stopReason,
} from "../policy/stops/stop_blocks.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";
import { requirementPolicyIn } from "../policy/requirements/requirement_policy.ts";
import { REQUIREMENTS_HELD, type RequirementSaying, SILENT } from "../policy/store.ts";
import { hasWrittenRules, speakOfStops } from "../config/discover.ts";
import type { Block } from "../policy/guards/guard_policy.ts";
import { commandGround, commandNotifier, handleOnce, notesOfRuns } from "./event_commands.ts";
import { isLifted, wayOut } from "./lifted.ts";
import { tellable } from "./other_event.ts";

/** Judges a stop and records it. @param usual What is recorded in any case. @returns Null when Claude may stop. */
export function answerStop(work: HookWork, usual: Draft): Promise<Answer> {
  return handleOnce(work, usual, () => judge(work, usual));
}

async function judge(work: HookWork, usual: Draft): Promise<Answer> {
  const { config, db, sessionId, atMs, event } = work;
  const memory: Remembering = { db, sessionId, atMs, isContinued: event.stopHookActive };
  if (!memory.isContinued) beginRow(memory);
  // Guards may have held the stop before requirements applied.
  const isAsked = !memory.isContinued || !haveRequirementsHeld(memory);
  const required = isAsked ? await withEffects(work, await askRequirements(work)) : SILENT;
  required.notices.forEach(work.tell);
  const noted = { ...usual.metadata, ...required.notes };
  if (config.stop === "") return await saveJudged(work, { ...usual, metadata: noted }, required);
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

/** Adds changes that nothing allowed to the open requirements, since both hold a stop. */
async function withEffects(
  work: HookWork,
  required: RequirementSaying,
): Promise<RequirementSaying> {
  if (!hasWrittenRules(work.config)) return required;
  const effects = await (await import("./violations.ts")).effectsAtStop(work);
  return {
    ...required,
    reason: [required.reason, effects.reason].filter((text) => text !== "").join("\n\n"),
    rules: [...required.rules, ...effects.rules],
    notes: { ...required.notes, ...effects.notes },
  };
}

/** Returns what is stored of the requirements that were asked at a stop. */
function heldDraft({ reason, changes }: RequirementSaying): Draft {
  return { changes, ...(reason === "" ? {} : { counters: [REQUIREMENTS_HELD] }) };
}

async function saveJudged(
  work: HookWork,
  draft: Draft,
  required: RequirementSaying,
): Promise<Answer> {
  const { reason, rules } = required;
  const held = reason === "" ? {} : {
    status: "blocked" as const,
    errorMessage: rules.join(", "),
    metadata: { ...draft.metadata, rules },
  };
  await work.save({ ...draft, ...held, ...heldDraft(required) });
  return reason === "" ? null : { decision: "block", reason };
}

async function askRequirements(work: HookWork): Promise<RequirementSaying> {
  if (work.config.requirements === "") return SILENT;
  const policy = requirementPolicyIn(work.config.requirements);
  const { requirementsAtStop } = await import("../policy/requirements/required_stop.ts");
  return await requirementsAtStop(policy, work);
}

const MAX_STORED_CHARS = 4000;

/**
 * @returns `goOn`: finds blocks of rules that demand more rounds. Each call counts a round, so call it only when nothing
 * else blocks. `maxBlocks`: the most stops in a row that are held back.
 */
async function judgeGuards(work: HookWork, memory: Remembering) {
  const policy: StopPolicy = JSON.parse(work.config.stop);
  const maxBlocks = mostBlocks(policy.maxBlocks, work.config.requirements !== "");
  const nothing = { blocks: [], goOn: () => [], settle: () => {}, maxBlocks };
  if (isLifted(work)) {
    acceptAdditions(policy, memory);
    return { ...nothing, gone: Promise.resolve(), draft: {}, notes: { paused: true } };
  }
  const { blocks, runs, isInterrupted, settle, gone } = await findStopBlocks(policy, {
    ...memory,
    commands: commandGround(work, policy.root),
    ran: await commandNotifier(work),
  });
  const notes = notesOfRuns(runs);
  if (isInterrupted) {
    const draft = { status: "failure" as const, errorMessage: "interrupted" };
    return { ...nothing, gone, draft, notes };
  }
  const goOn = () => judgeRounds(policy, memory);
  return { blocks, goOn, settle, gone, maxBlocks, draft: {}, notes };
}

/** Holds a stop back, or lets it through after enough stops in a row. @returns Null when Claude may stop. */
async function holdBack(
  work: HookWork,
  blocks: readonly Block[],
  { maxBlocks, settle, memory, draft, required, stillOpen }: {
    readonly maxBlocks: number;
    readonly settle: StopFindings["settle"];
    readonly memory: Remembering;
    readonly draft: Draft;
    readonly required: RequirementSaying;
    /** Returns the open requirements that have already held a stop of this turn. */
    stillOpen(): Promise<readonly string[]>;
  },
): Promise<Answer> {
  const rules = [...blocks.map(({ rule }) => rule), ...required.rules];
  const { inRow, letThrough } = holdOnce(maxBlocks, memory);
  // The guards have held often enough, but the requirements have not. The person is told at the next stop.
  if (letThrough !== null && required.reason !== "") {
    return await saveJudged(work, draft, required);
  }
  settle(letThrough === null);
  if (letThrough !== null) {
    work.tell(letThroughText(blocks, { why: letThrough, requirements: await stillOpen() }));
    const metadata = { ...draft.metadata, rules, letThrough };
    return await saveJudged(work, { ...draft, metadata }, required);
  }
  // When no file has rules about stops, the turn's next stop is not judged.
  const toldInRow = speakOfStops(work.configFiles) ? inRow : null;
  const [reason] = await tellable(work, draft, [blocks.map(({ reason }) => reason).join("\n")]);
  await work.save({
    ...draft,
    status: "blocked",
    errorMessage: reason?.slice(0, MAX_STORED_CHARS).toWellFormed() ?? rules.join(", "),
    metadata: { ...draft.metadata, rules, inRow },
    ...heldDraft(required),
  });
  const blocked = stopReason(blocks, { inRow: toldInRow, maxBlocks, wayOut: await wayOut(work) });
  const also = required.reason === "" ? "" : `\n\n${required.reason}`;
  return { decision: "block", reason: blocked + also };
}
