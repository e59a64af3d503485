import { compactPayloads } from "../upkeep/care/compaction.ts";
import { readProcesses } from "../system/process/process_identity.ts";
import { isLogLong } from "../db/database.ts";
import { askForSummaryOfEnd, keepMark, lacksMark } from "../db/sessions.ts";
import { rebuildText } from "../memory/store.ts";
import { shortenLog } from "../memory/drain/shorten_log.ts";
import { appendLog } from "../system/log.ts";
import { messageOf, quietly } from "../base/errors.ts";
import { drainAlone } from "../memory/drain/capture_drain.ts";
import { lateRedaction } from "../memory/drain/late_redaction.ts";
import type { DatabaseSync } from "node:sqlite";
import type { Answer, HookWork } from "./handler.ts";
import { removeForgottenAgain } from "../upkeep/store.ts";
import { OS } from "../system/environment.ts";
import { addSignalListener, removeSignalListener } from "../system/processes.ts";

/** How long the drain after a turn works, in milliseconds; nobody waits for it. */
const BUDGET_MS = 5_000;

/**
 * Runs beside a Stop, and nobody waits for it: works the captures of the turn into memory, compresses payloads and makes
 * the backup of the day. Errors go to the log; the next one tries again.
 */
export async function handle(work: HookWork): Promise<Answer> {
  const { db, database, config, locations } = work;
  if (db === null || database === ":memory:") return null;
  keepProcess(db, work);
  if (!config.memoryEnabled) return null;
  const untilMs = performance.now() + BUDGET_MS;
  // `claude -p` sends SIGTERM at its end and kills a second and a half later.
  const goOn = () => {};
  if (OS !== "windows") addSignalListener("SIGTERM", goOn);
  const { logFile, home } = locations;
  const log = (level: "warn" | "error", message: string) =>
    appendLog([logFile], { home, level, message, atMs: Date.now() });
  try {
    db.exec(`PRAGMA busy_timeout = ${config.busyTimeoutMs}`);
    const redact = await lateRedaction(config.redactPatterns);
    const report = drainAlone(db, database, {
      home,
      now: Date.now,
      withoutForgotten: removeForgottenAgain,
      untilMs,
      redact,
      onRebuild: (why) => log("warn", rebuildText(why)),
    });
    if (report?.complete) compactPayloads(db, { untilMs });
    // If the drain does not do it, the next hook does, and Claude Code waits for that hook.
    if (isLogLong(database)) shortenLog(db, database);
    await backUpOfDay(work);
  } catch (thrown) {
    log("error", `the drain after a turn stopped: ${messageOf(thrown)}`);
  } finally {
    if (OS !== "windows") removeSignalListener("SIGTERM", goOn);
  }
  return null;
}

/** Makes the backup of the day, once a day. @throws {Error} When the database is damaged, or there is no room. */
async function backUpOfDay({ database, config, locations, atMs }: HookWork): Promise<void> {
  const { backUpDaily } = await import("../upkeep/care/backup.ts");
  const { dataFolder } = locations;
  await backUpDaily(database, { dataFolder, keep: config.dailyBackups, nowMs: atMs });
}

/** Keeps how this session's process is told from a later one of the same number; a SessionStart has no time for it. */
function keepProcess(db: DatabaseSync, { sessionId, claudePid }: HookWork): void {
  // Where another process writes, the next Stop tries again.
  quietly(() => {
    if (claudePid === null || !lacksMark(db, sessionId, claudePid)) return;
    const mark = readProcesses([claudePid]).get(claudePid)?.mark;
    if (mark !== undefined) keepMark(db, sessionId, { claudePid, mark });
  });
}

/** Works in small steps and looks at the clock between them. Skips captures that a drain was killed over. */
const HELD_BATCH = { maxRows: 8, maxBytes: 60_000, maxRowBytes: 100_000, isFirstTry: true };

/** Works captures in for so many milliseconds, in a hook that Claude Code waits for. No other process is waited for. */
export async function drainFor(
  budgetMs: number,
  db: DatabaseSync,
  { database, config, home }: Pick<HookWork, "database" | "config" | "home">,
): Promise<void> {
  try {
    const redact = await lateRedaction(config.redactPatterns);
    drainAlone(db, database, {
      home,
      now: Date.now,
      withoutForgotten: removeForgottenAgain,
      untilMs: performance.now() + budgetMs,
      batch: HELD_BATCH,
      mendsIndex: false,
      redact,
    });
  } catch {
    // Another process writes; the next drain finds them.
  }
}

/** {@linkcode drainFor} of a session that has ended, whose summary says from now on how it did. */
export async function drainEnded(
  budgetMs: number,
  db: DatabaseSync,
  work: Pick<HookWork, "database" | "config" | "home" | "sessionId">,
): Promise<void> {
  // Where another process writes, the session's next summary says it.
  quietly(() => askForSummaryOfEnd(db, work.sessionId));
  await drainFor(budgetMs, db, work);
}
