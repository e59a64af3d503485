import type { DatabaseSync } from "node:sqlite";
import type { HooksPlace } from "../../claude/settings/installed_hooks.ts";
import type { ConfigFile } from "../../config/discover.ts";
import type { HookConfig } from "../../config/hook_config.ts";
import { quietly } from "../../base/errors.ts";
import { openDatabase } from "../../db/database.ts";
import type { DrainReport, DrainTarget } from "../../db/spool.ts";
import { identifyDatabase, openToLook } from "../../db/database_identity.ts";
import type { Environment } from "../../system/environment.ts";

/** Everything that a check may read. */
export interface DoctorPlace extends HooksPlace {
  readonly environment: Environment;
  readonly config: HookConfig;
  /** The configuration files that apply here. */
  readonly files: readonly ConfigFile[];
  /** Absolute path, or `:memory:`. */
  readonly database: string;
  /** What chose the database, in words that follow `chosen by`. */
  readonly databaseChosenBy: string;
  /** The file of this program. */
  readonly programPath: string;
  readonly nowMs: number;
  readonly drainSpool: (db: DatabaseSync, target: DrainTarget) => DrainReport;
  /** Whether to compare every word of the search index, however long hooks wait. */
  readonly comparesAll?: boolean;
}

/** The values that the database's repair needs. A hook judges the database without the optional ones. */
export type RepairPlace =
  & Pick<DoctorPlace, "locations" | "database" | "databaseChosenBy" | "nowMs">
  & Partial<Pick<DoctorPlace, "config" | "clientFolder">>;

/**
 * Reads the database without changing it.
 * @returns `undefined` when it is in memory, missing or unreadable; the check of the database reports the last two.
 */
export function askDatabase<Answer>(
  { database }: Pick<DoctorPlace, "database">,
  ask: (db: DatabaseSync) => Answer,
): Answer | undefined {
  if (database === ":memory:" || identifyDatabase(database).kind !== "ours") return undefined;
  return quietly(() => {
    using db = openToLook(database);
    return ask(db);
  });
}

/** Runs a repair on the database. @throws {Error} When the database cannot be written. */
export async function repairDatabase<Done>(
  { database, config }: Pick<DoctorPlace, "database" | "config">,
  repair: (db: DatabaseSync) => Done,
): Promise<Done> {
  using db = await openDatabase(database, { busyTimeoutMs: config.busyTimeoutMs });
  return repair(db);
}
