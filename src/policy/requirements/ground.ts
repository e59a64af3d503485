/** Tells on which branch of a repository requirements count, or why they count nowhere. */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../../base/errors.ts";
import { UNKNOWN_SESSION_ID } from "../../base/ids.ts";
import type { HookConfig } from "../../config/hook_config.ts";
import { lastBranch } from "../../db/sessions.ts";
import type { Environment } from "../../system/environment.ts";
import type { Repository } from "../../system/git/repository.ts";
import { keepingOf } from "../guards/lift.ts";
import type { BranchKey } from "./standing.ts";

/** A session, the place where it works, and what a judgement of its requirements needs. */
export interface RequirementWork {
  /** Null where the database cannot be read. */
  readonly db: DatabaseSync | null;
  readonly config: Pick<HookConfig, "databaseEnabled" | "guards">;
  readonly repository: Repository | undefined;
  readonly projectDir: string | null;
  readonly sessionId: string;
  /** The transcript that the current event names; an agent may have made up earlier events. */
  readonly transcriptPath: string | null;
  readonly atMs: number;
  readonly environment: Environment;
  /** Returns a path as it may be stored. Without this function no path is stored. */
  readonly hide?: ((path: string) => string | null) | undefined;
}

/** The checked-out branch, else the session's last branch, else the reason why there is none. */
export type Ground =
  | {
    readonly kind: "branch";
    readonly repository: Repository;
    readonly branch: string;
    readonly key: BranchKey;
  }
  | Nowhere & { readonly repository: Repository }
  | Nowhere & { readonly repository: null };

type Nowhere = { readonly kind: "none"; readonly why: string; readonly next: string };

function nowhere<Where>(repository: Where, [why, next]: readonly [string, string]) {
  return { kind: "none", repository, why, next } as const;
}

export const UNKEPT = nowhere(null, [
  "the database is switched off (`database.enabled: false`, or `--no-db`), so that nothing can be kept of them",
  "conclaude config path",
]);

export const NAMELESS = nowhere(null, ["the event names no session", "conclaude doctor"]);

export const DETACHED = "HEAD is detached, so there is no branch";

export const UNKNOWN_BRANCH =
  "git does not tell which branch is checked out (it is missing, or older than the format of this repository)";

/** Returns the branch whose requirements count. `last`: the session's last one, if none is checked out or known. */
export function groundOf(repository: Repository | undefined, last: string | null = null): Ground {
  if (repository === undefined) {
    return nowhere(null, ["this folder is in no git repository", "git init"]);
  }
  const branch = repository.branch ?? last;
  if (branch !== null) {
    const key = { repository: repository.commonDir, branch };
    return { kind: "branch", repository, branch, key };
  }
  return repository.isBranchUnknown
    ? nowhere(repository, [UNKNOWN_BRANCH, "git symbolic-ref HEAD"])
    : nowhere(repository, [DETACHED, "git switch NAME"]);
}

/** Returns a session's last branch where none is checked out now; null where the session was on none. */
export function lastBranchIn(
  repository: Repository | undefined,
  { db, sessionId }: Pick<RequirementWork, "db" | "sessionId">,
): string | null {
  if (db === null || repository === undefined || repository.branch !== null) return null;
  const key = { sessionId, repository: repository.commonDir };
  return quietly(() => lastBranch(db, key)) ?? null;
}

/** Tells where requirements count for an event: nowhere if the event names no session or the database is off. */
export function groundFor(
  { repository, sessionId, db, config }: Pick<
    RequirementWork,
    "repository" | "sessionId" | "db" | "config"
  >,
): Ground {
  if (sessionId === UNKNOWN_SESSION_ID) return NAMELESS;
  return keepingOf(db, config) === "off"
    ? UNKEPT
    : groundOf(repository, lastBranchIn(repository, { db, sessionId }));
}
