/** Claims that the server gives, and what it is told of claims that changed here without it. */
import { count } from "../base/counts.ts";
import { listUntoldClaims, noteClaimTold, type UntoldClaim } from "../db/team_outbox.ts";
import { transaction } from "../db/transaction.ts";
import {
  claimFirst,
  type Claiming,
  type ClaimOnServer,
  holderOf,
  useClaim,
} from "./server_claims_table.ts";
import { holdRow } from "./received_table.ts";
import type { Server } from "./server.ts";
import type { JoinedProject, TeamStore } from "./types.ts";

/** The most tasks that are named to the server when the next one is wanted. */
const MAX_WANTED = 1_000;

/** Who wants a claim, and for how long it counts, in milliseconds. */
export interface Claimer {
  readonly holder: string;
  readonly leaseMs: number;
}

/** Claims a task, or the next one that is free. @param task Null for the next one. */
export async function claimOnServer(
  { rows }: TeamStore,
  { project, name, origin }: JoinedProject,
  { server, task, holder, leaseMs }: Claimer & {
    readonly server: Server;
    readonly task: string | null;
  },
): Promise<Claiming> {
  const one = task === null ? undefined : rows.wanted(task);
  const wanted = task === null ? rows.claimable(project, MAX_WANTED) : one ? [one] : [];
  const isNext = task === null;
  return await claimFirst(server, { name, origin, wanted, holder, leaseMs, isNext });
}

/** What the server says to whoever renews a claim. */
export interface Renewal extends ClaimOnServer {
  readonly outcome: "renewed" | "lost";
}

/** Lets a claim count longer. @param options.fence Its number; null for whichever the holder has. */
export async function renewOnServer(
  { name, origin }: JoinedProject,
  { server, task, fence, holder, leaseMs }: Claimer & {
    readonly server: Server;
    readonly task: string;
    readonly fence: number | null;
  },
): Promise<Renewal> {
  const here = { name, origin, task };
  const use = { ...here, holder, fence, step: "renew", leaseMs, round: 0 } as const;
  const renewed = await useClaim(server, use);
  if (renewed !== null) {
    return { outcome: "renewed", fence: renewed, leftMs: leaseMs, holder, author: "" };
  }
  const last = await holderOf(server, here) ??
    { fence: 0, leftMs: null, holder: null, author: "" };
  return { outcome: "lost", ...last };
}

/**
 * Tells the server of claims that changed here without it, and makes claims here what it says. Who loses one is told.
 *
 * @param task Only of this one.
 */
export async function tellClaims(
  store: TeamStore,
  joined: JoinedProject,
  { server, task }: { readonly server: Server; readonly task?: string },
): Promise<void> {
  const { project } = joined;
  const of = task === undefined ? { project } : { project, uid: task };
  for (const untold of listUntoldClaims(store.db, of)) {
    await tellClaim(store, joined, { server, untold });
  }
}

async function tellClaim(
  { db, rows }: TeamStore,
  { name, origin }: JoinedProject,
  { server, untold }: { readonly server: Server; readonly untold: UntoldClaim },
): Promise<void> {
  const { uid: task, step, holder, token } = untold;
  const wanted = rows.wanted(task);
  const here = { name, origin, task };
  const told = () => noteClaimTold(db, untold);
  const leaseMs = rows.leaseLeft(task);
  const round = (wanted?.round ?? 0) - (step === "complete" ? 1 : 0);
  const use = (fence: number) =>
    useClaim(server, {
      ...here,
      ...{ holder, fence, leaseMs, round },
      step: step === "claim" ? "renew" : step,
    });
  // A claim that the server knows is used as it is.
  if (await use(token) !== null || step === "release" || wanted === undefined) return told();
  const last = await holderOf(server, here);
  // One that it does not know is made there, unless somebody else had the task since.
  const isFree = last === null || last.fence < token ||
    last.fence === token && (last.holder === null || last.isHere);
  const claiming = isFree
    ? await claimFirst(server, {
      ...here,
      wanted: [{ ...wanted, round, least: token }],
      ...{ holder, leaseMs, isNext: false },
    })
    : { ...last, outcome: "held" } as const;
  if (claiming.outcome === "claimed") {
    if (step === "complete") await use(claiming.fence);
    return rows.obey(untold, { ...claiming, isHere: true });
  }
  transaction(db, () => {
    // What somebody else has completed is nobody's.
    const word = claiming.outcome === "done" ? { ...claiming, holder: null } : claiming;
    rows.obey(untold, { ...word, isHere: false });
    holdRow(db, {
      project: untold.project,
      kind: "task",
      uid: task,
      reason: "claim",
      detail: whyLost(untold, claiming),
      body: null,
      heldAtMs: Date.now(),
    });
  });
}

/** Why a claim that was made here counts no more. */
function whyLost(
  { holder: mine, step }: UntoldClaim,
  { outcome, holder, author, leftMs }: Pick<Claiming, "outcome" | "holder" | "author" | "leftMs">,
): string {
  const left = leftMs === null ? "" : `, for ${count(minutesOf(leftMs), "more minute")}`;
  const why = outcome === "done"
    ? `${author} has had it completed`
    : holder === null
    ? "somebody else had the task since"
    : `"${holder}" of ${author} has the task${left}`;
  const what = step === "complete" ? "closed" : "claimed";
  return `${why}: that "${mine}" ${what} it here without the server counts no more`;
}

/** Minutes that are left of a lease; at least one. */
export function minutesOf(leftMs: number): number {
  return Math.max(1, Math.round(leftMs / 60_000));
}
