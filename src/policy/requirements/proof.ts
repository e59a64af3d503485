/**
 * Searches transcripts for proofs of satisfactions that an event brought. An agent can make up an event
 * (`conclaude hook PostToolUse`), but the transcript shows what Claude Code has really done.
 */
import { quietly } from "../../base/errors.ts";
import { joinPath, parentOf } from "../../base/paths.ts";
import { isFile } from "../../system/files.ts";
import { linesWith } from "../../system/lines_backwards.ts";
import { namesIn } from "../../system/on_disk.ts";
import type { RequirementWork } from "./ground.ts";
import type { RequirementChange } from "./requirements_table.ts";
import { usedSkill } from "./skills.ts";
import type { Judged, Proof, Standing } from "./standing.ts";

export type Proving = Pick<RequirementWork, "sessionId" | "transcriptPath" | "hide"> & {
  readonly isStrict: boolean;
};

type Found = { readonly foundIn: string } | { readonly missing: "not shown" | "no transcript" };

const NOT_SHOWN = { missing: "not shown" } as const;
const NO_TRANSCRIPT = { missing: "no transcript" } as const;

/**
 * Searches the transcripts for the proofs that standings of a branch need.
 * @returns `changes` stores the found proofs, so that nobody searches for them again. `marked` marks the standings
 * without a proof, also those that appeared after the search.
 */
export function prove(standings: readonly Standing[], at: Proving) {
  const found = new Map<string, Found>();
  const changes: RequirementChange[] = [];
  const where = { near: at.transcriptPath, sessionId: at.sessionId };
  for (const standing of standings.filter((one) => isUnproven(one, at))) {
    const proof = proofOf(standing)!;
    const name = nameOf(standing);
    const known = found.get(name) ?? lookForProof(proof, skillOf(standing), where);
    found.set(name, known);
    if ("foundIn" in known && at.hide?.(known.foundIn) === known.foundIn) {
      changes.push(changeOf(standing, { ...proof, ...known }));
    }
  }
  const marked = (standing: Standing): Standing => {
    if (!isUnproven(standing, at)) return standing;
    const known = found.get(nameOf(standing)) ?? NOT_SHOWN;
    if ("foundIn" in known) return standing;
    const why = unprovenText(standing, known.missing);
    return { ...standing, unproven: { why, counts: !at.isStrict } };
  };
  return { changes, marked: (standings: readonly Standing[]) => standings.map(marked) };
}

/**
 * Returns what to note and tell of satisfactions that are needed now but lack a proof; the person is told of each once.
 * @param to The session that the person's command names; null to tell nothing.
 */
export function tellUnproven(judged: readonly Judged[], to: { readonly session: string } | null) {
  const unproven = judged.flatMap(({ unproven, needsSatisfaction }) =>
    unproven !== undefined && needsSatisfaction ? [unproven] : []
  );
  const names = new Set(unproven.map(({ requirement }) => requirement));
  const untold = to === null ? [] : unproven.filter((one) => proofOf(one)?.isTold !== true);
  return {
    notes: names.size === 0 ? {} : { unproven: [...names] },
    notices: untold.map(({ requirement, unproven }) =>
      `conclaude: ${requirement} counts as satisfied, but ${unproven!.why}. ` +
      `\`conclaude req explain ${requirement} --session ${to!.session}\``
    ),
    changes: untold.map((one) => changeOf(one, { ...proofOf(one)!, isTold: true })),
  };
}

/** Returns the proof that a satisfaction needs; null for a person's word, and for satisfactions of older versions. */
function proofOf({ satisfiedAtMs, satisfiedBy, metadata }: Standing): Proof | null {
  if (satisfiedAtMs === null) return null;
  if (satisfiedBy !== "skill" && satisfiedBy !== "carry_over") return null;
  const proof = metadata["proof"];
  return typeof proof === "object" && proof !== null ? proof as Proof : null;
}

/** Returns the satisfying skill, or the satisfying slash command without its `/`. */
function skillOf({ metadata }: Standing): string {
  return String(metadata["skill"]);
}

