/** Judges a stop: runs configured commands, looks for new files in the project's folder, counts rounds and stops. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { quietly } from "../../base/errors.ts";
import { EDITING_TOOLS, SHELL_TOOLS } from "../../claude/payload.ts";
import { incrementCounter, readCounter } from "../../db/counters.ts";
import type { CommandRule, CommandRun } from "../../system/process/types.ts";
import { type Block, ROOT_RULE } from "../guards/guard_policy.ts";
import { failureText } from "../notify.ts";
import { type CommandGround, runCommands } from "../run_commands.ts";
import { rootAdditions, takeSnapshot } from "./root_additions.ts";
import {
  advanceQueue,
  BLOCKS_IN_ROW,
  countRound,
  hasUsedTools,
  isLasting,
  type QueuePlace,
  readQueue,
  REQUIREMENTS_HELD,
  resetRow,
} from "./stop_memory_table.ts";

export interface StopPolicy {
  readonly root: string | null;
  readonly commands: readonly CommandRule[];
  /** The folder in which new files hold back a stop; null where they do not. */
  readonly watchedRoot: string | null;
  readonly rootAdditionsMessage: string | null;
  /** How often Claude must finish; null for once. */
  readonly rounds: number | null;
  /** The message that holds back a stop although everything succeeded; null lets Claude stop. */
  readonly infiniteMessage: string | null;
  readonly maxBlocks: number;
  /** Messages that hold back the first stops; null for none. */
  readonly queue: PromptQueue | null;
}

/** Messages for sessions whose first prompt matches a prefix. */
export interface PromptQueue {
  readonly prefixes: readonly string[];
  readonly messages: readonly { readonly text: string; readonly times: number }[];
}

export interface Remembering {
  readonly sessionId: string;
  readonly atMs: number;
  /** The database; with null, or a database in memory, nothing can be counted. */
  readonly db: DatabaseSync | null;
  /** Whether the stop follows one that was held back. */
  readonly isContinued: boolean;
}

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
  const how = { untilFailure: true, done: ground.ran };
  const { runs, gone } = await runCommands(due, ground.commands, how);
  const failed = runs.find(({ end }) => end.kind !== "passed");
  if (failed?.end.kind === "interrupted") return { ...NOTHING, runs, isInterrupted: true, gone };
  const names = await additions(policy, ground);
  return {
    ...NOTHING,
    runs,
    gone,
    blocks: [
      ...failed === undefined ? [] : [{ rule: failed.command.rule, reason: failureText(failed) }],
      ...additionsBlocks(names, policy.rootAdditionsMessage),
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
export function acceptAdditions({ watchedRoot: root }: StopPolicy, memory: Remembering): void {
  const { sessionId, atMs } = memory;
  if (root !== null) withDatabase(memory, (db) => takeSnapshot(db, { sessionId, root }, atMs));
}

/** Returns the new files in the project's folder; none where that cannot be known. */
async function additions(
  { watchedRoot: root }: StopPolicy,
  memory: StopGround,
): Promise<readonly string[]> {
  if (root === null) return [];
  const { sessionId, atMs, commands: { environment } } = memory;
  const at = { atMs, environment };
  const added = withDatabase(memory, (db) => rootAdditions(db, { sessionId, root }, at));
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

/** Returns the next message for a session, and the place after it; null when none is left. */
export function nextOfQueue(
  queue: PromptQueue,
  { position, timesLeft, prompt }: QueuePlace & { readonly prompt: string },
): { readonly block: Block; readonly then: QueuePlace } | null {
  const message = queue.messages[position];
  if (message === undefined) return null;
  if (!queue.prefixes.some((source) => new RegExp(source, "s").test(prompt))) return null;
  const left = (timesLeft ?? message.times) - 1;
  return {
    block: { rule: "stop.promptPrefixBlocking", reason: message.text },
    then: left > 0 ? { position, timesLeft: left } : { position: position + 1, timesLeft: null },
  };
}

export function beginRow(memory: Remembering): void {
  withDatabase(memory, (db) => resetRow(db, memory.sessionId));
}

/** Tells whether requirements have held back a stop of this row; true also when that cannot be read. */
export function haveRequirementsHeld(memory: Remembering): boolean {
  const read = (db: DatabaseSync) => readCounter(db, memory.sessionId, REQUIREMENTS_HELD) > 0;
  return withDatabase(memory, read) ?? true;
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

/** Claude Code allows eight blocked stops in a row; one of them stays reserved for requirements. */
const MOST_BESIDE_REQUIREMENTS = 7;

/** Returns how many stops in a row the rules hold back at most. */
export function mostBlocks(maxBlocks: number, hasRequirements: boolean): number {
  return hasRequirements ? Math.min(maxBlocks, MOST_BESIDE_REQUIREMENTS) : maxBlocks;
}

/** Works on a database that outlives the process; undefined without one, or on a failure, which the hook reports. */
export function withDatabase<Result>(
  { db }: Pick<Remembering, "db">,
  work: (db: DatabaseSync) => Result,
): Result | undefined {
  return quietly(() => db !== null && isLasting(db) ? work(db) : undefined);
}

const WHAT_TO_DO =
  "They were not there when the session began. Move them into a folder where they belong, or remove what is yours.";

function additionsBlocks(names: readonly string[], message: string | null): Block[] {
  if (names.length === 0) return [];
  const files = names.join(", ");
  const advice = message?.replaceAll("{file_path}", files).replaceAll("{tool}", "Stop");
  const reason = `Unauthorized root additions detected: ${files}\n${advice ?? WHAT_TO_DO}`;
  return [{ rule: ROOT_RULE, reason }];
}

/** Rules that make Claude go on although nothing is wrong. */
const GO_ON = new Set(["stop.rounds", "stop.infinite", "stop.promptPrefixBlocking"]);

const LETTING_BE =
  `Files that are there when Claude stops while ${ROOT_RULE} is lifted count as known afterwards.`;

/** Writes what Claude reads: the reasons, what to do, and with `wayOut` how a person lifts the rules. */
export function stopReason(
  blocks: readonly Block[],
  about: { readonly inRow: number | null; readonly maxBlocks: number; readonly wayOut: string },
): string {
  const isWrong = blocks.some(({ rule }) => !GO_ON.has(rule));
  const { inRow, maxBlocks, wayOut } = about;
  return [
    ...blocks.map(({ reason }) => reason),
    isWrong
      ? "Claude may not stop before this is in order: correct it, then stop again."
      : `Go on working, then stop again (${blocks.map(({ rule }) => rule).join(", ")}).`,
    ...inRow === null ? [] : [`This is stop ${inRow} of at most ${maxBlocks} held back in a row.`],
    wayOut,
    ...(blocks.some(({ rule }) => rule === ROOT_RULE) ? [LETTING_BE] : []),
  ].join("\n");
}

/** Tells the person what is still open when a stop is let through. */
export function letThroughText(
  blocks: readonly Block[],
  { why, requirements }: { readonly why: string; readonly requirements: readonly string[] },
): string {
  const open = blocks.map(({ rule, reason }) => {
    const [line = ""] = reason.split("\n");
    return line.startsWith(rule) ? line : `${rule}: ${line}`;
  });
  return [`conclaude lets Claude stop, ${why}. Still open:`, ...open, ...requirements].join("\n");
}
