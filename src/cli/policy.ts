import type { DatabaseSync } from "node:sqlite";
import { readConfigFiles } from "../config/discover.ts";
import type { HookConfig } from "../config/hook_config.ts";
import { peekHookConfig } from "../config/peek.ts";
import type { GuardPolicy } from "../guard/policy.ts";
import { databaseAt } from "../paths.ts";
import { lookUpwards } from "../project/look.ts";
import { openIfOurs } from "../store/identity.ts";
import type { CliContext } from "./context.ts";

/** What a hook would know in a folder. */
export interface Peek<Found> {
  readonly config: HookConfig;
  readonly policy: GuardPolicy | null;
  readonly found: Found;
}

/**
 * Looks at configuration and database the way a hook in a folder does, and leaves both as they are.
 *
 * @param ask Asks the database, which is closed afterwards; it is null when there is none that can be read.
 */
export async function peek<Found>(
  { globals, locations }: CliContext,
  folder: string,
  ask: (
    db: DatabaseSync | null,
    config: HookConfig,
    policy: GuardPolicy | null,
  ) => Found | Promise<Found>,
): Promise<Peek<Found>> {
  const files = readConfigFiles(lookUpwards(folder), locations);
  const cache = globals.noDb ? null : openIfOurs(locations.database);
  const written = await peekHookConfig(files, cache);
  const config = globals.noDb ? { ...written, databaseEnabled: false } : written;
  const path = databaseAt(locations, config.databasePath);
  const isSame = path === locations.database;
  const db = !config.databaseEnabled ? null : isSame ? cache : openIfOurs(path);
  try {
    const policy: GuardPolicy | null = config.guards === "" ? null : JSON.parse(config.guards);
    return { config, policy, found: await ask(db, config, policy) };
  } finally {
    cache?.close();
    if (!isSame) db?.close();
  }
}
