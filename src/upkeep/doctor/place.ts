import type { DatabaseSync } from "node:sqlite";
import type { ConfigFile } from "../../config/discover.ts";
import type { HookConfig } from "../../config/hook_config.ts";
import type { GuardPolicy } from "../../policy/guards/guard_policy.ts";
import type { Environment, Locations } from "../../system/environment.ts";
import { openDatabase } from "../../db/database.ts";
import type { Program } from "../../claude/settings/hooks.ts";
import { identifyDatabase, openToLook } from "../../db/database_identity.ts";

/** Everything that a check may look at. */
export interface DoctorPlace {
  readonly environment: Environment;
  readonly locations: Locations;
  readonly config: HookConfig;
  /** The configuration files that count here. */
  readonly files: readonly ConfigFile[];
  /** Absolute path, or `:memory:`. */
  readonly database: string;
  /** What chose the database, in words that follow `chosen by`. */
  readonly databaseChosenBy: string;
  /** Where Claude Code looks for a project's settings. */
  readonly projectDir: string;
  /** One more settings file that Claude Code is started with (`claude --settings FILE`), as an absolute path. */
  readonly settings?: string | undefined;
  /** The variable `CLAUDE_CONFIG_DIR`. */
  readonly claudeFolder: string | undefined;
  /** This program: what hooks should start, and its file. */
  readonly program: Program;
  readonly programPath: string;
  /** The executable that this process is; null when it runs from source. */
  readonly executable: string | null;
  /** The variable `PATH`. */
  readonly searchPath: string | undefined;
  readonly fromSource: boolean;
  readonly nowMs: number;
  /** Compare every word of the search index, however long hooks wait. */
  readonly comparesAll?: boolean;
}

/** Why every change is refused: strict rules that cannot be read. Null where nothing is refused for that. */
export function lockReason({ guards }: HookConfig): string | null {
  return guards === "" ? null : (JSON.parse(guards) as GuardPolicy).lock;
}

/** What the check of the database needs to know. */
export type DatabasePlace = Pick<
  DoctorPlace,
  "locations" | "database" | "databaseChosenBy" | "nowMs"
>;

/** What its repair needs as well; a hook judges the database without. */
export type RepairPlace = DatabasePlace & Partial<Pick<DoctorPlace, "config" | "claudeFolder">>;

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
  try {
    using db = openToLook(database);
    return ask(db);
  } catch {
    return undefined;
  }
}

/** Repairs something in the database. @returns What `repair` returns. @throws {Error} When it cannot be written. */
export async function repairDatabase<Done>(
  { database, config }: Pick<DoctorPlace, "database" | "config">,
  repair: (db: DatabaseSync) => Done,
): Promise<Done> {
  using db = await openDatabase(database, { busyTimeoutMs: config.busyTimeoutMs });
  return repair(db);
}
