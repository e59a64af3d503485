import type { DatabaseSync } from "node:sqlite";
import type { HooksPlace } from "../../claude/settings/installed_hooks.ts";
import type { ConfigFile } from "../../config/discover.ts";
import type { HookConfig } from "../../config/hook_config.ts";
import { quietly } from "../../base/errors.ts";
import { openDatabase } from "../../db/database.ts";
import type { DrainReport, DrainTarget } from "../../db/spool.ts";
import { identifyDatabase, openToLook } from "../../db/database_identity.ts";
import type { Environment } from "../../system/environment.ts";

/** Everything that a check may look at. */
export interface DoctorPlace extends HooksPlace {
  readonly environment: Environment;
  readonly config: HookConfig;
  /** The configuration files that count here. */
  readonly files: readonly ConfigFile[];
  /** Absolute path, or `:memory:`. */
  readonly database: string;
  /** What chose the database, in words that follow `chosen by`. */
  readonly databaseChosenBy: string;
  /** The file of this program. */
  readonly programPath: string;
  readonly fromSource: boolean;
  readonly nowMs: number;
  readonly drainSpool: (db: DatabaseSync, target: DrainTarget) => DrainReport;
  /** Compare every word of the search index, however long hooks wait. */
  readonly comparesAll?: boolean;
}

/** What the repair of the database needs to know. A hook judges the database without the optional parts. */
export type RepairPlace =
  & Pick<DoctorPlace, "locations" | "database" | "databaseChosenBy" | "nowMs">
  & Partial<Pick<DoctorPlace, "config" | "claudeFolder">>;

/**
 * Asks the database without changing it.
 *
 * @returns `undefined` when it is not there or cannot be read, which the check of the database reports.
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

/** Repairs something in the database. @returns What `repair` returns. @throws {Error} When it cannot be written. */
export async function repairDatabase<Done>(
  { database, config }: Pick<DoctorPlace, "database" | "config">,
  repair: (db: DatabaseSync) => Done,
): Promise<Done> {
  using db = await openDatabase(database, { busyTimeoutMs: config.busyTimeoutMs });
  return repair(db);
}
