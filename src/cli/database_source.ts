import type { HookConfig } from "../config/hook_config.ts";
import type { CliContext } from "./context.ts";

/** What chose the database. */
export type DatabaseSource =
  | "flag"
  | "environment"
  | "configuration"
  | "default"
  | "fallback"
  | "memory";

/** What chose the database that `placeOf()` names. */
export function databaseFrom(
  { globals, locations }: Pick<CliContext, "globals" | "locations">,
  config: HookConfig,
): DatabaseSource {
  if (globals.noDb || !config.databaseEnabled) return "memory";
  const from = locations.databaseFrom;
  if (from === "flag" || from === "environment") return from;
  return config.databasePath === null ? from : "configuration";
}
