import { holdOnce, type Remembering } from "../gate/stop_row.ts";
import {
  acceptAdditions,
  findStopBlocks,
  judgeRounds,
  type StopFindings,
} from "../gate/stop_blocks.ts";
import { speakOfStops } from "../config/discover.ts";
import type { Block } from "../guard/guard_policy.ts";
import { letThroughText, mostBlocks, type StopPolicy, stopReason } from "../guard/stop_policy.ts";
import { applyChanges } from "../store/requirements.ts";
import { commandGround, commandNotifier, noteOfRun } from "./event_commands.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";
import { isLifted, wayOut } from "./lifted.ts";
import { heldDraft, type HeldForRequirements, saveJudged } from "./stop_judged.ts";
import { tellable } from "./other_event.ts";

/** What the guards say of a stop. */
interface StopJudgement extends Pick<StopFindings, "blocks" | "settle" | "gone"> {
  /** Blocks of rules that demand more rounds. Asking counts a round, so it is called only when nothing else blocks. */
  goOn(): readonly Block[];
  /** Stops that are held back in a row, at most. */
  readonly maxBlocks: number;
  readonly draft: Pick<Draft, "status" | "errorMessage">;
  readonly notes: Readonly<Record<string, unknown>>;
}

const MAX_STORED_CHARS = 4000;

/** Judges a stop by the configuration of the guards. */
export async function judgeGuards(work: HookWork, memory: Remembering): Promise<StopJudgement> {
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
  const notes = runs.length === 0 ? {} : { commands: runs.map(noteOfRun) };
  if (isInterrupted) {
    return { ...nothing, gone, draft: { status: "failure", errorMessage: "interrupted" }, notes };
  }
  const goOn = () => judgeRounds(policy, memory);
  return { blocks, goOn, settle, gone, maxBlocks, draft: {}, notes };
}

/**
 * Holds a stop back, or lets it through when that was done often enough in a row, and records it.
 * @returns Null when Claude may stop.
 */
export async function holdBack(
  work: HookWork,
  blocks: readonly Block[],
  { maxBlocks, settle, memory, draft, required, stillOpen }:
    & Pick<StopJudgement, "maxBlocks" | "settle">
    & {
      readonly memory: Remembering;
      readonly draft: Draft;
      /** What requirements have against it as well. */
      readonly required: HeldForRequirements;
      /** Open requirements, which have held a stop of this turn already and may not hold another. */
      stillOpen(): Promise<readonly string[]>;
    },
): Promise<Answer> {
  const rules = [...blocks.map(({ rule }) => rule), ...required.rules];
  const hold = holdOnce(maxBlocks, memory);
  // The guards have held often enough, the requirements have not: the person is told at the next stop.
  if (hold.kind === "let through" && required.reason !== "") {
    return await saveJudged(work, draft, required);
  }
  settle(hold.kind === "hold");
  if (hold.kind === "let through") {
    work.tell(letThroughText(blocks, { why: hold.why, requirements: await stillOpen() }));
    const metadata = { ...draft.metadata, rules, letThrough: hold.why };
    return await saveJudged(work, { ...draft, metadata }, required);
  }
  // Where no file speaks of stops, the turn's next stop is not judged.
  const inRow = speakOfStops(work.configFiles) ? hold.inRow : null;
  const [reason] = await tellable(work, draft, [blocks.map(({ reason }) => reason).join("\n")]);
  await work.save({
    ...draft,
    status: "blocked",
    errorMessage: reason?.slice(0, MAX_STORED_CHARS).toWellFormed() ?? rules.join(", "),
    metadata: { ...draft.metadata, rules, inRow: hold.inRow },
    ...heldDraft(required),
  }, applyChanges);
  const told = [
    stopReason(blocks, { inRow, maxBlocks, wayOut: await wayOut(work) }),
    required.reason,
  ];
  return { decision: "block", reason: told.filter((text) => text !== "").join("\n\n") };
}
