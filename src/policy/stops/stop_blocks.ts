/** Judges a stop: runs configured commands, looks for new files in the project's folder, counts rounds and stops. */
import { EDITING_TOOLS, SHELL_TOOLS } from "../../claude/payload.ts";
import { failureText } from "../notify.ts";
import type { Block } from "../guards/guard_policy.ts";
import { additionsBlock, nextOfQueue, type StopPolicy } from "./stop_policy.ts";
import type { CommandRun } from "../../system/process/types.ts";
import {
  advanceQueue,
  BLOCKS_IN_ROW,
  countRound,
  hasUsedTools,
  isLasting,
  readQueue,
  REQUIREMENTS_HELD,
  resetRow,
} from "./stop_memory_table.ts";
import { rootAdditions, takeSnapshot } from "./root_additions.ts";
import { type CommandGround, runCommands } from "../run_commands.ts";
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { quietly } from "../../base/errors.ts";
import { incrementCounter, readCounter } from "../../db/counters.ts";

export interface StopGround extends Remembering {
  readonly commands: CommandGround;
  readonly ran: (run: CommandRun) => void;
}

export interface StopFindings {
  readonly blocks: readonly Block[];
  readonly runs: readonly CommandRun[];
  /** True when the hook was ended from outside and cannot answer. */
  readonly isInterrupted: boolean;
  /** Resolves once no interrupted command runs any more. */
  readonly gone: Promise<void>;
  /** Called with whether the stop was held back, to update what is stored. */
  readonly settle: (held: boolean) => void;
}

/** Tools that can change files. */
const CHANGING_TOOLS: readonly string[] = [...EDITING_TOOLS, ...SHELL_TOOLS, "Agent", "Task"];

const NOTHING: StopFindings = {
  blocks: [],
  runs: [],
  isInterrupted: false,
  gone: Promise.resolve(),
  settle: () => {},
};

/** Finds what holds back a stop. A queued message comes first, and then nothing else is judged. */
export async function findStopBlocks(
  policy: StopPolicy,
  ground: StopGround,
): Promise<StopFindings> {
  const message = queuedMessage(policy, ground);
  if (message !== null) return message;
  const mayHaveChanged = ground.isContinued ||
    (withDatabase(ground, (db) => hasUsedTools(db, ground.sessionId, CHANGING_TOOLS)) ?? true);
  const due = policy.commands.filter((command) => mayHaveChanged || !command.onlyAfterChanges);
  const { runs, gone } = await runCommands(due, ground.commands, {
    untilFailure: true,
    done: ground.ran,
  });
  const failed = runs.find(({ end }) => end.kind !== "passed");
  if (failed?.end.kind === "interrupted") return { ...NOTHING, runs, isInterrupted: true, gone };
  const names = await additions(policy, ground);
  return {
    ...{ ...NOTHING, runs, gone },
    blocks: [
      ...failed === undefined ? [] : [{ rule: failed.command.rule, reason: failureText(failed) }],
      ...names.length === 0 ? [] : [additionsBlock(names, policy.rootAdditionsMessage)],
    ],
    settle(held) {
      // The person reads of new files only once.
      if (!held && names.length > 0) acceptAdditions(policy, ground);
    },
  };
}

/** Decides whether Claude must go on although nothing is wrong: by `stop.rounds`, then by `stop.infinite`. */
export function judgeRounds({ rounds, infiniteMessage }: StopPolicy, memory: Remembering): Block[] {
  const round = rounds === null
    ? null
    : withDatabase(memory, (db) =>
      countRound(db, rounds, { ...memory, isFollowed: infiniteMessage !== null })) ?? null;
  if (round !== null) {
    return [{ rule: "stop.rounds", reason: `Round ${round}/${rounds} completed, continuing...` }];
  }
  return infiniteMessage === null ? [] : [{ rule: "stop.infinite", reason: infiniteMessage }];
}

/** Stores the present files as known. */
export function acceptAdditions(
  { root, preventsRootAdditions }: StopPolicy,
  memory: Remembering,
): void {
  const { sessionId, atMs } = memory;
  if (root === null || !preventsRootAdditions) return;
  withDatabase(memory, (db) => takeSnapshot(db, { sessionId, root }, atMs));
}

/** Returns the new files in the project's folder; none where that cannot be known. */
async function additions(
  { root, preventsRootAdditions }: StopPolicy,
  memory: StopGround,
): Promise<readonly string[]> {
  const { sessionId, atMs, commands: { environment } } = memory;
  if (root === null || !preventsRootAdditions) return [];
  const added = withDatabase(
    memory,
    (db) => rootAdditions(db, { sessionId, root }, { atMs, environment }),
  );
  return await added?.catch(() => []) ?? [];
}

function queuedMessage({ queue }: StopPolicy, memory: Remembering): StopFindings | null {
  const { sessionId, atMs } = memory;
  const place = queue === null ? undefined : withDatabase(memory, (db) => readQueue(db, sessionId));
  const next = place ? nextOfQueue(queue!, place) : null;
  return next && {
    ...NOTHING,
    blocks: [next.block],
    settle(held) {
      if (held) withDatabase(memory, (db) => advanceQueue(db, sessionId, { ...next.then, atMs }));
    },
  };
}

export interface Remembering {
  readonly sessionId: string;
  readonly atMs: number;
  /** The database; with null, or a database in memory, nothing can be counted. */
  readonly db: DatabaseSync | null;
  /** Whether the stop follows one that was held back. */
  readonly isContinued: boolean;
}

export function beginRow(memory: Remembering): void {
  withDatabase(memory, (db) => resetRow(db, memory.sessionId));
}

/** Tells whether requirements have held back a stop of this row; true also when that cannot be read. */
export function haveRequirementsHeld(memory: Remembering): boolean {
  return withDatabase(
    memory,
    (db) => readCounter(db, memory.sessionId, REQUIREMENTS_HELD) > 0,
  ) ?? true;
}

/**
 * Counts a stop that rules hold back. Without a database, rules hold back only one stop in a row.
 * @returns `inRow` is the stop's number in the row, or null where it cannot be counted. `letThrough` says why the stop
 * is not held back; null where it is.
 */
export function holdOnce(
  maxBlocks: number,
  memory: Remembering,
): { readonly inRow: number | null; readonly letThrough: string | null } {
  const inRow =
    withDatabase(memory, (db) => incrementCounter(db, { ...memory, type: BLOCKS_IN_ROW })) ?? null;
  const letThrough = inRow === null && memory.isContinued
    ? "since nothing can be remembered without a database"
    : inRow !== null && inRow > maxBlocks
    ? `after ${count(maxBlocks, "stop was", "stops in a row were")} held back`
    : null;
  return { inRow, letThrough };
}

/** Works on a database that outlives the process; undefined without one, or on a failure, which the hook reports. */
export function withDatabase<Result>(
  { db }: Pick<Remembering, "db">,
  work: (db: DatabaseSync) => Result,
): Result | undefined {
  return quietly(() => db !== null && isLasting(db) ? work(db) : undefined);
}
