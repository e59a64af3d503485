/** Where requirements count: on a branch of a repository, or nowhere, and why. */
import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../config/hook_config.ts";
import type { Repository } from "../git/repository.ts";
import { keepingOf } from "../guard/lift.ts";
import { UNKNOWN_SESSION_ID } from "../ids.ts";
import type { BranchKey } from "../store/requirements.ts";
import { lastBranch } from "../store/sessions.ts";

/** Where requirements count: on a branch of a repository, checked out or the last one of a session, or why they do not. */
export type Ground =
  | {
    readonly kind: "branch";
    readonly repository: Repository;
    readonly branch: string;
    /** What is kept of it is kept under this. */
    readonly key: BranchKey;
  }
  | Nowhere<Repository>
  | Nowhere<null>;

interface Nowhere<Where extends Repository | null> {
  readonly kind: "none";
  readonly repository: Where;
  readonly why: string;
  /** What a person can do about it. */
  readonly next: string;
}

/** Where nothing can be remembered. */
export const UNKEPT: Nowhere<null> = {
  kind: "none",
  repository: null,
  why:
    "the database is switched off (`database.enabled: false`, or `--no-db`), so that nothing can be kept of them",
  next: "conclaude config path",
};

/** Where nobody can say whose requirements they would be. */
export const NAMELESS: Nowhere<null> = {
  kind: "none",
  repository: null,
  why: "the event names no session",
  next: "conclaude doctor",
};

/** Why requirements do not count where no branch is checked out. */
export const DETACHED = "HEAD is detached, so there is no branch";

/** Why they do not where git cannot be asked. */
export const UNTOLD_BRANCH =
  "git does not tell which branch is checked out (it is missing, or older than the format of this repository)";

/**
 * The branch that requirements are kept for.
 *
 * @param last The branch that counts where none is checked out: {@linkcode lastBranchIn}.
 */
export function groundOf(repository: Repository | undefined, last: string | null = null): Ground {
  if (repository === undefined) {
    const why = "this folder is in no git repository";
    return { kind: "none", repository: null, why, next: "git init" };
  }
  const branch = repository.branch ?? last;
  if (branch !== null) {
    return {
      kind: "branch",
      repository,
      branch,
      key: { repository: repository.commonDir, branch },
    };
  }
  return repository.isUntold
    ? { kind: "none", repository, why: UNTOLD_BRANCH, next: "git symbolic-ref HEAD" }
    : { kind: "none", repository, why: DETACHED, next: "git switch NAME" };
}

/** The last branch of a session in a repository where none is checked out now; null where it was on none. */
export function lastBranchIn(
  repository: Repository | undefined,
  { db, sessionId }: { readonly db: DatabaseSync | null; readonly sessionId: string },
): string | null {
  if (db === null || repository === undefined || repository.branch !== null) return null;
  const asked = { sessionId, repository: repository.commonDir };
  return quietly(() => lastBranch(db, asked)) ?? null;
}

/** Where requirements count for an event: nowhere without a session, and when nothing can be kept of them. */
export function groundFor(
  { repository, sessionId, db, config }: {
    readonly repository: Repository | undefined;
    readonly sessionId: string;
    readonly db: DatabaseSync | null;
    readonly config: Pick<HookConfig, "databaseEnabled">;
  },
): Ground {
  if (sessionId === UNKNOWN_SESSION_ID) return NAMELESS;
  return keepingOf(db, config) === "off"
    ? UNKEPT
    : groundOf(repository, lastBranchIn(repository, { db, sessionId }));
}

/** What a read before the event gives; undefined when the database did not answer. */
export function quietly<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    // The write of the event will tell what is wrong with the database.
    return undefined;
  }
}
