/** Whether what requirements and pauses need is remembered. Loaded with every tool use: it imports nothing that runs. */
import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../config/hook_config.ts";
import type { Keeping } from "../guard/lift.ts";

/** What becomes of what is written there. @param db Null when it cannot be opened or written. */
export function keepingOf(
  db: DatabaseSync | null,
  { databaseEnabled }: Pick<HookConfig, "databaseEnabled">,
): Keeping {
  if (!databaseEnabled) return "off";
  return db === null ? "broken" : "lasting";
}
