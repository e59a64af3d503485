/** Checks whether shared projects are synced with their team. */
import type { DatabaseSync } from "node:sqlite";
import { plain } from "../../base/plain.ts";
import { daysMs } from "../../base/time.ts";
import { lagText, teamLags } from "../../team/team_lag.ts";
import { type Finding, ok, warn } from "../care/check.ts";
import type { DoctorPlace } from "./place.ts";

/** The time after which a project with unsynced changes counts as late. */
const LATE_MS = daysMs(1);

export function askAboutTeams(db: DatabaseSync, { nowMs }: DoctorPlace): Finding[] {
  return teamLags(db).map((lag) => {
    const { name, fault, held, waiting, behind, syncedAtMs, restoredAtMs } = lag;
    const text = plain(`${name}: ${lagText(lag, nowMs)}`);
    if (fault !== null) {
      return warn(`${text}; the last sync failed: ${plain(fault)}`, "conclaude team sync");
    }
    if (restoredAtMs !== null) return warn(text, "conclaude team verify");
    if (held > 0) return warn(text, "conclaude team held");
    const isLate = (syncedAtMs ?? 0) < nowMs - LATE_MS && waiting + behind > 0;
    return isLate ? warn(text, "conclaude team sync") : ok(text);
  });
}
