/** Checks the database's content: references, the search index, sessions, the queue, forgetting, teams, retention. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { plain } from "../../base/plain.ts";
import { daysMs } from "../../base/time.ts";
import { drainLockPath, isLocked } from "../../db/process_lock.ts";
import { oldSessions } from "../../db/old_rows.ts";
import { queueHealth } from "../../db/queue.ts";
import { activeSessions, countSessions, goneSessions } from "../../db/sessions.ts";
import { transaction } from "../../db/transaction.ts";
import { countIndexed, indexFaultsAt, rebuildIndex } from "../../memory/store.ts";
import { lookAtProcesses } from "../../system/process/process_identity.ts";
import { lagText, teamLags } from "../../team/team_lag.ts";
import { abandonSessions } from "../../work/store.ts";
import { foreignKeyFaults } from "../care/care_table.ts";
import { fail, faultsText, type Finding, ok, warn } from "../care/check.ts";
import { correctReferences } from "../care/settle_rows_table.ts";
import {
  commandAgain,
  receiptsWithoutKey,
  unfinishedReceipts,
} from "../forget/forget_receipts_table.ts";
import { type DoctorPlace, repairDatabase } from "./place.ts";

const FIX = "conclaude doctor --fix";

/** Reports rows that refer to a lost row: they would seem to belong to a new row that gets the lost number. */
export function askAboutReferences(db: DatabaseSync, place: DoctorPlace): Finding[] {
  const faults = foreignKeyFaults(db);
  if (faults.length === 0) return [];
  return [fail(faultsText(faults), FIX, async () => {
    const { freed, removed } = await repairDatabase(
      place,
      (db) => transaction(db, () => correctReferences(db)),
    );
    const [rows, others] = [count(removed, "row"), count(freed, "other")];
    return `removed ${rows} that belonged to lost ones, and took the lost name out of ${others}`;
  })];
}

/**
 * Up to this many observations `doctor` compares every word; beyond it, only `--fix` and `db check` do, since hooks
 * wait for the comparison, which takes a second for so many.
 */
const MAX_COMPARED = 20_000;

/** SQLite's errors about the file or the disk, not about the search index. */
const UNREADABLE = /readonly|read-only|disk I\/O error|disk is full|unable to open|locked|busy/i;

/** Checks whether the search index holds the words of the observations. */
export function askAboutIndex(db: DatabaseSync, place: DoctorPlace): Finding[] {
  const { database, comparesAll = false } = place;
  const [fault] = indexFaultsAt(database, { maxRows: comparesAll ? Infinity : MAX_COMPARED });
  if (fault === undefined) {
    const isCompared = comparesAll || countIndexed(db) <= MAX_COMPARED;
    const rest = "; `conclaude db check` compares every word of so many observations";
    return [ok(`no fault found${isCompared ? "" : rest}`)];
  }
  if (UNREADABLE.test(fault)) {
    return [warn(`the search index cannot be looked at: ${fault}`, "conclaude doctor")];
  }
  return [fail(
    `the search index is damaged (${fault}); no observation is lost by that, but searches may not find them`,
    FIX,
    async () => {
      await repairDatabase(place, rebuildIndex);
      return "made the search index anew from the observations";
    },
  )];
}

/** The most receipts that a message names. */
const MAX_NAMED = 5;

/** Reports each `memory forget` that was stopped or could not finish, and receipts whose key is lost. */
export function askAboutForgetting(db: DatabaseSync, { database }: DoctorPlace): Finding[] {
  const stopped = isLocked(drainLockPath(database)) ? [] : unfinishedReceipts(db);
  const lost = receiptsWithoutKey(db).map(({ id }) => id);
  const named = lost.slice(0, MAX_NAMED).join(", ") +
    (lost.length > MAX_NAMED ? ` and ${lost.length - MAX_NAMED} more` : "");
  return [
    ...stopped.slice(0, MAX_NAMED).map(({ id, chosen, createdAtMs, remains }) => {
      const state = remains.length === 0
        ? `was stopped before it was done (receipt ${id})`
        : `could not be done to the end (receipt ${id}): ${remains.join("; ")}`;
      const at = new Date(createdAtMs).toISOString();
      return warn(`\`memory forget\` of ${at} ${state}`, commandAgain(chosen));
    }),
    // Damage destroyed the key, so an import does not recognize forgotten words.
    ...lost.length === 0 ? [] : [warn(
      "the key that recognizes forgotten prompts, messages and names is lost: an import or a backfill may bring them " +
        `back; after each of these, verify the receipts ${named}, and forget what came back`,
      `conclaude memory verify ${lost[0]}`,
    )],
  ];
}

/** The most active sessions whose process is checked. */
const MAX_SESSIONS = 1000;

/** Reports sessions that look active although their process is gone. */
export async function askAboutSessions(db: DatabaseSync, place: DoctorPlace): Promise<Finding[]> {
  const { active } = countSessions(db, null);
  const sessions = activeSessions(db, { except: "", limit: MAX_SESSIONS });
  const unknown = active - sessions.length;
  const rest = unknown === 0 ? "" : `; the process of ${unknown} is not known`;
  const processes = await lookAtProcesses(sessions.map(({ claudePid }) => claudePid));
  const gone = goneSessions(sessions, processes, null);
  if (gone.length === 0) return [ok(`${active} active${rest}`)];
  const have = gone.length === 1 ? "has" : "have";
  return [warn(
    `${gone.length} of ${count(active, "active session")} ${have} no process any more${rest}`,
    FIX,
    () =>
      repairDatabase(
        place,
        (db) => `marked ${count(abandonSessions(db, gone, place.nowMs), "session")} as abandoned`,
      ),
  )];
}

/** The time after which a drain that still works on one capture counts as dead. */
const STUCK_MS = 10 * 60 * 1000;

/** Reports the queue's size and stuck captures. The check of memory reports captures that were given up. */
export function askAboutQueue(db: DatabaseSync, { nowMs }: DoctorPlace): Finding[] {
  const { waiting, stuck, rawBytes } = queueHealth(db, nowMs - STUCK_MS);
  const size = `${waiting} waiting, ${(rawBytes / 1_000_000).toFixed(1)} MB of payload`;
  return [
    stuck === 0
      ? ok(size)
      : warn(`${stuck} stuck for more than 10 minutes; ${size}`, "conclaude queue drain"),
  ];
}

/** The time after which a project with unsynced changes counts as late. */
const LATE_MS = daysMs(1);

/** Checks whether shared projects are synced with their team. */
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

/** The allowed delay of retention: SessionEnd cleans up in small steps. */
const RETENTION_GRACE_DAYS = 1;

/** Checks whether retention has left sessions that it should have removed. */
export function askAboutRetention(db: DatabaseSync, { config, nowMs }: DoctorPlace): Finding[] {
  const { sessionRetentionDays: days, memoryEnabled } = config;
  if (days === 0) return [ok("sessions are kept for ever")];
  const limitMs = nowMs - daysMs(days + RETENTION_GRACE_DAYS);
  const captures = memoryEnabled ? "worked" : "all";
  const [overdue] = oldSessions(db, { beforeMs: limitMs, captures, limit: 1 });
  return [
    overdue === undefined ? ok(`${count(days, "day")} after a session's end`) : warn(
      `sessions that ended more than ${count(days, "day")} ago are still there`,
      "conclaude retention run",
    ),
  ];
}
