/** Tells how far a shared project is behind, as far as this machine knows without the server. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../base/counts.ts";
import { relativeTime } from "../base/time.ts";
import { countWaiting } from "./outbox_table.ts";
import { listHeld } from "./received_table.ts";
import { listJoined } from "./team_projects_table.ts";
import type { JoinedProject } from "./types.ts";

export interface TeamLag
  extends Pick<JoinedProject, "project" | "name" | "fault" | "syncedAtMs" | "restoredAtMs"> {
  /** Counts of rows: to be sent (`waiting`), to be received (`behind`), and held for a person (`held`). */
  readonly waiting: number;
  readonly behind: number;
  readonly held: number;
}

export function teamLags(db: DatabaseSync): TeamLag[] {
  return listJoined(db).map(({ project, name, headSeq, pulledSeq, ...joined }) => ({
    project,
    name,
    fault: joined.fault,
    syncedAtMs: joined.syncedAtMs,
    restoredAtMs: joined.restoredAtMs,
    waiting: countWaiting(db, project),
    behind: Math.max(0, headSeq - pulledSeq),
    held: listHeld(db, project).length,
  }));
}

/** Writes the lag for people: `synced 5m ago, 3 rows wait to be sent`. */
export function lagText(
  { waiting, behind, held, syncedAtMs, restoredAtMs }: TeamLag,
  nowMs: number,
): string {
  return [
    syncedAtMs === null ? "never synced" : `synced ${relativeTime(syncedAtMs, nowMs)}`,
    ...waiting > 0 ? [`${count(waiting, "row waits", "rows wait")} to be sent`] : [],
    ...behind > 0 ? [`${count(behind, "row")} behind`] : [],
    ...restoredAtMs === null ? [] : [
      `the server was restored ${relativeTime(restoredAtMs, nowMs)}: \`conclaude team verify\``,
    ],
    ...held > 0 ? [`${held} held: \`conclaude team held\``] : [],
  ].join(", ");
}
