import { plain } from "../base/plain.ts";
import type { HookConfig } from "../config/hook_config.ts";
import type { Check } from "../upkeep/care/check.ts";
import type { Locations } from "../system/environment.ts";
import type { CliContext, Globals } from "./context.ts";

const COLORS: Readonly<Record<Check["status"], number>> = { ok: 32, warn: 33, fail: 31 };

/** Formats checks for a terminal: one line each, with the next step below it. */
export function checkLines(checks: readonly Check[], { color }: Pick<Globals, "color">): string[] {
  const nameWidth = Math.max(0, ...checks.map(({ name }) => name.length));
  const indent = " ".repeat("fail  ".length + nameWidth + 2);
  return checks.flatMap(({ name, status, message, next }) => {
    const word = color ? `\x1b[${COLORS[status]}m${status}\x1b[0m` : status;
    const label = word + " ".repeat("fail".length - status.length);
    const line = `${label}  ${name.padEnd(nameWidth)}  ${plain(message)}`;
    return next === null ? [line] : [line, `${indent}next: ${plain(next)}`];
  });
}

export type DatabaseSource = Locations["databaseFrom"] | "configuration" | "memory";

export function databaseFrom(
  { globals, locations }: Pick<CliContext, "globals" | "locations">,
  config: HookConfig,
): DatabaseSource {
  if (globals.noDb || !config.databaseEnabled) return "memory";
  const from = locations.databaseFrom;
  if (from === "flag" || from === "environment") return from;
  return config.databasePath === null ? from : "configuration";
}
