/** Where requirements count. */
import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../config/hook_config.ts";
import type { Repository } from "../git/repository.ts";
import { UNKNOWN_SESSION_ID } from "../ids.ts";
import { keepingOf } from "./keeping.ts";
import { type Ground, groundOf, lastBranchIn, NAMELESS, UNKEPT } from "./requirements.ts";

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
