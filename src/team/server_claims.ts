/** Claims tasks on the server, and reports claims to it that changed here while it was out of reach. */
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

/** The most tasks to offer to the server for a claim of the next task. */
const MAX_WANTED = 1_000;

/** Who wants a claim, and how long the claim counts, in milliseconds. */
export interface Claimer {
  readonly holder: string;
  readonly leaseMs: number;
}

/** Claims a task, or the next free one. @param task Null for the next free task. */
export async function claimOnServer(
  { rows }: TeamStore,
  { project, name, origin }: JoinedProject,
  { server, task, holder, leaseMs }: Claimer & {
    readonly server: Server;
    readonly task: string | null;
  },
): Promise<Claiming> {
  const named = task === null ? undefined : rows.wanted(task);
  const wanted = task === null ? rows.claimable(project, MAX_WANTED) : named ? [named] : [];
  const isNext = task === null;
  return await claimFirst(server, { name, origin, wanted, holder, leaseMs, isNext });
}

/** The server's answer to the renewal of a claim. */
export interface Renewal extends ClaimOnServer {
  readonly outcome: "renewed" | "lost";
}

/** Extends a claim. @param options.fence The number of the claim; null for any claim of the holder. */
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
 * Reports claims that changed here without the server, and sets the claims here to its answer. It holds a notice for a
 * person who loses a claim.
 * @param task Limits the report to one task.
 */
export async function tellClaims(
  store: TeamStore,
  joined: JoinedProject,
  { server, task }: { readonly server: Server; readonly task?: string },
): Promise<void> {
  const { project } = joined;
  const filter = task === undefined ? { project } : { project, uid: task };
  for (const untold of listUntoldClaims(store.db, filter)) {
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
  const markTold = () => noteClaimTold(db, untold);
  const leaseMs = rows.leaseLeft(task);
  const round = (wanted?.round ?? 0) - (step === "complete" ? 1 : 0);
  const use = (fence: number) =>
    useClaim(server, {
      ...here,
      holder,
      fence,
      leaseMs,
      round,
      step: step === "claim" ? "renew" : step,
    });
  // The server may know the claim already.
  if (await use(token) !== null || step === "release" || wanted === undefined) return markTold();
  const last = await holderOf(server, here);
  // Otherwise the server makes the claim now, unless somebody else had the task since.
  const isFree = last === null || last.fence < token ||
    last.fence === token && (last.holder === null || last.isHere);
  const claiming = isFree
    ? await claimFirst(server, {
      ...here,
      wanted: [{ ...wanted, round, least: token }],
      holder,
      leaseMs,
      isNext: false,
    })
    : { ...last, outcome: "held" } as const;
  if (claiming.outcome === "claimed") {
    if (step === "complete") await use(claiming.fence);
    return rows.obey(untold, { ...claiming, isHere: true });
  }
  transaction(db, () => {
    // Nobody holds a task that somebody else has completed.
    const answer = claiming.outcome === "done" ? { ...claiming, holder: null } : claiming;
    rows.obey(untold, { ...answer, isHere: false });
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

/** Explains why a claim made here does not count any more. */
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

/** Rounds the rest of a lease to minutes; at least one. */
export function minutesOf(leftMs: number): number {
  return Math.max(1, Math.round(leftMs / 60_000));
}
