/** Judges a stop: runs the commands that have to succeed, looks at the project's folder, counts rounds. */
import { failureText } from "../guard/command_text.ts";
import type { CommandRun } from "../process/types.ts";
import type { Block } from "../guard/guard_policy.ts";
import {
  additionsBlock,
  infiniteBlock,
  nextOfQueue,
  roundBlock,
  type StopPolicy,
} from "../guard/stop_policy.ts";
import { advanceQueue, readQueue } from "../store/prompt_queues.ts";
import { countRound } from "../store/stop_counters.ts";
import { type CommandGround, runCommands } from "./run_commands.ts";
import { type Remembering, withDatabase } from "./stop_row.ts";
import { rootAdditions, takeSnapshot } from "./root_additions.ts";

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
  /** Settled when nothing that was interrupted runs any more. */
  readonly gone: Promise<void>;
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
  const { runs, gone } = await runCommands(policy.commands, ground.commands, {
    untilFailure: true,
    done: ground.ran,
  });
  const failed = runs.find(({ end }) => end.kind !== "passed");
  if (failed?.end.kind === "interrupted") {
    return { blocks: [], runs, isInterrupted: true, gone, settle: () => {} };
  }
  const blocks: Block[] = [];
  if (failed !== undefined) blocks.push({ rule: failed.command.rule, reason: failureText(failed) });
  const added = await additions(policy, ground);
  if (added.names.length > 0) {
    blocks.push(additionsBlock(added.names, policy.rootAdditionsMessage));
  }
  return { blocks, runs, isInterrupted: false, gone, settle: added.settle };
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

/** Takes the files that are there for known, while a person has lifted the rules: so has the person allowed them. */
export function acceptAdditions(
  { root, preventsRootAdditions }: StopPolicy,
  memory: Remembering,
): void {
  const { sessionId, atMs } = memory;
  if (root === null || !preventsRootAdditions) return;
  withDatabase(memory, (db) => takeSnapshot(db, { sessionId, root }, atMs));
}

/** New files, and what is to be done when they were let be. */
interface Additions {
  readonly names: readonly string[];
  readonly settle: (held: boolean) => void;
}

async function additions(policy: StopPolicy, memory: StopGround): Promise<Additions> {
  const { sessionId, atMs, commands: { environment } } = memory;
  const { root, preventsRootAdditions } = policy;
  const none: Additions = { names: [], settle: () => {} };
  if (root === null || !preventsRootAdditions) return none;
  const key = { sessionId, root };
  try {
    const names = await withDatabase(memory, (db) =>
      rootAdditions(db, key, { atMs, environment })) ?? [];
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
    gone: Promise.resolve(),
    settle: (held) => {
      if (held) withDatabase(memory, (db) => advanceQueue(db, sessionId, { ...next.then, atMs }));
    },
  };
}
