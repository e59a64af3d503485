import { count } from "../../counts.ts";
import { lookAtProcesses } from "../../process/identity.ts";
import { goneSessions } from "../../session/liveness.ts";
import { queueHealth } from "../../store/queue.ts";
import { oldestExpiredSession } from "../../store/retention.ts";
import { activeSessions, countSessions } from "../../store/sessions.ts";
import { abandonSessions } from "../../store/session_agents.ts";
import { daysMs } from "../../time.ts";
import { type Finding, ok, warn } from "../check.ts";
import { askDatabase, type DoctorPlace, repairDatabase } from "./place.ts";

/** Sessions that are looked after; more than that are never active at once. */
const MAX_SESSIONS = 1000;
/** A capture that is being worked on for so long is not. */
const STUCK_MS = 10 * 60 * 1000;
/** SessionEnd cleans up in small steps, so a day of delay is no fault. */
const RETENTION_GRACE_DAYS = 1;

/** Sessions that look active although their process is gone. */
export async function lookAtSessions(place: DoctorPlace): Promise<Finding[]> {
  const answer = askDatabase(place, (db) => ({
    active: countSessions(db, null).active,
    sessions: activeSessions(db, { except: "", limit: MAX_SESSIONS }),
  }));
  if (answer === undefined) return [];
  const { active, sessions } = answer;
  const unknown = active - sessions.length;
  const rest = unknown === 0 ? "" : `; of ${unknown} the process is not known`;
  const processes = await lookAtProcesses(sessions.map(({ claudePid }) => claudePid));
  const gone = goneSessions(sessions, processes, null);
  if (gone.length === 0) return [ok(`${active} active${rest}`)];
  return [warn(
    `${gone.length} of ${count(active, "active session")} ${
      gone.length === 1 ? "has" : "have"
    } no process any more${rest}`,
    "conclaude doctor --fix",
    () =>
      repairDatabase(
        place,
        (db) => `marked ${count(abandonSessions(db, gone, place.nowMs), "session")} as abandoned`,
      ),
  )];
}

/** How much there is in the queue, and captures that hang. Those that were given up are told with memory. */
export function lookAtQueue(place: DoctorPlace): Finding[] {
  const health = askDatabase(place, (db) => queueHealth(db, place.nowMs - STUCK_MS));
  if (health === undefined) return [];
  const size = `${health.waiting} waiting, ${
    (health.rawBytes / 1_000_000).toFixed(1)
  } MB of payload`;
  if (health.stuck === 0) return [ok(size)];
  return [
    warn(`${health.stuck} stuck for more than 10 minutes; ${size}`, "conclaude queue drain"),
  ];
}

/** Whether sessions are still there that should have gone. */
export function lookAtRetention(place: DoctorPlace): Finding[] {
  const days = place.config.sessionRetentionDays;
  if (days === 0) return [ok("sessions are kept for ever")];
  const limitMs = place.nowMs - daysMs(days + RETENTION_GRACE_DAYS);
  const captures = place.config.memoryEnabled ? "worked" : "all";
  const overdue = askDatabase(place, (db) => oldestExpiredSession(db, limitMs, captures) ?? null);
  if (overdue === undefined) return [];
  if (overdue === null) return [ok(`${count(days, "day")} after a session's end`)];
  return [warn(
    `sessions that ended more than ${count(days, "day")} ago are still there`,
    "conclaude retention run",
  )];
}
