/** Syncs a project with the team's server: sends what changed here, and stores what others wrote. */
import { messageOf, quietly, UserError } from "../base/errors.ts";
import type { Environment } from "../system/environment.ts";
import { collectGarbage } from "../system/process/garbage.ts";
import { readAddress } from "./address.ts";
import { checkpoint } from "../db/database.ts";
import { listUntoldClaims } from "../db/team_outbox.ts";
import { tellClaims } from "./server_claims.ts";
import { schemaOf } from "./log_table.ts";
import { newId } from "../base/ids.ts";
import { listMachines, noteGone, noteSeen, registerMachine } from "./members_table.ts";
import { countWaiting, listAll } from "./outbox_table.ts";
import { pullAll } from "./pull.ts";
import { laggingMachines, writeSeen } from "./received_table.ts";
import { pushAll } from "./push.ts";
import { NO_SEAL, type Seal, sealWith } from "./seal.ts";
import { readSecret } from "./password.ts";
import { connect, type Server, serverError } from "./server.ts";
import { KNOWN_VERSION } from "./schema_version.ts";
import { type RestoredServer, sendAgain } from "./restored_server.ts";
import {
  noteForgot,
  noteSync,
  noteTold,
  readJoined,
  renameMachine,
} from "./team_projects_table.ts";
import type { ForgottenRows, JoinedProject, TeamStore, WayToServer } from "./types.ts";

/** The result of a sync. */
export interface SyncReport {
  readonly project: string;
  readonly name: string;
  readonly sent: number;
  readonly received: number;
  /** Why nothing was sent although rows wait; null when all rows were sent. */
  readonly notSent: string | null;
  readonly forgot: readonly ForgottenRows[];
  /** What a server that was restored from an older copy has lost; null when it was not restored. */
  readonly restored: RestoredServer | null;
}

/** Receives the progress of a sync: rows just sent or received, and rows that are still to be received. */
export type OnSync = (doing: "sent" | "received", rows: number, behind: number) => void;

const NOTHING_SENT = Promise.resolve({ sent: 0, changed: 0, halt: null });
const OUTDATED =
  "the server is set up for a newer conclaude, so nothing is sent until this one is upgraded";

/**
 * The most rounds of one sync: changes of others may collide with ours again and again; the next sync goes on.
 */
const MAX_ROUNDS = 5;

/**
 * After this many pages and batches, the sync collects garbage and moves the write-ahead log, which hooks read, into
 * the database.
 */
const CLEAR_EVERY = 4;

export function sealOf({ keyFile }: WayToServer): Seal {
  return keyFile === undefined ? NO_SEAL : sealWith(readSecret(keyFile, "key"));
}

/**
 * Syncs one project: pushes and pulls at the same time, over two connections.
 *
 * @throws {UserError} When the server cannot be reached, or its rows cannot be stored. Finished pages and batches stay.
 */
export async function syncProject(
  store: TeamStore,
  joined: JoinedProject,
  { environment, onSync = () => {} }: {
    readonly environment: Environment;
    readonly onSync?: OnSync;
  },
): Promise<SyncReport> {
  const { project, name, way } = joined;
  try {
    const report = await syncRounds(store, joined, { environment, onSync });
    noteSync(store.db, project, { fault: null, atMs: Date.now() });
    return { project, name, ...report };
  } catch (thrown) {
    const error = serverError(way, thrown);
    const fault = error instanceof UserError ? `${error.what}: ${error.why}` : messageOf(error);
    noteSync(store.db, project, { fault, atMs: Date.now() });
    throw error;
  }
}

async function syncRounds(
  store: TeamStore,
  joined: JoinedProject,
  { environment, onSync }: { readonly environment: Environment; readonly onSync: OnSync },
) {
  const { project, name, way } = joined;
  let batches = 0;
  const onMoved: OnSync = (doing, rows, behind) => {
    onSync(doing, rows, behind);
    if (++batches % CLEAR_EVERY > 0) return;
    collectGarbage();
    checkpoint(store.db, "PASSIVE");
  };
  const seal = sealOf(way);
  const author = readAddress(way.address).user;
  const total = {
    sent: 0,
    received: 0,
    forgot: [] as ForgottenRows[],
    restored: null as RestoredServer | null,
  };
  const servers: Server[] = [];
  const openServer = async () => {
    const server = await connect(way, { environment });
    servers.push(server);
    return server;
  };
  try {
    const forPull = await openServer();
    const untold = listUntoldClaims(store.db, { project });
    if (untold.length > 0 && await schemaOf(forPull) <= KNOWN_VERSION) {
      await tellClaims(store, joined, { server: forPull });
    }
    let forPush: Server | null = null;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const current = readJoined(store.db, project)!;
      let isPushing = countWaiting(store.db, project) > 0;
      const pull = pullAll(store, current, {
        server: forPull,
        user: author,
        seal,
        onRows: (rows, behind) => onMoved("received", rows, behind),
        isPushing: () => isPushing,
      });
      const push = !isPushing ? NOTHING_SENT : (async () => {
        forPush ??= await openServer();
        if (await schemaOf(forPush) > KNOWN_VERSION) {
          return { ...await NOTHING_SENT, isOutdated: true };
        }
        const onRows = (rows: number) => onMoved("sent", rows, 0);
        return await pushAll(store, current, { server: forPush, author, seal, onRows });
      })().finally(() => isPushing = false);
      const [pulled, pushed] = await waitForBoth([pull, push]);
      total.received += pulled.received;
      total.sent += pushed.sent;
      total.forgot.push(...pulled.forgot);
      if (pulled.forgot.length > 0) noteForgot(store.db, project, total.forgot);
      const halt = pulled.halt ?? pushed.halt;
      if (halt === "copied") {
        const heir = newId(Date.now());
        renameMachine(store.db, project, heir);
        await registerMachine(forPull, name, heir);
        await noteGone(forPull, { name, origin: current.origin, heir });
        continue;
      }
      if (halt === "restored") {
        const here = readJoined(store.db, project)!;
        total.restored = await sendAgain(store, here, { server: forPull, author });
        continue;
      }
      if (!current.isListed) {
        listAll(store.db, project, store.rows.list(project));
        continue;
      }
      if (pushed.changed > 0) continue;
      if ("isOutdated" in pushed) return { ...total, notSent: OUTDATED };
      if (pulled.pulledSeq > current.toldSeq && pulled.version <= KNOWN_VERSION) {
        await noteSeen(forPull, { name, origin: current.origin, seq: pulled.pulledSeq });
        noteTold(store.db, project, pulled.pulledSeq);
      }
      const hasMoved = total.sent + total.received > 0;
      const { notForgotten } = laggingMachines(store.db, { project, uids: null });
      if (hasMoved || notForgotten.length > 0) {
        writeSeen(store.db, project, await listMachines(forPull, name));
      }
      return { ...total, notSent: null };
    }
    return {
      ...total,
      notSent: "others change the same tasks all the time; the next sync goes on",
    };
  } finally {
    await Promise.all(servers.map((server) => server.end().catch(() => {})));
    // Otherwise the next hook would read the whole write-ahead log.
    if (batches > 0) quietly(() => checkpoint(store.db, "TRUNCATE"));
  }
}

/** Waits until both have ended, and only then throws the first error. */
async function waitForBoth<A, B>(both: readonly [Promise<A>, Promise<B>]): Promise<[A, B]> {
  const ends = await Promise.allSettled(both);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return ends.map((end) => (end as PromiseFulfilledResult<unknown>).value) as [A, B];
}
