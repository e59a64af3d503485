/** Makes and reads claims on the server: one holder for each task, by the server's clock, with one statement each. */
import type { Server } from "./server.ts";
import type { WantedTask } from "./types.ts";

/** The project's name on the server, and this machine's id. */
interface Here {
  readonly name: string;
  readonly origin: string;
}

/** A claim, as the server knows it. */
export interface ClaimOnServer {
  /** The number of the claim. */
  readonly fence: number;
  /** How long the claim still counts, in milliseconds; negative after its end, null when nobody holds the task. */
  readonly leftMs: number | null;
  readonly holder: string | null;
  /** The login of the holder. */
  readonly author: string;
}

/** The result of an attempt to claim one of several tasks. */
export interface Claiming extends ClaimOnServer {
  /** `none`: the attempt named no task. */
  readonly outcome: "claimed" | "held" | "done" | "none";
  readonly task: string | null;
}

const NONE: Claiming = {
  outcome: "none",
  task: null,
  fence: 0,
  leftMs: null,
  holder: null,
  author: "",
};

function claimOf(row: Record<string, unknown>): ClaimOnServer {
  const leftMs = row["left_ms"] ?? null;
  return {
    fence: Number(row["fence"]),
    leftMs: leftMs === null ? null : Number(leftMs),
    holder: row["holder"] as string | null,
    author: String(row["author"]),
  };
}

/** Claims the first free task of a list. @param isNext Skips a task that somebody is claiming at this moment. */
export async function claimFirst(
  server: Server,
  { name, origin, wanted, holder, leaseMs, isNext }: Here & {
    readonly wanted: readonly WantedTask[];
    readonly holder: string;
    readonly leaseMs: number;
    readonly isNext: boolean;
  },
): Promise<Claiming> {
  const { rows } = await server.query(
    "SELECT * FROM conclaude.claim_first($1, $2, $3, $4, $5, $6)",
    [name, origin, JSON.stringify(wanted), holder, leaseMs, isNext],
  );
  return rows.length === 0
    ? NONE
    : { ...claimOf(rows[0]), outcome: rows[0].outcome, task: rows[0].task };
}

/** Renews, releases or completes a claim. @returns The number of the claim; null when it does not count any more. */
export async function useClaim(
  server: Server,
  { name, origin, task, holder, fence, step, leaseMs, round }: Here & {
    readonly task: string;
    readonly holder: string;
    /** The number of the claim; null for any claim of the holder. */
    readonly fence: number | null;
    readonly step: "renew" | "release" | "complete";
    readonly leaseMs: number;
    readonly round: number;
  },
): Promise<number | null> {
  const { rows } = await server.query(
    "SELECT fence FROM conclaude.use_claim($1, $2, $3, $4, $5, $6, $7, $8)",
    [name, origin, task, holder, fence, step, leaseMs, round],
  );
  return rows.length === 0 ? null : Number(rows[0].fence);
}

/** Reads who holds a task, or held it last; null when nobody ever did. */
export async function holderOf(
  server: Server,
  { name, origin, task }: Here & { readonly task: string },
): Promise<(ClaimOnServer & { readonly isHere: boolean }) | null> {
  const { rows } = await server.query("SELECT * FROM conclaude.holder_of($1, $2, $3)", [
    name,
    origin,
    task,
  ]);
  return rows.length === 0 ? null : { ...claimOf(rows[0]), isHere: rows[0].is_here === true };
}
