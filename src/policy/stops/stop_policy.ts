/** Types of the compiled stop policy, and the texts that hold back a stop or let it through. */
import type { CommandRule } from "../../system/process/types.ts";
import { type Block, ROOT_RULE } from "../guards/guard_policy.ts";

export interface StopPolicy {
  readonly root: string | null;
  readonly commands: readonly CommandRule[];
  readonly preventsRootAdditions: boolean;
  readonly rootAdditionsMessage: string | null;
  /** How often Claude must finish; null for once. */
  readonly rounds: number | null;
  /** The message that holds back a stop although everything succeeded; null lets Claude stop. */
  readonly infiniteMessage: string | null;
  readonly maxBlocks: number;
  /** Messages that hold back the first stops; null for none. */
  readonly queue: PromptQueue | null;
}

/** Claude Code allows eight blocked stops in a row; one of them stays reserved for requirements. */
const MOST_BESIDE_REQUIREMENTS = 7;

/** Returns how many stops in a row the rules hold back at most. */
export function mostBlocks(maxBlocks: number, hasRequirements: boolean): number {
  return hasRequirements ? Math.min(maxBlocks, MOST_BESIDE_REQUIREMENTS) : maxBlocks;
}

/** Messages for sessions whose first prompt matches a prefix. */
export interface PromptQueue {
  readonly prefixes: readonly string[];
  readonly messages: readonly { readonly text: string; readonly times: number }[];
}

/** How far a session has come in the queue of messages. */
export interface QueuePlace {
  readonly position: number;
  /** How many more stops get the message at this position; null for all of them. */
  readonly timesLeft: number | null;
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

const WHAT_TO_DO =
  "They were not there when the session began. Move them into a folder where they belong, or remove what is yours.";

export function additionsBlock(names: readonly string[], message: string | null): Block {
  const files = names.join(", ");
  const advice = message?.replaceAll("{file_path}", files).replaceAll("{tool}", "Stop");
  return {
    rule: ROOT_RULE,
    reason: `Unauthorized root additions detected: ${files}\n${advice ?? WHAT_TO_DO}`,
  };
}

/** Rules that make Claude go on although nothing is wrong. */
const GO_ON = new Set(["stop.rounds", "stop.infinite", "stop.promptPrefixBlocking"]);

const LETTING_BE =
  "Files that are there when Claude stops while it is lifted count as known afterwards.";

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
    ...(inRow === null
      ? []
      : [`This is stop ${inRow} of at most ${maxBlocks} held back in a row.`]),
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
  return `conclaude lets Claude stop, ${why}. Still open:\n${
    [...open, ...requirements].join("\n")
  }`;
}
