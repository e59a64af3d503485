import { compactPayloads } from "../db/payloads.ts";
import { readProcesses } from "../system/process/process_identity.ts";
import { isLogLong } from "../db/database.ts";
import { sessionStart } from "../db/past_gates.ts";
import { askForSummaryOfEnd, keepMark, lacksMark } from "../db/sessions.ts";
import { keepIdentity, lacksIdentity, rebuildText } from "../memory/store.ts";
import { shortenLog } from "../memory/drain/shorten_log.ts";
import { appendLog } from "../system/log.ts";
import { messageOf, quietly } from "../base/errors.ts";
import { drainAlone } from "../memory/drain/capture_drain.ts";
import { lateRedaction } from "../memory/drain/late_redaction.ts";
import type { DatabaseSync } from "node:sqlite";
import type { Answer, HookWork } from "./handler.ts";
import { removeForgottenAgain, stayAway } from "../upkeep/store.ts";
import { OS } from "../system/environment.ts";
import { addSignalListener, removeSignalListener } from "../system/processes.ts";

/** How long the drain after a turn may work, in milliseconds. Nobody waits for it. */
const BUDGET_MS = 5_000;

/** Drains the captures of the turn, compresses payloads, and makes the daily backup. Nobody waits for this hook. */
export async function handle(work: HookWork): Promise<Answer> {
  const { db, database, config, locations } = work;
  if (db === null || database === ":memory:") return null;
  keepProcess(db, work);
  const untilMs = performance.now() + BUDGET_MS;
  // `claude -p` sends SIGTERM at its end, and kills the process a second and a half later.
  const goOn = () => {};
  if (OS !== "windows") addSignalListener("SIGTERM", goOn);
  const { logFile, home } = locations;
  const log = (level: "warn" | "error", message: string) =>
    appendLog([logFile], { home, level, message, atMs: Date.now() });
  try {
    // A starting session looks after sessions that ended without a drain.
    const isStart = work.sent["hook_event_name"] === "SessionStart";
    const unheard = isStart ? null : (await import("./unheard_uses.ts")).noteOfUnheard(work);
    if (unheard !== null) await work.save(unheard);
    db.exec(`PRAGMA busy_timeout = ${config.busyTimeoutMs}`);
    await (isStart ? takeOfRecent(db, work, untilMs) : takeOwn(db, work, untilMs));
    if (!config.memoryEnabled) return null;
    const drain = await drainOf(work);
    const { tokenCounter } = await import("../memory/usage/count_tokens.ts");
    const report = drain(db, {
      untilMs,
      countsTokens: tokenCounter(stayAway),
      onRebuild: (why) => log("warn", rebuildText(why)),
    });
    if (report?.complete) compactPayloads(db, { untilMs });
    // Otherwise a later hook, for which Claude Code waits, would have to shorten the log.
    if (isLogLong(database)) shortenLog(db, database);
    await identify(db, work);
    const { backUpDaily } = await import("../upkeep/care/backup.ts");
    const keep = { dataFolder: locations.dataFolder, keep: config.dailyBackups };
    await backUpDaily(database, { ...keep, nowMs: work.atMs });
  } catch (thrown) {
    log("error", `the drain after a turn stopped: ${messageOf(thrown)}`);
  } finally {
    if (OS !== "windows") removeSignalListener("SIGTERM", goOn);
  }
  return null;
}

/** Returns a function that drains captures, unless another process does. It throws the error of SQLite. */
async function drainOf({ database, home, config }: HookWork) {
  const redact = await lateRedaction(config.redactPatterns);
  const usual = { home, now: Date.now, withoutForgotten: removeForgottenAgain, redact };
  return (db: DatabaseSync, how: Omit<Parameters<typeof drainAlone>[2], keyof typeof usual>) =>
    drainAlone(db, database, { ...usual, ...how });
}

/** Takes in tool uses that hooks of this session have lost. @throws {Error} The error of SQLite. */
export async function takeOwn(db: DatabaseSync, work: HookWork, untilMs: number): Promise<void> {
  const { transcriptPath: transcript, sessionId, database, atMs: nowMs } = work;
  if (transcript === null) return;
  const { takeLostUses } = await import("../upkeep/transfer/lost_uses.ts");
  const startedAtMs = sessionStart(db, sessionId);
  const project = () => Promise.resolve(projectOf(work));
  const session = { sessionId, transcript, startedAtMs, project };
  await takeLostUses(db, session, { database, nowMs, untilMs });
}

/** Takes in tool uses that hooks of the newest sessions have lost. */
async function takeOfRecent(db: DatabaseSync, work: HookWork, untilMs: number): Promise<void> {
  const { database, locations, atMs: nowMs } = work;
  const { takeLostOfRecent } = await import("../upkeep/transfer/lost_uses.ts");
  await takeLostOfRecent(db, { database, locations, nowMs, untilMs, own: projectOf(work) });
}

/** Returns the event's project, in the form that reading transcripts needs. */
function projectOf({ config, database, projectDir, repository, hide, home }: HookWork) {
  const patterns = config.redactPatterns.map((source) => new RegExp(source, "g"));
  const commonDir = repository?.commonDir ?? null;
  return { dir: projectDir, repository: commonDir, config, database, patterns, home, hide };
}

/** Stores the repository's identity, so that the repository is recognized when its folder has moved. */
async function identify(db: DatabaseSync, { repository, environment, hide, atMs }: HookWork) {
  const commonDir = repository?.commonDir;
  // A path that must be masked cannot be a key.
  if (commonDir === undefined || hide(commonDir) !== commonDir) return;
  if (!lacksIdentity(db, commonDir, atMs)) return;
  const { identityOf } = await import("../system/git/identity.ts");
  keepIdentity(db, commonDir, { ...await identityOf(commonDir, environment), atMs });
}

/** Stores the mark that distinguishes this session's process from a later one with the same number. */
function keepProcess(db: DatabaseSync, { sessionId, claudePid }: HookWork): void {
  // When another process is writing, the next Stop tries again.
  quietly(() => {
    if (claudePid === null || !lacksMark(db, sessionId, claudePid)) return;
    const mark = readProcesses([claudePid]).get(claudePid)?.mark;
    if (mark !== undefined) keepMark(db, sessionId, { claudePid, mark });
  });
}

/** Limits of a small batch, so that the clock is read often. It ends before a capture over which a drain was killed. */
const HELD_BATCH = { maxRows: 8, maxBytes: 60_000, maxRowBytes: 100_000, isFirstTry: true };

/** Drains the captures of an ended session, so that its summary tells the end. Does not wait for another drain. */
export async function drainEnded(
  budgetMs: number,
  db: DatabaseSync,
  work: HookWork,
): Promise<void> {
  quietly(() => askForSummaryOfEnd(db, work.sessionId));
  const drain = await drainOf(work);
  const untilMs = performance.now() + budgetMs;
  quietly(() => drain(db, { untilMs, batch: HELD_BATCH, mendsIndex: false }));
}
