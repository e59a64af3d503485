/** Tells how requirements stand on a branch for a session, and whom to tell. */
import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../../config/hook_config.ts";
import type { Environment } from "../../system/environment.ts";
import { type Repository, worktreeDirs } from "../../system/git/repository.ts";
import { type Facts, type Open, openOf, unknownOf } from "./open_requirements.ts";
import type { Requirement } from "./requirement_policy.ts";
import type { Audience } from "./requirement_text.ts";
import type { Standing } from "./standing.ts";
import { tellingId } from "../../db/sessions.ts";
import { gatherFacts, isStrict } from "./asked_requirements.ts";
import { type Ground } from "./ground.ts";
import { prove } from "./proven.ts";
import { usedUpSince, withoutSpent } from "./commits.ts";
import { readStandings } from "./requirements_table.ts";

export interface Stand {
  readonly open: readonly Open[];
  /** Requirements that cannot be judged. */
  readonly unknown: readonly Open[];
  readonly standings: readonly Standing[];
  readonly facts: Facts;
  readonly to: Audience;
}

/** Finds out which of these requirements are open. It writes nothing. */
export async function standOf(
  requirements: readonly Requirement[],
  { ground, db, ...at }: {
    readonly ground: Extract<Ground, { readonly kind: "branch" }>;
    readonly db: DatabaseSync;
    readonly config: Pick<HookConfig, "guards">;
    readonly sessionId: string;
    readonly transcriptPath: string | null;
    readonly atMs: number;
    readonly projectDir: string | null;
    readonly environment: Environment;
  },
): Promise<Stand> {
  const { repository, branch, key } = ground;
  const { facts } = await gatherFacts(requirements, { ...at, db, repository, branch });
  const standings = await provenStandings(requirements, { ...at, db, key });
  return {
    open: openOf(requirements, standings, facts),
    unknown: unknownOf(requirements, standings, facts),
    standings,
    facts,
    to: audienceOf(facts, { repository, db, isCheckedOut: repository.branch === branch }),
  };
}

/** The standings on a branch for a session: those that are used up are left out, those without proof are marked. */
export async function provenStandings(
  requirements: readonly Requirement[],
  at: Parameters<typeof usedUpSince>[1] & {
    readonly db: DatabaseSync;
    readonly config: Pick<HookConfig, "guards">;
    readonly transcriptPath: string | null;
  },
): Promise<Standing[]> {
  const { db, key, sessionId } = at;
  const spent = await usedUpSince(requirements, at);
  const standings = withoutSpent(readStandings(db, key, sessionId), spent);
  return prove(standings, key, { ...at, isStrict: isStrict(at.config) }).marked(standings);
}

/**
 * Whom to tell. Commands name the branch where there are several working trees, and where it is not checked out. `db`
 * is asked for the session's short id when something is told; null where it cannot be asked.
 */
export function audienceOf(
  facts: Facts,
  { repository, db, isCheckedOut = true }: {
    readonly db: DatabaseSync | null;
    readonly repository: Pick<Repository, "commonDir">;
    readonly isCheckedOut?: boolean;
  },
): Audience {
  return {
    get session() {
      return tellingId(db, facts.sessionId);
    },
    branch: !isCheckedOut || worktreeDirs(repository).length > 0 ? facts.branch : null,
    facts,
  };
}
