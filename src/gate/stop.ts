/** Judges a stop: runs the commands that have to succeed, looks at the project's folder, counts rounds. */
import type { DatabaseSync } from "node:sqlite";
import { type CommandRun, failureText } from "../guard/commands_policy.ts";
import type { Block } from "../guard/policy.ts";
import {
  additionsBlock,
  infiniteBlock,
  nextOfQueue,
  roundBlock,
  type StopPolicy,
} from "../guard/stop.ts";
import { readCounter, resetCounters } from "../store/counters.ts";
import { advanceQueue, readQueue } from "../store/prompt_queues.ts";
import { BLOCKS_IN_ROW, countBlock, countRound, isLasting } from "../store/stop_counters.ts";
import { type CommandGround, runCommands } from "./commands.ts";
import { rootAdditions, takeSnapshot } from "./root_additions.ts";

/** What is known around a stop. */
export interface StopGround {
  readonly sessionId: string;
  readonly atMs: number;
  /** Null, or one in memory, remembers nothing: what has to be counted is not judged then. */
  readonly db: DatabaseSync | null;
  readonly commands: CommandGround;
  /** True for a stop that continues a stopped one. */
  readonly isContinued: boolean;
  /** Told of each command as it ends. */
  readonly ran: (run: CommandRun) => void;
}

/** What was found wrong at a stop. */
export interface StopFindings {
  readonly blocks: readonly Block[];
  readonly runs: readonly CommandRun[];
  /** True when the hook was ended from outside, so that nothing can be said. */
  readonly isInterrupted: boolean;
  /** Told whether the stop was held back for it. */
  readonly settle: (held: boolean) => void;
}

/** What has to be in order before Claude stops. A message that waits for the session's stops comes first, and alone. */
export async function judgeStop(policy: StopPolicy, ground: StopGround): Promise<StopFindings> {
  const db = lasting(ground.db);
  const message = db === null ? null : queuedMessage(db, policy, ground);
  if (message !== null) return message;
  const runs = await runCommands(policy.commands, ground.commands, {
    untilFailure: true,
    done: ground.ran,
  });
  const failed = runs.find(({ end }) => end.kind !== "passed");
  if (failed?.end.kind === "interrupted") {
    return { blocks: [], runs, isInterrupted: true, settle: () => {} };
  }
  const blocks: Block[] = [];
  if (failed !== undefined) blocks.push({ rule: failed.command.rule, reason: failureText(failed) });
  const key = policy.preventsRootAdditions && policy.root !== null
    ? { sessionId: ground.sessionId, root: policy.root }
    : null;
  const added = db === null || key === null ? [] : await rootAdditions(db, key, ground.atMs);
  if (added.length > 0) blocks.push(additionsBlock(added));
  return {
    blocks,
    runs,
    isInterrupted: false,
    settle: (held) => {
      // The person has been told of them, and must not be told for ever.
      if (!held && db !== null && key !== null && added.length > 0) {
        takeSnapshot(db, key, ground.atMs);
      }
    },
  };
}

/** Whether Claude has to go on although all is in order: rounds first, then without an end. */
export function judgeRounds(policy: StopPolicy, ground: StopGround): Block | null {
  const { sessionId, atMs } = ground;
  const db = lasting(ground.db);
  if (policy.rounds !== null && db !== null) {
    const round = countRound(db, policy.rounds, { sessionId, atMs });
    if (round !== null) return roundBlock(round, policy.rounds);
  }
  return policy.infiniteMessage === null ? null : infiniteBlock(policy.infiniteMessage);
}

/** Begins a new row of stops that are held back. */
export function beginRow({ db: any, sessionId }: StopGround): void {
  const db = lasting(any);
  if (db !== null && readCounter(db, sessionId, BLOCKS_IN_ROW) > 0) {
    resetCounters(db, sessionId, BLOCKS_IN_ROW);
  }
}

/** Whether a stop may be held back (once more). */
export type Hold =
  /** `inRow`: which one in a row it is; null when that cannot be counted. */
  | { readonly kind: "hold"; readonly inRow: number | null }
  | { readonly kind: "let through"; readonly why: string };

/** Counts a stop that is to be held back. What cannot be counted is held back once, never again in the same row. */
export function holdOnce(maxBlocks: number, ground: StopGround): Hold {
  const db = lasting(ground.db);
  if (db === null) {
    return ground.isContinued
      ? { kind: "let through", why: "since nothing can be remembered without a database" }
      : { kind: "hold", inRow: null };
  }
  const { sessionId, atMs } = ground;
  const inRow = countBlock(db, maxBlocks, { sessionId, atMs });
  return inRow === null
    ? { kind: "let through", why: `after ${maxBlocks} stops in a row were held back` }
    : { kind: "hold", inRow };
}

function lasting(db: DatabaseSync | null): DatabaseSync | null {
  return db !== null && isLasting(db) ? db : null;
}

function queuedMessage(
  db: DatabaseSync,
  { queue }: StopPolicy,
  { sessionId, atMs }: StopGround,
): StopFindings | null {
  const place = queue === null ? null : readQueue(db, sessionId);
  const next = queue === null || place === null ? null : nextOfQueue(queue, place);
  if (next === null) return null;
  return {
    blocks: [next.block],
    runs: [],
    isInterrupted: false,
    settle: (held) => {
      if (held) advanceQueue(db, sessionId, { ...next.then, atMs });
    },
  };
}
