/** Requirements as they stand, a row each: for `conclaude req status` and `explain`. */
import type { Environment } from "../environment.ts";
import type { DatabaseSync } from "node:sqlite";
import { ELSEWHERE } from "../gate/asked_requirements.ts";
import { type Ground } from "../gate/ground.ts";
import { provenStandings, type Stand, standOf } from "../gate/standings.ts";
import { openOf, unknownOf } from "../requirement/open_requirements.ts";
import type { Requirement } from "../requirement/requirement_policy.ts";
import {
  expiredOf,
  isTriggered,
  satisfyingOf,
  type Standing,
  unprovenOf,
  WHOLE_BRANCH,
} from "../requirement/standing.ts";
import { type Audience, reasonOf, type Status, statusOf } from "../requirement/requirement_text.ts";
import type { BranchKey } from "../store/requirements.ts";
import { transcriptNear } from "../store/sessions.ts";
import { tellingId } from "../store/telling_id.ts";
import type { RequirementsHere } from "./requirements_here.ts";

/** One requirement as it stands. */
export interface Row {
  readonly name: string;
  readonly type: "blocking" | "dynamic" | "guard";
  readonly calculator?: string;
  readonly guardType?: string;
  readonly scope: Requirement["scope"];
  /** `met` is a condition that holds by itself; of `unknown` nobody can tell. */
  readonly status: Status;
  readonly satisfiedBy: string | null;
  readonly satisfiedAtMs: number | null;
  readonly expiresAtMs: number | null;
  /** Who had satisfied it until it expired, and when that was; null where nothing expired. */
  readonly expired: { readonly by: string | null; readonly atMs: number } | null;
  /** Why the proof of its satisfaction is missing; null where it is proven, or needs no proof. */
  readonly unproven: string | null;
  readonly wholeBranch: boolean;
  readonly triggered: boolean;
  readonly stopOnly: boolean;
  readonly why: string | null;
  readonly run: string | null;
  readonly metadata: Standing["metadata"];
}

/** The type of a requirement, in the words of the configuration. */
export function configuredType(
  { condition: { type } }: Pick<Requirement, "condition">,
): Pick<Row, "type" | "calculator" | "guardType"> {
  switch (type) {
    case "blocking":
      return { type };
    case "branch_size":
      return { type: "dynamic", calculator: type };
    default:
      return { type: "guard", guardType: type };
  }
}

/** How the requirements stand on a branch for a session, and whom that is told to. */
export async function rowsOf(
  { requirements, ground, config }: Pick<RequirementsHere, "requirements" | "ground" | "config">,
  at: {
    readonly db: DatabaseSync;
    readonly key: BranchKey;
    readonly sessionId: string;
    readonly environment: Environment;
  },
): Promise<{ readonly rows: readonly Row[]; readonly to: Audience }> {
  const { open, unknown, standings, facts, to } = await standHere(requirements, ground, {
    ...at,
    config,
    transcriptPath: transcriptNear(at.db, { ...at.key, ...at }),
  });
  const { sessionId } = facts;
  const rows = requirements.map((requirement): Row => {
    const satisfying = satisfyingOf(requirement, standings, facts);
    const former = satisfying === undefined ? expiredOf(requirement, standings, facts) : undefined;
    const why = [...open, ...unknown].find((one) => one.requirement === requirement);
    const { name, scope, stopOnly, resolvedBy } = requirement;
    return {
      name,
      ...configuredType(requirement),
      scope,
      status: statusOf(requirement, standings, { open, unknown, ...facts }),
      satisfiedBy: satisfying?.satisfiedBy ?? null,
      satisfiedAtMs: satisfying?.satisfiedAtMs ?? null,
      expiresAtMs: satisfying?.expiresAtMs ?? null,
      expired: former === undefined ? null : { by: former.satisfiedBy, atMs: former.expiresAtMs! },
      unproven: unprovenOf(requirement, standings, facts)?.unproven?.why ?? null,
      wholeBranch: satisfying?.sessionId === WHOLE_BRANCH,
      triggered: isTriggered(requirement, standings, sessionId),
      stopOnly,
      why: why === undefined ? null : reasonOf(why, to),
      run: resolvedBy === null ? null : `/${resolvedBy}`,
      metadata: satisfying?.metadata ?? {},
    };
  });
  return { rows, to };
}

/** How requirements stand on the branch that is checked out here, or on another one. */
async function standHere(
  requirements: readonly Requirement[],
  ground: Ground,
  at: Parameters<typeof rowsOf>[1] & {
    readonly config: RequirementsHere["config"];
    readonly transcriptPath: string | null;
  },
): Promise<Stand> {
  const { db, key, sessionId } = at;
  const atMs = Date.now();
  if (ground.kind === "branch" && ground.branch === key.branch) {
    const projectDir = ground.repository.root;
    return await standOf(requirements, { ...at, ground, atMs, projectDir });
  }
  const branchLines = { unknown: ELSEWHERE };
  const facts = { sessionId, atMs, branch: key.branch, branchLines, otherSessions: [] };
  const standings = provenStandings(requirements, { ...at, atMs });
  const to = { session: tellingId(db, sessionId), branch: key.branch, facts };
  const open = openOf(requirements, standings, facts);
  return { open, unknown: unknownOf(requirements, standings, facts), standings, facts, to };
}
