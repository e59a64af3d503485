import type { DatabaseSync } from "node:sqlite";
import { type ConfigFile, DEFAULT_HOOK_CONFIG } from "./discover.ts";
import type { HookConfig } from "./hook_config.ts";
import { withLock } from "./last_policy.ts";

/**
 * The configuration as a hook would have it, without a trace: parsed anew, and nothing is stored.
 *
 * @param cache The database that the cache lies in, for reading; null when there is none.
 */
export async function peekHookConfig(
  files: readonly ConfigFile[],
  cache: DatabaseSync | null,
): Promise<HookConfig> {
  if (files.length === 0) return DEFAULT_HOOK_CONFIG;
  const { parseConfig } = await import("./parse.ts");
  return withLock(parseConfig(files), { files, cache });
}
