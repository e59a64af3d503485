/** Checks whether satisfactions that came with an event are proven by a transcript. */
import type { DatabaseSync } from "node:sqlite";
import { joinPath, parentOf } from "../../base/paths.ts";
import { type Facts, openOf } from "./open_requirements.ts";
import {
  type Missing,
  type Proof,
  proofOf,
  saidIn,
  signOf,
  skillOf,
  unprovenText,
} from "./proof.ts";
import type { Requirement } from "./requirement_policy.ts";
import type { Audience } from "./requirement_text.ts";
import { type BranchKey, type Standing, unprovenOf } from "./standing.ts";
import { readStandings, type RequirementChange } from "./requirements_table.ts";
import { quietly } from "../../base/errors.ts";
import { linesWith } from "../../system/lines_backwards.ts";
import { isFile } from "../../system/files.ts";
import { namesIn } from "../../system/on_disk.ts";

export interface Proving {
  readonly sessionId: string;
  /** The transcript that the current event names; an earlier event may be made up. */
  readonly transcriptPath: string | null;
  readonly isStrict: boolean;
  /** Returns a path as it may be stored. Without this function no path is stored. */
  readonly hide?: ((path: string) => string | null) | undefined;
}

export interface Proofs {
  marked(standings: readonly Standing[]): Standing[];
  /** Proofs that were found, to be stored so that nobody searches for them again. */
  readonly changes: readonly RequirementChange[];
}

type Found = { readonly foundIn: string } | { readonly missing: Missing };

export function proofsOn(
  key: BranchKey,
  requirements: readonly Requirement[],
  { db, ...at }: Proving & { readonly db: DatabaseSync | null },
): Proofs {
  const names = new Set(requirements.map(({ name }) => name));
  const stored = db === null ? [] : quietly(() => readStandings(db, key, at.sessionId)) ?? [];
  return prove(stored.filter(({ requirement }) => names.has(requirement)), key, at);
}

export function prove(standings: readonly Standing[], key: BranchKey, at: Proving): Proofs {
  const found = new Map<string, Found>();
  const changes: RequirementChange[] = [];
  const where = { near: at.transcriptPath, sessionId: at.sessionId };
  for (const standing of standings.filter((one) => isUnproven(one, at))) {
    const proof = proofOf(standing)!;
    const known = found.get(nameOf(standing)) ?? lookForProof(proof, skillOf(standing), where);
    found.set(nameOf(standing), known);
    if ("foundIn" in known && at.hide?.(known.foundIn) === known.foundIn) {
      changes.push(changeOf(standing, key, { ...proof, ...known }));
    }
  }
  return {
    changes,
    marked: (standings) =>
      standings.map((standing) => {
        if (!isUnproven(standing, at)) return standing;
        const known = found.get(nameOf(standing)) ?? { missing: "not shown" };
        if ("foundIn" in known) return standing;
        const why = unprovenText(standing, known.missing);
        return { ...standing, unproven: { why, counts: !at.isStrict } };
      }),
  };
}

/** A satisfaction that counts without its proof. */
export interface Unproven {
  readonly key: BranchKey;
  readonly standing: Standing;
}

/** The satisfactions without proof that keep a requirement from being open. */
export function unprovenAmong(
  requirements: readonly Requirement[],
  standings: readonly Standing[],
  { key, facts }: { readonly key: BranchKey; readonly facts: Facts },
): Unproven[] {
  return requirements.flatMap((requirement) => {
    const standing = unprovenOf(requirement, standings, facts);
    const isNeeded = standing !== undefined && openOf([requirement], [], facts).length > 0;
    return isNeeded ? [{ key, standing }] : [];
  });
}

export function unprovenNotes(unproven: readonly Unproven[]): Readonly<Record<string, unknown>> {
  const names = new Set(unproven.map(({ standing }) => standing.requirement));
  return names.size === 0 ? {} : { unproven: [...names] };
}

/** Notices for the person, each given once. */
export function noticeOf(
  unproven: readonly Unproven[],
  to: Pick<Audience, "session">,
): { readonly notices: readonly string[]; readonly changes: readonly RequirementChange[] } {
  const untold = unproven.filter(({ standing }) => proofOf(standing)?.isTold !== true);
  return {
    notices: untold.map(({ standing }) =>
      `conclaude: ${standing.requirement} counts as satisfied, but ${standing.unproven!.why}. ` +
      `\`conclaude req explain ${standing.requirement} --session ${to.session}\``
    ),
    changes: untold.map(({ key, standing }) =>
      changeOf(standing, key, { ...proofOf(standing)!, isTold: true })
    ),
  };
}

/** Whether a proof has to be searched. A found proof counts only among the transcripts of this client. */
function isUnproven(standing: Standing, { transcriptPath }: Proving): boolean {
  const proof = standing.satisfiedAtMs === null ? null : proofOf(standing);
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
  { requirement, sessionId }: Standing,
  { repository, branch }: BranchKey,
  proof: Proof,
): RequirementChange {
  return { kind: "proof", repository, branch, requirement, sessionId, proof };
}

/** How far from the end of a transcript it is searched. */
const MAX_BYTES = 50 * 1_048_576;

/** An id that may become part of a path, since it leads to no other folder. */
const PLAIN_NAME = /^[\w-]+$/;

/** Looks for a proof. `near` is the transcript of the session; those of other sessions lie around it. */
export function lookForProof(
  proof: Proof,
  skill: string,
  { near, sessionId }: { readonly near: string | null; readonly sessionId: string },
): Found {
  const path = near === null ? null : transcriptOf(proof, near, sessionId);
  if (path === null) return { missing: "no transcript" };
  if (proof.id === null) return { missing: "not shown" };
  try {
    for (const line of linesWith(path, signOf(proof, skill), MAX_BYTES)) {
      const said = saidIn(quietly(() => JSON.parse(line)), proof, skill);
      if (said !== null) return said === "done" ? { foundIn: path } : { missing: "not shown" };
    }
    return { missing: "not shown" };
  } catch {
    return { missing: "no transcript" };
  }
}

/** The transcript that has to show the proof; null where there is none. */
function transcriptOf({ sessionId, agentId }: Proof, near: string, whose: string): string | null {
  const session = sessionId === whose && isFile(near) ? near : sessionBeside(near, sessionId);
  if (session === null || agentId === null) return session;
  if (!PLAIN_NAME.test(agentId)) return null;
  const folder = joinPath(session.replace(/\.jsonl$/, ""), "subagents");
  const path = joinPath(folder, `agent-${agentId}.jsonl`);
  return isFile(path) ? path : null;
}

/** The transcript of another session, in the same folder or in that of another project. */
function sessionBeside(near: string, sessionId: string): string | null {
  if (!PLAIN_NAME.test(sessionId)) return null;
  const folder = parentOf(near);
  const inFolder = (folder: string) => joinPath(folder, `${sessionId}.jsonl`);
  if (isFile(inFolder(folder))) return inFolder(folder);
  const all = parentOf(folder);
  return (namesIn(all) ?? []).map((name) => inFolder(joinPath(all, name))).find(isFile) ?? null;
}
