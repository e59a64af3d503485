/**
 * Proofs of satisfactions that came with an event. An agent can make up an event (`conclaude hook PostToolUse`), but
 * the transcript shows what Claude Code has really done.
 */
import { usedSkill } from "./skills.ts";
import type { Standing } from "./standing.ts";

export interface Proof {
  readonly of: "skill" | "prompt";
  /** The id of the tool use or the prompt; null where the event has none. */
  readonly id: string | null;
  readonly sessionId: string;
  /** The sub-agent; null for the session itself. */
  readonly agentId: string | null;
  /** The transcript that shows it, once it was found. */
  readonly foundIn?: string;
  /** The person was told that no transcript shows it. */
  readonly isTold?: true;
}

export type Missing = "not shown" | "no transcript";

/** The proof that a satisfaction needs; null for a person's word, and for satisfactions of older versions. */
export function proofOf({ satisfiedBy, metadata }: Standing): Proof | null {
  if (satisfiedBy !== "skill" && satisfiedBy !== "carry_over") return null;
  const proof = metadata["proof"];
  return typeof proof === "object" && proof !== null ? proof as Proof : null;
}

/** The skill, or the slash command without its `/`, that satisfied. */
export function skillOf({ metadata }: Standing): string {
  return String(metadata["skill"]);
}

/** A text that stands in every line which may show the proof. */
export function signOf({ of, id }: Proof, skill: string): string {
  const sign = of === "skill" ? id ?? "" : commandTag(skill);
  return JSON.stringify(sign).slice(1, -1);
}

/** Whether a line of a transcript shows that the skill was used, or that its use failed; null for neither. */
export function saidIn(line: unknown, { of, id }: Proof, skill: string): "done" | "failed" | null {
  const { type, isSidechain, isMeta, promptId, message } = Object(line);
  const content: unknown = Object(message).content;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  if (of === "prompt") {
    // The text of a skill also comes as a prompt, with `isMeta`.
    const isTyped = type === "user" && isSidechain !== true && isMeta !== true && promptId === id;
    return isTyped && blocks.some((block) => isCommand(block, skill)) ? "done" : null;
  }
  for (const block of blocks.map((block) => Object(block))) {
    if (type === "user" && block.tool_use_id === id && block.is_error === true) return "failed";
    if (type !== "assistant" || block.type !== "tool_use" || block.id !== id) continue;
    return block.name === "Skill" && usedSkill(block.input) === skill ? "done" : "failed";
  }
  return null;
}

/** Why a satisfaction is unproven, as a sentence without its end. */
export function unprovenText(standing: Standing, missing: Missing): string {
  const skill = skillOf(standing);
  const what = proofOf(standing)?.of === "prompt"
    ? `the command /${skill} was given`
    : `the skill ${skill} was used`;
  return missing === "not shown"
    ? `the transcript of the session does not show that ${what}`
    : `there is no transcript of the session that can show that ${what}`;
}

function isCommand(block: unknown, skill: string): boolean {
  const text: unknown = typeof block === "string" ? block : Object(block).text;
  return typeof text === "string" && text.trimStart().startsWith("<command-") &&
    text.includes(commandTag(skill));
}

function commandTag(skill: string): string {
  return `<command-name>/${skill}</command-name>`;
}
