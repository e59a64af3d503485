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
import { readCounter } from "../store/counters.ts";
import { advanceQueue, readQueue } from "../store/prompt_queues.ts";
import {
  countBlock,
  countRound,
  isLasting,
  REQUIREMENTS_HELD,
  resetRow,
} from "../store/stop_counters.ts";
import { type CommandGround, runCommands } from "./commands.ts";
import { rootAdditions, takeSnapshot } from "./root_additions.ts";

/** What is known of a session from one stop to the next. */
export interface Remembering {
  readonly sessionId: string;
  readonly atMs: number;
  /** Null, or one in memory, remembers nothing: what has to be counted is not judged then. */
  readonly db: DatabaseSync | null;
  /** True for a stop that continues a stopped one. */
  readonly isContinued: boolean;
}

/** What is known around a stop. */
export interface StopGround extends Remembering {
  readonly commands: CommandGround;
  /** Told of each command as it ends. */
  readonly ran: (run: CommandRun) => void;
}

/** What was found wrong at a stop. */
export interface StopFindings {
  readonly blocks: readonly Block[];
  readonly runs: readonly CommandRun[];
  /** True when the hook was ended from outside, so that nothing can be said. */
  readonly isInterrupted: boolean;
  /** Has to be told whether the stop was held back for it. */
  readonly settle: (held: boolean) => void;
}

/**
 * Finds what has to be in order before Claude stops, and is not. A message that waits for the session's stops comes
 * first, and alone.
 */
export async function findStopBlocks(
  policy: StopPolicy,
  ground: StopGround,
): Promise<StopFindings> {
  const message = queuedMessage(policy, ground);
  if (message !== undefined) return message;
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
  const added = await additions(policy, ground);
  if (added.names.length > 0) {
    blocks.push(additionsBlock(added.names, policy.rootAdditionsMessage));
  }
  return { blocks, runs, isInterrupted: false, settle: added.settle };
}

/** Whether Claude has to go on although all is in order: rounds first, then without an end. */
export function judgeRounds({ rounds, infiniteMessage }: StopPolicy, memory: Remembering): Block[] {
  const round = rounds === null
    ? null
    : withDatabase(memory, (db) =>
      countRound(db, rounds, { ...memory, isFollowed: infiniteMessage !== null })) ?? null;
  if (rounds !== null && round !== null) return [roundBlock(round, rounds)];
  return infiniteMessage === null ? [] : [infiniteBlock(infiniteMessage)];
}

/** Begins a new row of stops that are held back. */
export function beginRow(memory: Remembering): void {
  withDatabase(memory, (db) => resetRow(db, memory.sessionId));
}

/** Whether requirements have held a stop of this row; true also when nobody knows. */
export function haveRequirementsHeld(memory: Remembering): boolean {
  return withDatabase(
    memory,
    (db) => readCounter(db, memory.sessionId, REQUIREMENTS_HELD) > 0,
  ) ?? true;
}

/** Whether a stop may be held back (once more). */
export type Hold =
  /** `inRow`: which one in a row it is; null when that cannot be counted. */
  | { readonly kind: "hold"; readonly inRow: number | null }
  | { readonly kind: "let through"; readonly why: string };

/** Counts a stop that is to be held back. What cannot be counted is held back once, never again in the same row. */
export function holdOnce(maxBlocks: number, memory: Remembering): Hold {
  const inRow = withDatabase(memory, (db) => countBlock(db, maxBlocks, memory));
  if (inRow === undefined) {
    return memory.isContinued
      ? { kind: "let through", why: "since nothing can be remembered without a database" }
      : { kind: "hold", inRow: null };
  }
  return inRow === null
    ? { kind: "let through", why: `after ${maxBlocks} stops in a row were held back` }
    : { kind: "hold", inRow };
}

/** New files, and what is to be done when they were let be. */
interface Additions {
  readonly names: readonly string[];
  readonly settle: (held: boolean) => void;
}

async function additions(policy: StopPolicy, memory: Remembering): Promise<Additions> {
  const { sessionId, atMs } = memory;
  const { root, preventsRootAdditions } = policy;
  const none: Additions = { names: [], settle: () => {} };
  if (root === null || !preventsRootAdditions) return none;
  const key = { sessionId, root };
  try {
    const names = await withDatabase(memory, (db) => rootAdditions(db, key, atMs)) ?? [];
    if (names.length === 0) return none;
    return {
      names,
      settle: (held) => {
        // The person has been told of them, and must not be told for ever.
        if (!held) withDatabase(memory, (db) => takeSnapshot(db, key, atMs));
      },
    };
  } catch {
    return none;
  }
}

function queuedMessage({ queue }: StopPolicy, memory: Remembering): StopFindings | undefined {
  if (queue === null) return undefined;
  const { sessionId, atMs } = memory;
  const place = withDatabase(memory, (db) => readQueue(db, sessionId)) ?? null;
  const next = place === null ? null : nextOfQueue(queue, place);
  if (next === null) return undefined;
  return {
    blocks: [next.block],
    runs: [],
    isInterrupted: false,
    settle: (held) => {
      if (held) withDatabase(memory, (db) => advanceQueue(db, sessionId, { ...next.then, atMs }));
    },
  };
}

/** What a lasting database does; undefined when there is none, or it cannot: saving the event says why. */
function withDatabase<Result>(
  { db }: Remembering,
  work: (db: DatabaseSync) => Result,
): Result | undefined {
  try {
    return db !== null && isLasting(db) ? work(db) : undefined;
  } catch {
    return undefined;
  }
}
