/** Whether what requirements and pauses need is remembered. */
import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../config/hook_config.ts";
import type { Repository } from "../git/repository.ts";
import type { Keeping } from "../guard/lift.ts";
import { type Ground, groundOf, UNKEPT } from "./requirements.ts";

/** What becomes of what is written there. @param db Null when it cannot be opened or written. */
export function keepingOf(
  db: DatabaseSync | null,
  { databaseEnabled }: Pick<HookConfig, "databaseEnabled">,
): Keeping {
  if (!databaseEnabled) return "off";
  return db === null ? "broken" : "lasting";
}

/** Where requirements count for an event: nowhere when nothing can be kept of them. */
export function groundFor(
  { repository, db, config }: {
    readonly repository: Repository | undefined;
    readonly db: DatabaseSync | null;
    readonly config: Pick<HookConfig, "databaseEnabled">;
  },
): Ground {
  return keepingOf(db, config) === "off" ? UNKEPT : groundOf(repository);
}
