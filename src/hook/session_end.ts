import { summarizeInput } from "../claude/payload.ts";
import { checkpoint } from "../db/database.ts";
import type { Answer, HookWork } from "./handler.ts";
import { nameOf } from "./protocol.ts";

const DRAIN_MS = 150;
const CLEANUP_MS = 300;
const DAY_MS = 86_400_000;

/** Ends the session, drains captures of the last turn, checkpoints the database, and does steps of retention. */
export async function handle(work: HookWork): Promise<Answer> {
  const { config } = work;
  await (await import("./told.ts")).saveTold(work);
  const changes = config.requirements === ""
    ? []
    : (await import("./session_requirements.ts")).endRequirements(work);
  const unheard = (await import("./unheard_uses.ts")).noteOfUnheard(work);
  await work.save({
    ...unheard,
    session: { effect: "end", endReason: nameOf(work.event.own["reason"]) ?? "other" },
    metadata: {
      ...(work.keepsContent ? summarizeInput(work.event.own) : {}),
      ...unheard?.metadata,
    },
    changes,
  });
  const db = work.spareDb();
  if (db === null) return null;
  try {
    const { drainEnded, takeOwn } = await import("./stop_drain.ts");
    await takeOwn(db, work, performance.now() + DRAIN_MS);
    if (config.memoryEnabled) await drainEnded(DRAIN_MS, db, work);
    checkpoint(db, "PASSIVE");
    const captures = config.memoryEnabled ? "worked" : "all";
    const { oldSessions } = await import("../db/old_rows.ts");
    const beforeMs = work.atMs - config.sessionRetentionDays * DAY_MS;
    // The module that removes rows is slow to load, and mostly no row is old enough.
    const isAnyOld = config.memoryRetentionDays > 0 ||
      config.sessionRetentionDays > 0 &&
        oldSessions(db, { beforeMs, captures, limit: 1 }).length > 0;
    if (!isAnyOld) return null;
    const untilMs = performance.now() + CLEANUP_MS;
    const { keptByHooks, retentionSteps } = await import("../upkeep/care/retention.ts");
    const steps = retentionSteps(db, {
      nowMs: work.atMs,
      database: ":memory:",
      kept: keptByHooks(config),
      captures,
      batchRows: config.retentionBatchRows,
    });
    let isDone = false;
    while (!isDone && performance.now() < untilMs) isDone = steps.next().done === true;
  } catch {
    // The event is stored. `doctor` and `retention run` report what prevents the rest.
  }
  return null;
}
