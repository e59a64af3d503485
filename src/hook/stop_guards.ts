import { beginRow, holdOnce, judgeRounds, judgeStop, type StopGround } from "../gate/stop.ts";

import type { Block } from "../guard/policy.ts";
import { letThroughText, type StopPolicy, stopReason } from "../guard/stop.ts";
import { shortSessionId } from "../ids.ts";
import { commandGround, noteOfRun } from "./commands.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";
import { isLifted } from "./lifted.ts";
import { notifyOfCommand } from "./notification.ts";
import { tellable } from "./tellable.ts";

/** A stop that may have to be held back, and what is recorded of it in any case. */
interface Asked {
  readonly policy: StopPolicy;
  readonly draft: Draft;
}

/** Judges a stop, and records it. @returns The answer that holds it back; null when Claude may stop. */
export async function judge(work: HookWork, { policy, draft }: Asked): Promise<Answer> {
  if (isLifted(work)) {
    await work.save({ ...draft, metadata: { ...draft.metadata, paused: true } });
    return null;
  }
  const ground: StopGround = {
    sessionId: work.sessionId,
    atMs: work.atMs,
    db: work.db,
    commands: commandGround(work, policy.root),
    isContinued: work.event.stopHookActive,
    ran: (run) => notifyOfCommand(work, run),
  };
  if (!ground.isContinued) attempt(() => beginRow(ground));
  const findings = await judgeStop(policy, ground);
  const commands = findings.runs.map(noteOfRun);
  const metadata = { ...draft.metadata, ...(commands.length > 0 ? { commands } : {}) };
  if (findings.isInterrupted) {
    await work.save({ ...draft, metadata, status: "failure", errorMessage: "interrupted" });
    return null;
  }
  const blocks: Block[] = [...findings.blocks];
  // What else may hold back a stop adds its blocks here.
  if (blocks.length === 0) {
    const more = attempt(() => judgeRounds(policy, ground));
    if (more) blocks.push(more);
  }
  if (blocks.length === 0) {
    await work.save({ ...draft, metadata });
    return null;
  }
  const rules = blocks.map(({ rule }) => rule);
  const hold = attempt(() => holdOnce(policy.maxBlocks, ground)) ??
    holdOnce(policy.maxBlocks, { ...ground, db: null });
  attempt(() => findings.settle(hold.kind === "hold"));
  if (hold.kind === "let through") {
    work.tell(letThroughText(blocks, hold.why));
    await work.save({ ...draft, metadata: { ...metadata, rules, letThrough: hold.why } });
    return null;
  }
  const [reason] = await tellable(work, draft, [blocks.map(({ reason }) => reason).join("\n")]);
  await work.save({
    ...draft,
    status: "blocked",
    errorMessage: reason?.slice(0, MAX_STORED_CHARS).toWellFormed() ?? rules.join(", "),
    metadata: { ...metadata, rules, inRow: hold.inRow },
  });
  return {
    decision: "block",
    reason: stopReason(blocks, {
      shortId: shortSessionId(work.sessionId),
      inRow: hold.inRow,
      maxBlocks: policy.maxBlocks,
    }),
  };
}

/** How much of a reason is in the audit trail, in characters. */
const MAX_STORED_CHARS = 4000;

/** What needs the database is left out when that fails; saving the event says why. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
