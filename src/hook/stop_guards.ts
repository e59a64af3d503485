import {
  beginRow,
  findStopBlocks,
  haveRequirementsHeld,
  holdOnce,
  judgeRounds,
  type Remembering,
  type StopFindings,
} from "../gate/stop.ts";
import type { Block } from "../guard/policy.ts";
import { letThroughText, type StopPolicy, stopReason } from "../guard/stop.ts";
import { applyChanges } from "../store/requirements.ts";
import { commandGround, commandNotifier, noteOfRun } from "./commands.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";
import { isLifted, wayOut } from "./lifted.ts";
import { heldDraft, type HeldForRequirements, saveJudged } from "./stop_judged.ts";
import { tellable } from "./tellable.ts";

/** What the guards say of a stop. */
interface StopJudgement extends Pick<StopFindings, "blocks" | "settle"> {
  /** Whether Claude has to go on although nothing is wrong: asked only then, for it counts. */
  goOn(): readonly Block[];
  /** Stops that are held back in a row, at most. */
  readonly maxBlocks: number;
  /** What the record says beside the usual. */
  readonly draft: Pick<Draft, "status" | "errorMessage">;
  readonly notes: Readonly<Record<string, unknown>>;
}

/** Stops that are held back in a row at most, beside the one that requirements may hold. */
const MAX_BESIDE_REQUIREMENTS = 7;

/** How much of a reason is in the audit trail, in characters. */
const MAX_STORED_CHARS = 4000;

/** Whether requirements may hold a stop that continues a stopped one: once a turn, as far as is known. */
export function mayRequirementsHold(work: HookWork): boolean {
  return !haveRequirementsHeld(memoryOf(work));
}

/** Judges a stop by the configuration of the guards. */
export async function judgeGuards(work: HookWork): Promise<StopJudgement> {
  const policy: StopPolicy = JSON.parse(work.config.stop);
  // Claude Code goes on by itself after eight; one of them may be for requirements.
  const maxBlocks = work.config.requirements === ""
    ? policy.maxBlocks
    : Math.min(policy.maxBlocks, MAX_BESIDE_REQUIREMENTS);
  const nothing = { blocks: [], goOn: () => [], settle: () => {}, maxBlocks, draft: {} };
  const memory = memoryOf(work);
  if (!memory.isContinued) beginRow(memory);
  if (isLifted(work)) return { ...nothing, notes: { paused: true } };
  const { blocks, runs, isInterrupted, settle } = await findStopBlocks(policy, {
    ...memory,
    commands: commandGround(work, policy.root),
    ran: await commandNotifier(work),
  });
  const notes = runs.length === 0 ? {} : { commands: runs.map(noteOfRun) };
  if (isInterrupted) {
    return { ...nothing, draft: { status: "failure", errorMessage: "interrupted" }, notes };
  }
  const goOn = () => judgeRounds(policy, memory);
  return { blocks, goOn, settle, maxBlocks, draft: {}, notes };
}

/**
 * Holds a stop back, or lets it through when that has been done often enough in a row, and records it.
 *
 * @returns The answer; null when Claude may stop.
 */
export async function holdBack(
  work: HookWork,
  blocks: readonly Block[],
  { maxBlocks, settle, draft, required }: Pick<StopJudgement, "maxBlocks" | "settle"> & {
    readonly draft: Draft;
    /** What requirements have against it as well. */
    readonly required: HeldForRequirements;
  },
): Promise<Answer> {
  const rules = [...blocks.map(({ rule }) => rule), ...required.rules];
  const hold = holdOnce(maxBlocks, memoryOf(work));
  settle(hold.kind === "hold");
  if (hold.kind === "let through") {
    work.tell(letThroughText(blocks, hold.why));
    const metadata = { ...draft.metadata, rules, letThrough: hold.why };
    return await saveJudged(work, { ...draft, metadata }, required);
  }
  const { inRow } = hold;
  const [reason] = await tellable(work, draft, [blocks.map(({ reason }) => reason).join("\n")]);
  await work.save({
    ...draft,
    status: "blocked",
    errorMessage: reason?.slice(0, MAX_STORED_CHARS).toWellFormed() ?? rules.join(", "),
    metadata: { ...draft.metadata, rules, inRow },
    ...heldDraft(required),
  }, applyChanges);
  const told = [
    stopReason(blocks, { inRow, maxBlocks, wayOut: await wayOut(work) }),
    required.reason,
  ];
  return { decision: "block", reason: told.filter((text) => text !== "").join("\n\n") };
}

function memoryOf({ db, sessionId, atMs, event }: HookWork): Remembering {
  return { db, sessionId, atMs, isContinued: event.stopHookActive };
}
