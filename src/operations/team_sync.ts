/** Syncs the joined projects of this machine, one after the other, in one process at a time. */
import { setTimeout as pause } from "node:timers/promises";
import { messageOf, UserError } from "../base/errors.ts";
import { type ProcessLock, takeLock, teamLockPath } from "../db/process_lock.ts";
import { hasToTell } from "../db/team_outbox.ts";
import { connect, type Server } from "../team/server.ts";
import { readJoined } from "../team/store.ts";
import { syncProject, type SyncReport } from "../team/sync.ts";
import type { JoinedProject } from "../team/types.ts";
import type { CliContext } from "./context.ts";
import { noteDefinitions, type TeamHere } from "./team_here.ts";
import { progressLine } from "./terminal.ts";

/** How long a sync waits for another process that syncs, in milliseconds. */
const TURN_MS = 60_000;

/** The limits of the pause of `--follow` after a failure, in milliseconds; each further failure doubles it. */
const FOLLOW_MS = { least: 1_000, most: 300_000 };
/** How often it asks the server, although the server also notifies it, in milliseconds. */
const ASK_MS = 5_000;
/** How often it looks for local changes, in milliseconds. */
const LOOK_MS = 250;

/** Takes the lock for syncing; returns null if another process still holds it after `waitMs`. */
export async function takeTurn(
  { database }: Pick<TeamHere, "database">,
  waitMs: number,
): Promise<ProcessLock | null> {
  for (const endMs = Date.now() + waitMs;;) {
    const lock = takeLock(teamLockPath(database), { waitMs: 0 });
    if (lock !== null || Date.now() >= endMs) return lock;
    await pause(50);
  }
}

/** Syncs all projects. An error in one does not stop the others. @throws {UserError} The first error. */
export async function syncAll(
  context: CliContext,
  store: TeamHere,
  all: readonly JoinedProject[],
): Promise<SyncReport[]> {
  const lock = await takeTurn(store, TURN_MS);
  if (lock === null) {
    throw new UserError("Cannot sync", {
      why: "another process of this machine is syncing, and does the same work",
      next: "conclaude team status",
    });
  }
  const progress = progressLine(context);
  const reports: SyncReport[] = [];
  const faults: unknown[] = [];
  try {
    for (const { project } of all) {
      const joined = readJoined(store.db, project);
      if (joined === null) continue;
      const done = { sent: 0, received: 0 };
      try {
        noteDefinitions(context, store, joined);
        reports.push(
          await syncProject(store, joined, {
            environment: context.environment,
            onSync(doing, rows, behind) {
              done[doing] += rows;
              const of = behind === 0 ? {} : { of: done.received + behind };
              progress.tell(`${joined.name}: rows ${doing}`, { done: done[doing], ...of });
            },
          }),
        );
      } catch (thrown) {
        faults.push(thrown);
      }
    }
  } finally {
    progress.end();
    lock.release();
  }
  if (faults.length > 0) throw faults[0];
  return reports;
}

/**
 * Syncs again as soon as something changes, here or on the server.
 *
 * @param options.idleMs After this time without work, and at the first error, it ends; null lets it run forever.
 * @returns The reports of all syncs, added up by project.
 */
export async function followAll(
  context: CliContext,
  store: TeamHere,
  { joined, idleMs }: { readonly joined: readonly JoinedProject[]; readonly idleMs: number | null },
): Promise<SyncReport[]> {
  const total = new Map<string, SyncReport>();
  const listener = new Listener();
  let pauseMs = FOLLOW_MS.least;
  let workedAtMs = Date.now();
  try {
    for (;;) {
      let isAllSent = true;
      try {
        listener.heard = false;
        const reports = await syncAll(context, store, joined);
        for (const report of reports) {
          const before = total.get(report.project);
          total.set(report.project, {
            ...report,
            sent: (before?.sent ?? 0) + report.sent,
            received: (before?.received ?? 0) + report.received,
            forgot: [...before?.forgot ?? [], ...report.forgot],
            restored: report.restored ?? before?.restored ?? null,
          });
          if (report.sent + report.received > 0) workedAtMs = Date.now();
        }
        isAllSent = reports.every(({ notSent }) => notSent === null);
        pauseMs = FOLLOW_MS.least;
        await listener.listen(context, joined);
      } catch (thrown) {
        if (idleMs !== null) throw thrown;
        const why = thrown instanceof UserError ? thrown.why : messageOf(thrown);
        context.process.stderr.write(`${why}\n`);
        await pause(pauseMs);
        pauseMs = Math.min(pauseMs * 2, FOLLOW_MS.most);
        continue;
      }
      for (const askMs = Date.now() + ASK_MS; Date.now() < askMs;) {
        if (idleMs !== null && Date.now() - workedAtMs >= idleMs) return [...total.values()];
        await pause(LOOK_MS);
        if (listener.heard || isAllSent && hasToTell(store.db)) break;
      }
    }
  } finally {
    await listener.close();
  }
}

/** Listens for the servers' notifications of new rows. They only save time: each server is also asked regularly. */
class Listener {
  heard = false;
  readonly #servers = new Map<string, Server>();

  /** Connects to the server of each project, unless it already listens there. */
  async listen(context: CliContext, joined: readonly JoinedProject[]): Promise<void> {
    for (const { way } of joined) {
      if (this.#servers.has(way.address)) continue;
      const server = await connect(way, context).catch(() => null);
      if (server === null) continue;
      this.#servers.set(way.address, server);
      server.on("notification", () => this.heard = true);
      server.on("error", () => this.#servers.delete(way.address));
      await server.query("LISTEN conclaude").catch(() => {});
    }
  }

  async close(): Promise<void> {
    for (const server of this.#servers.values()) await server.end().catch(() => {});
  }
}
