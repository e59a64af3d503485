/** Syncs the joined projects of this machine: one after the other, and only one process at a time. */
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

/** How long a sync waits for another one that is at work, in milliseconds. */
const TURN_MS = 60_000;

/** How long `--follow` waits between two syncs, in milliseconds: longer after each failure. */
const FOLLOW_MS = { least: 1_000, most: 300_000 };
/** How often it asks the server, which also notifies it, and looks for changes here, in milliseconds. */
const ASK_MS = 5_000;
const LOOK_MS = 250;

/** Takes the lock under which projects are synced; null when another process keeps it for longer. */
export async function takeTurn(
  { database }: Pick<TeamHere, "database">,
  waitMs: number,
): Promise<ProcessLock | null> {
  for (const endMs = Date.now() + waitMs;;) {
    const lock = takeLock(teamLockPath(database), { waitMs: 0 });
    if (lock !== null || Date.now() >= endMs) return lock;
    await sleep(50);
  }
}

/** Syncs one project after the other; a fault of one does not stop the others. @throws {UserError} The first fault. */
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
 * Syncs again as soon as something changes, here or there.
 *
 * @param options.idleMs Ends after so long without work, and at the first fault; null for never.
 * @returns What was done in all.
 */
export async function followAll(
  context: CliContext,
  store: TeamHere,
  { joined, idleMs }: { readonly joined: readonly JoinedProject[]; readonly idleMs: number | null },
): Promise<SyncReport[]> {
  const total = new Map<string, SyncReport>();
  const ear = new Ear();
  let pauseMs = FOLLOW_MS.least;
  let workedAtMs = Date.now();
  try {
    for (;;) {
      let isDone = true;
      try {
        ear.heard = false;
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
        isDone = reports.every(({ notSent }) => notSent === null);
        pauseMs = FOLLOW_MS.least;
        await ear.listen(context, joined);
      } catch (thrown) {
        if (idleMs !== null) throw thrown;
        const why = thrown instanceof UserError ? thrown.why : messageOf(thrown);
        context.process.stderr.write(`${why}\n`);
        pauseMs = Math.min(pauseMs * 2, FOLLOW_MS.most);
        await sleep(pauseMs);
        continue;
      }
      for (const askMs = Date.now() + ASK_MS; Date.now() < askMs;) {
        if (idleMs !== null && Date.now() - workedAtMs >= idleMs) return [...total.values()];
        await sleep(LOOK_MS);
        if (ear.heard || isDone && hasToTell(store.db)) break;
      }
    }
  } finally {
    await ear.close();
  }
}

/** Hears that others have sent something. That is a hint: a server that says nothing is asked all the same. */
class Ear {
  heard = false;
  readonly #servers = new Map<string, Server>();

  /** Listens at the server of each project where it does not yet. */
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

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
