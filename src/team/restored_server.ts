/**
 * A server that was restored from an older copy has lost rows, and gives their numbers to others. What this machine knows
 * to be lost is sent again; then it takes in whatever came there instead.
 */
import { noteUntold } from "../db/team_outbox.ts";
import { transaction } from "../db/transaction.ts";
import { listNumbers, listVersions, pullRows, type RowNumber, sumOrigins } from "./log_table.ts";
import { registerMachine } from "./members_table.ts";
import { queueAgain } from "./outbox_table.ts";
import { listOrigins, replaceOrigins, takeBackVersion, versionsAfter } from "./received_table.ts";
import type { Server } from "./server.ts";
import { noteRestored } from "./team_projects_table.ts";
import type { JoinedProject, RowVersion, TeamStore } from "./types.ts";

const PAGE_ROWS = 500;

/** What was noticed of a server that was restored. */
export interface RestoredServer {
  /** The last row that was taken in, and the last one that is still the same. */
  readonly hadSeq: number;
  readonly hasSeq: number;
  /** How many rows this machine sends again. */
  readonly again: number;
}

/** Whether a machine has had a row: it has had all that another one sent up to a number. */
export function hasHad(
  { db }: Pick<TeamStore, "db">,
  project: string,
): (row: Omit<RowNumber, "seq">) => boolean {
  const last = new Map(listOrigins(db, project).map((one) => [one.origin, one.lastSeq]));
  return ({ origin, originSeq }) => originSeq <= (last.get(origin) ?? 0);
}

/**
 * Names in the outbox what the server has lost: rows that this person wrote, whatever anybody has forgotten, and claims that
 * were made here. What others wrote they send again themselves.
 *
 * @param options `author`: this machine's login.
 */
export async function sendAgain(
  store: TeamStore,
  joined: JoinedProject,
  { server, author }: { readonly server: Server; readonly author: string },
): Promise<RestoredServer> {
  const { db } = store;
  const { project, name, origin, pulledSeq } = joined;
  const { headSeq, ownSeq } = await pullRows(server, { name, origin, after: 0, limit: 0 });
  const sameSeq = await lastSame(store, project, {
    server,
    name,
    upTo: Math.min(headSeq ?? 0, pulledSeq),
  });
  const known = versionsAfter(db, project, sameSeq);
  const lost: { readonly row: RowVersion; readonly before: RowVersion | null }[] = [];
  for (let at = 0; at < known.length; at += PAGE_ROWS) {
    const page = known.slice(at, at + PAGE_ROWS);
    const versions = await listVersions(server, name, page.map(({ uid }) => uid));
    const there = Map.groupBy(versions, ({ uid }) => uid);
    for (const row of page) {
      const of = there.get(row.uid) ?? [];
      // It was sent since.
      if (of.some((one) => one.seq === row.seq && one.origin === row.origin)) continue;
      lost.push({ row, before: of.findLast(({ seq }) => seq <= sameSeq) ?? null });
    }
  }
  const origins = await sumOrigins(server, name, sameSeq);
  await registerMachine(server, name, origin);
  const nowMs = Date.now();
  const again = lost.filter(({ row }) => row.author === author || row.op === "forget");
  transaction(db, () => {
    for (const { row, before } of lost) takeBackVersion(db, row.uid, before);
    for (const { row } of again) queueAgain(db, project, { ...row, nowMs });
    for (const claim of store.rows.claimsHere(project)) {
      noteUntold(db, { ...claim, project, step: "claim" }, nowMs);
    }
    replaceOrigins(db, project, origins);
    const same = { pulledSeq: sameSeq, headSeq: headSeq ?? 0, ackedSeq: ownSeq };
    noteRestored(db, joined, { ...same, atMs: nowMs });
  });
  return { hadSeq: pulledSeq, hasSeq: sameSeq, again: again.length };
}

/** The last row up to which there are only rows that this machine has had. */
async function lastSame(
  store: TeamStore,
  project: string,
  { server, name, upTo }: { readonly server: Server; readonly name: string; readonly upTo: number },
): Promise<number> {
  const isKnown = hasHad(store, project);
  for (let sameSeq = upTo, next = upTo;;) {
    const page = await listNumbers(server, name, { upTo: next, limit: PAGE_ROWS });
    const strange = page.findLast((row) => !isKnown(row));
    if (strange === undefined) return page.length === 0 ? 0 : sameSeq;
    sameSeq = strange.seq - 1;
    next = page.at(-1)!.seq - 1;
  }
}
