/** Checks at the gates whether satisfactions that came with an event are proven. */
import type { DatabaseSync } from "node:sqlite";
import { parentOf } from "../paths.ts";
import { type Facts, openOf } from "../requirement/open_requirements.ts";
import { type Missing, type Proof, proofOf, skillOf, unprovenText } from "../requirement/proof.ts";
import type { Requirement } from "../requirement/requirement_policy.ts";
import type { Audience } from "../requirement/requirement_text.ts";
import { type Standing, unprovenOf } from "../requirement/standing.ts";
import { type BranchKey, readOwnStandings, type RequirementChange } from "../store/requirements.ts";
import { quietly } from "./ground.ts";

/** The session whose transcripts are searched. */
export interface Proving {
  readonly sessionId: string;
  /** The transcript that the asking event names: an earlier event may have lied. */
  readonly transcriptPath: string | null;
  /** True: an unproven satisfaction does not count. */
  readonly isStrict: boolean;
  /** A path as it may be stored; without it, no path is stored. */
  readonly hide?: ((path: string) => string | null) | undefined;
}

export interface Proofs {
  /** Marks the standings that are not proven. */
  marked(standings: readonly Standing[]): Standing[];
  /** Found proofs to store, so that they are not searched again. */
  readonly changes: readonly RequirementChange[];
}

type Found = { readonly foundIn: string } | { readonly missing: Missing };

/**
 * Looks up the proofs of these requirements' satisfactions on a branch.
 *
 * @param db Null where nothing can be read.
 */
export async function proofsOn(
  key: BranchKey,
  requirements: readonly Requirement[],
  { db, ...at }: Proving & { readonly db: DatabaseSync | null },
): Promise<Proofs> {
  const names = new Set(requirements.map(({ name }) => name));
  const stored = db === null ? [] : quietly(() => readOwnStandings(db, key, at.sessionId)) ?? [];
  return await prove(stored.filter(({ requirement }) => names.has(requirement)), key, at);
}

/** The same for standings that were read already. */
export async function prove(
  standings: readonly Standing[],
  key: BranchKey,
  at: Proving,
): Promise<Proofs> {
  const asked = standings.filter((standing) => isUnproven(standing, at));
  const found = new Map<string, Found>();
  const changes: RequirementChange[] = [];
  if (asked.length > 0) {
    const { lookForProof } = await import("./proof_lookup.ts");
    const where = { near: at.transcriptPath, sessionId: at.sessionId };
    for (const standing of asked) {
      const proof = proofOf(standing)!;
      const known = found.get(nameOf(standing)) ?? lookForProof(proof, skillOf(standing), where);
      found.set(nameOf(standing), known);
      if ("foundIn" in known && at.hide?.(known.foundIn) === known.foundIn) {
        changes.push(changeOf(standing, key, { ...proof, ...known }));
      }
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

/** The unproven satisfactions on which requirements depend. */
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

/** Their names, for the audit trail. */
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

/**
 * Whether a proof is missing or has to be searched again. A found proof counts only among the transcripts of this
 * client.
 */
function isUnproven(standing: Standing, { transcriptPath }: Proving): boolean {
  const proof = standing.satisfiedAtMs === null ? null : proofOf(standing);
  if (proof === null) return false;
  const { foundIn } = proof;
  if (foundIn === undefined || transcriptPath === null) return true;
  const all = parentOf(parentOf(transcriptPath));
  const isAmongThem = foundIn.startsWith(all) && /^[\\/]/.test(foundIn.slice(all.length));
  return !isAmongThem || /[\\/]\.\.[\\/]/.test(foundIn);
}

/** Identifies a proof. */
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
