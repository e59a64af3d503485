/** Tells whether what a person lifts can be kept. */
import type { HookConfig } from "../../config/hook_config.ts";

/** Whether pauses and satisfactions can be stored: the database may be switched off, or unusable. */
export type Keeping = "lasting" | "off" | "broken";

export interface Mending {
  /** What is wrong with the database, with its path. */
  readonly trouble: string;
  /** The command that repairs it, in backticks. */
  readonly remedy: string;
}

/** Tells whether pauses can be stored. `db` is null when the database cannot be opened or written. */
export function keepingOf(
  db: object | null,
  { databaseEnabled }: Pick<HookConfig, "databaseEnabled">,
): Keeping {
  if (!databaseEnabled) return "off";
  return db === null ? "broken" : "lasting";
}