/** Tells whether a proof must be searched for. A found proof counts only if it lies among this client's transcripts. */
function isUnproven(standing: Standing, { transcriptPath }: Proving): boolean {
  const proof = proofOf(standing);
  if (proof === null) return false;
  const { foundIn } = proof;
  if (foundIn === undefined || transcriptPath === null) return true;
  const all = parentOf(parentOf(transcriptPath));
  const isAmongThem = foundIn.startsWith(all) && /^[\\/]/.test(foundIn.slice(all.length));
  return !isAmongThem || /[\\/]\.\.[\\/]/.test(foundIn);
}

function nameOf(standing: Standing): string {
  const { of, id, sessionId, agentId } = proofOf(standing)!;
  return JSON.stringify([of, id, sessionId, agentId, skillOf(standing)]);
}

function changeOf(
  { repository, branch, requirement, sessionId }: Standing,
  proof: Proof,
): RequirementChange {
  return { kind: "proof", repository, branch, requirement, sessionId, proof };
}

/** Says why a satisfaction is unproven, as a sentence without its end. */
function unprovenText(standing: Standing, missing: string): string {
  const skill = skillOf(standing);
  const isGiven = proofOf(standing)?.of === "prompt";
  const what = isGiven ? `the command /${skill} was given` : `the skill ${skill} was used`;
  return missing === "not shown"
    ? `the transcript of the session does not show that ${what}`
    : `there is no transcript of the session that can show that ${what}`;
}

/** How many bytes from the end of a transcript are searched. */
const MAX_BYTES = 50 * 1_048_576;

/** Matches an id that may become part of a path, since it leads to no other folder. */
const PLAIN_NAME = /^[\w-]+$/;

/** Looks for a proof. `near` is the transcript of the session; other sessions' transcripts lie around that file. */
export function lookForProof(
  proof: Proof,
  skill: string,
  { near, sessionId }: { readonly near: string | null; readonly sessionId: string },
): Found {
  const path = near === null ? null : transcriptOf(proof, near, sessionId);
  if (path === null) return NO_TRANSCRIPT;
  if (proof.id === null) return NOT_SHOWN;
  // Every line that may show the proof contains this text.
  const sign = JSON.stringify(proof.of === "skill" ? proof.id : commandTag(skill)).slice(1, -1);
  try {
    for (const line of linesWith(path, sign, MAX_BYTES)) {
      const end = outcomeIn(quietly(() => JSON.parse(line)), proof, skill);
      if (end !== null) return end === "done" ? { foundIn: path } : NOT_SHOWN;
    }
    return NOT_SHOWN;
  } catch {
    return NO_TRANSCRIPT;
  }
}

/** Returns the transcript that must show the proof; null where there is none. */
function transcriptOf({ sessionId, agentId }: Proof, near: string, whose: string): string | null {
  const session = sessionId === whose && isFile(near) ? near : sessionBeside(near, sessionId);
  if (session === null || agentId === null) return session;
  if (!PLAIN_NAME.test(agentId)) return null;
  const path = joinPath(session.replace(/\.jsonl$/, ""), `subagents/agent-${agentId}.jsonl`);
  return isFile(path) ? path : null;
}

/** Finds the transcript of another session, in the same folder or in another project's folder. */
function sessionBeside(near: string, sessionId: string): string | null {
  if (!PLAIN_NAME.test(sessionId)) return null;
  const here = joinPath(parentOf(near), `${sessionId}.jsonl`);
  if (isFile(here)) return here;
  const all = parentOf(parentOf(near));
  const beside = (namesIn(all) ?? []).map((name) => joinPath(all, `${name}/${sessionId}.jsonl`));
  return beside.find(isFile) ?? null;
}

/** Tells whether a line of a transcript shows that the skill was used, or that its use failed; null for neither. */
function outcomeIn(line: unknown, { of, id }: Proof, skill: string): "done" | "failed" | null {
  const { type, isSidechain, isMeta, promptId, message } = Object(line);
  const content: unknown = Object(message).content;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  if (of === "prompt") {
    // A transcript holds the text of a skill as a prompt too, with `isMeta`.
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

function isCommand(block: unknown, skill: string): boolean {
  const text: unknown = typeof block === "string" ? block : Object(block).text;
  return typeof text === "string" && text.trimStart().startsWith("<command-") &&
    text.includes(commandTag(skill));
}

function commandTag(skill: string): string {
  return `<command-name>/${skill}</command-name>`;
}
