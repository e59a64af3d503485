import { count } from "../../counts.ts";
import { type Finding, warn } from "../check.ts";
import { bringOver, leftBehind } from "../fallback.ts";
import type { DoctorPlace } from "./place.ts";

/** What lies in the database of the temporary folder since the home could not be used. */
export function lookAtFallback({ locations, database, config, nowMs }: DoctorPlace): Finding[] {
  const found = leftBehind({
    locations,
    database,
    retentionDays: config.sessionRetentionDays,
    nowMs,
  });
  if (found === null) return [];
  const { path, events, captures, isOlder } = found;
  const held = isOlder
    ? "is of an older conclaude; what it holds is counted when it is migrated"
    : `holds ${count(events, "event")} with ${count(captures, "capture")} that ${database} has not`;
  return [warn(
    `${path} ${held}: hooks write there while the home cannot be used, and a restart may remove it`,
    bringOver(found),
  )];
}
