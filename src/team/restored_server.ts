/**
 * Repairs the sync with a server that was restored from an older copy. Such a server has lost rows and gives their
 * numbers to others. This machine sends the lost rows again, and then stores the rows that have their numbers now.
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

/** What this machine found out about a restored server. */
export interface RestoredServer {
  /** The number of the last row stored here (`hadSeq`), and of the last row that is still the same (`hasSeq`). */
  readonly hadSeq: number;
  readonly hasSeq: number;
  /** How many rows this machine sends again. */
  readonly again: number;
}

/** Returns a function that tells whether this machine has had a row: it has had each machine's rows up to a number. */
export function hasHad(
  { db }: Pick<TeamStore, "db">,
  project: string,
): (row: Omit<RowNumber, "seq">) => boolean {
  const last = new Map(listOrigins(db, project).map((one) => [one.origin, one.lastSeq]));
  return ({ origin, originSeq }) => originSeq <= (last.get(origin) ?? 0);
}

/**
 * Puts what the server has lost into the outbox: this person's rows, marks of forgotten rows, and claims made here.
 * The other members' machines send their own rows again.
 *
 * @param options `author`: the login of this machine's person.
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
    const byUid = Map.groupBy(versions, ({ uid }) => uid);
    for (const row of page) {
      const found = byUid.get(row.uid) ?? [];
      // The row was sent since.
      if (found.some((one) => one.seq === row.seq && one.origin === row.origin)) continue;
      lost.push({ row, before: found.findLast(({ seq }) => seq <= sameSeq) ?? null });
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

/** Finds the number up to which the server has only rows that this machine has had. */
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
